// The ready-made key of `--quickstart`, kept for later starts.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { actAs } from "../../admin/audit/audit-trail.ts";
import { createKey } from "../../admin/keys/keys.ts";
import { refuseAddress, refusePaused } from "../../core/keys/key.ts";
import { GATEWAY } from "../../core/people/people.ts";
import { authenticate } from "../../keys/authenticate.ts";
import { mayUseKeys } from "../../people/member.ts";
import { source } from "../start/configuration.ts";
import type { OpenedStore } from "../start/open-store.ts";
import { findQuickstartFolder, KEY_FILE } from "./folder.ts";

/** Returns the secret in the quick start's file. Makes a new key if there is none or it no longer works. */
export async function ensureQuickstartSecret({ world }: OpenedStore, storeAddress: string): Promise<string> {
  const folder = findQuickstartFolder(storeAddress, source.env);
  const file = join(folder, KEY_FILE);
  const kept = readFileOrNull(file);
  if (kept !== null && (await isUsable(world, kept))) return kept;
  const { secret } = await createKey(actAs(world, GATEWAY), { name: "quickstart" });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(file, `${secret}\n`, { mode: 0o600 });
  chmodSync(file, 0o600);
  return secret;
}

/** True if requests from this machine are served. */
async function isUsable(world: OpenedStore["world"], secret: string): Promise<boolean> {
  return authenticate({ ...world, mayUseKeys }, secret).then(
    ({ key }) => (refuseAddress(key, { address: "127.0.0.1" }) ?? refusePaused(key)) === null,
    () => false,
  );
}

function readFileOrNull(file: string): string | null {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return null;
  }
}
