// `--quickstart`: a ready-made key, kept for later starts, and a command that can be pasted as printed.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { actAs } from "../../admin/audit/audit-trail.ts";
import { createKey } from "../../admin/keys/keys.ts";
import { findPlaces } from "../../config/places.ts";
import { refuseAddress, refusePaused } from "../../core/keys/key.ts";
import { GATEWAY } from "../../core/people/people.ts";
import type { Settings } from "../../core/settings.ts";
import { authenticate } from "../../keys/authenticate.ts";
import { mayUseKeys } from "../../people/member.ts";
import { describeProgram } from "../program.ts";
import { findFolderMistake } from "../store-folder.ts";
import { formatErrors, source } from "./configuration.ts";
import { type OpenedStore, showPlace } from "./open-store.ts";
import { SIMULATED } from "./simulated.ts";

const KEY_FILE = "quickstart.key";

/** Returns the secret in the quick start's file. Makes a new key if there is none or it no longer works. */
export async function ensureQuickstartSecret({ world }: OpenedStore, storeAddress: string): Promise<string> {
  const folder = findKeyFolder(storeAddress);
  const file = join(folder, KEY_FILE);
  const kept = readFileOrNull(file);
  if (kept !== null && (await isUsable(world, kept))) return kept;
  const { secret } = await createKey(actAs(world, GATEWAY), { name: "quickstart" });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(file, `${secret}\n`, { mode: 0o600 });
  chmodSync(file, 0o600);
  return secret;
}

/** Beside the database or, for a store on PostgreSQL, where a database would lie. */
function findKeyFolder(storeAddress: string): string {
  if (storeAddress.startsWith("sqlite:")) return dirname(storeAddress.slice("sqlite:".length));
  const places = findPlaces(source.env);
  const mistake = findFolderMistake(places);
  if (mistake !== null) throw new Error(formatErrors([mistake]));
  if (places.data === null)
    throw new Error(`there is no home for ${KEY_FILE}: set HOME, or name a SQLite store with --store`);
  return places.data;
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

/** Describes how to sign in to the console. `made` is the admin token if this start made it. */
function explainLogin({ server }: Settings, made: string | null): string {
  if (server.adminToken !== null) return "Sign in to the console with your configured admin token.";
  if (made !== null) return `Sign in to the console with the admin token  ${made}`;
  return `Sign in to the console with the admin token that was printed at the first start. If you lost it, create a new one: ${describeProgram().name} admin token --reset`;
}

/** Writes the text that the quick start prints. */
export function writeGreeting(
  address: string,
  secret: string,
  made: string | null,
  settings: Settings,
): string {
  const { providers } = settings;
  const simulated = providers.every(({ name }) => name === SIMULATED);
  const model = simulated ? "Sim#sim-mini" : "Router#fair";
  const call = (body: object, flags: string) =>
    `curl ${flags}${address}/v1/chat/completions -H "Authorization: Bearer ${secret}" ` +
    `-H "Content-Type: application/json" -d '${JSON.stringify(body)}'`;
  const messages = [{ role: "user", content: "Say hello." }];
  const state = simulated
    ? "No provider's API key is set, so the simulated provider Sim#… answers.\nTo use real providers, set OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY … and restart."
    : `Enabled providers: ${providers.map(({ name }) => name).join(", ")}.`;
  return [
    "",
    state,
    "",
    `  Base URL   ${address}/v1`,
    `  API key    ${secret}`,
    `  Manual     ${address}/docs`,
    `  Console    ${address}/`,
    `  Store      ${showPlace(settings.store)}`,
    "",
    explainLogin(settings, made),
    "",
    "Try it:",
    "",
    call({ model, messages }, ""),
    "",
    "Streamed:",
    "",
    call({ model, messages, stream: true }, "-N "),
    "",
  ].join("\n");
}
