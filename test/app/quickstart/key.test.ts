// The quick start's key: kept for later starts as long as requests with it are served.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureQuickstartSecret } from "../../../src/app/quickstart/key.ts";
import { type OpenedStore, openStore } from "../../../src/app/start/open-store.ts";
import { authenticate } from "../../../src/keys/authenticate.ts";
import { mayUseKeys } from "../../../src/people/member.ts";
import { unrecorded } from "../../harness/unrecorded.ts";

let folder: string;
let address: string;
let opened: OpenedStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "poundkey-quickstart-"));
  address = `sqlite:${join(folder, "poundkey.db")}`;
  opened = await openStore(address, undefined);
});
afterEach(async () => {
  await opened.store.close();
  rmSync(folder, { recursive: true });
});

const start = () => ensureQuickstartSecret(opened, address);

test("a key that works is used again", async () => {
  expect(await start()).toBe(await start());
});

test.each([{ isPaused: true }, { allowedAddresses: ["192.0.2.1"] }])(
  "a key with %j is replaced, since the printed command has to work",
  async (change) => {
    const secret = await start();
    const { key } = await authenticate({ ...opened.world, mayUseKeys }, secret);
    await unrecorded(opened.store).changeKey(key.id, change);
    const next = await start();
    expect(next).not.toBe(secret);
    expect(await start()).toBe(next);
  },
);
