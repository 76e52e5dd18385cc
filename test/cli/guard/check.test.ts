// `poundkey check` on rules of the guard that name keys and accounts which the store doesn't have, and on a rule that refuses
// what is often no secret.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readAccountNames, readKeyNames } from "../../../src/app/start/account-names.ts";
import { openStore } from "../../../src/app/start/open-store.ts";
import { runCheck } from "../../../src/cli/start/check.ts";
import { makeAccount, makeKey } from "../../harness/samples.ts";
import { readFrom } from "../../harness/settings.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { useDatabases } from "../../store/postgres/databases.ts";

const server = await useDatabases();
const directory = mkdtempSync(join(tmpdir(), "poundkey-check-"));
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await server.remove();
}, 60_000);

async function check(store: string, args: readonly string[] = []): Promise<readonly string[]> {
  const yaml = `store: "${store}"
guard:
  rules:
    - { name: a, detect: [email], keys: [support-bot, "CI-*", suport-bot, key_1] }
    - { name: b, detect: [assigned_secret], action: refuse, keys: [], accounts: [Search, Serach] }`;
  const said: string[] = [];
  const ports = {
    env: () => undefined,
    known: [],
    readFile: readFrom({}),
    readConfig: readFrom({ "poundkey.yaml": yaml }),
    probe: async () => [],
    probeIssuer: async () => "",
    exposedFiles: () => [],
    accountNames: readAccountNames,
    keyNames: readKeyNames,
    schema: async () => null,
    version: async () => "",
  };
  expect(await runCheck(args, { out: () => {}, err: (text) => said.push(text) }, ports)).toBe(0);
  return said.filter((line) => line.includes("guard"));
}

const OFTEN_WRONG = expect.stringContaining("guard.rules[1].detect: assigned_secret is often wrong in code");
const MISSING = [
  "warning: guard.rules[0].keys[1]: no key in the store matches 'CI-*'",
  "warning: guard.rules[0].keys[2]: no key in the store matches 'suport-bot'; did you mean support-bot?",
  "warning: guard.rules[1].accounts[1]: no account in the store matches 'Serach'; did you mean Search?",
];

describe.each([
  ["sqlite", `sqlite:${join(directory, "poundkey.db")}`, []],
  ["postgres", server.url, ["--probe"]],
])("%s", (_, address, args) => {
  test("names of the store are known, with what is near", async () => {
    expect(await check(address)).toEqual([OFTEN_WRONG]);
    const { store } = await openStore(address, Buffer.alloc(32, 5).toString("base64"));
    const changes = unrecorded(store);
    await changes.addAccount(makeAccount("acc_1", { name: "Search" }));
    await changes.addKey(makeKey("key_1", { name: "support-bot" }), "digest");
    await changes.addKey(makeKey("key_2", { name: "CI-old", revokedAtMs: 1 }), "other");
    await store.close();
    expect(await check(address, args)).toEqual([OFTEN_WRONG, ...MISSING]);
  });
});
