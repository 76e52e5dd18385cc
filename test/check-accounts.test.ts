// `poundkey check` on rules of the sign-in that name accounts which the store doesn't have.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readAccountNames } from "../src/app/account-names.ts";
import { openStore } from "../src/app/open-store.ts";
import { type CheckPorts, runCheck } from "../src/cli/check.ts";
import { startPostgres } from "./postgres-server.ts";
import { makeAccount } from "./samples.ts";
import { readFrom } from "./settings.ts";

const LONG_MS = 60_000;
const WARNING =
  "warning: sign_in.oidc.rules[1].accounts: there is no account 'Serach' in the store, so nobody has a role in it";
const AMBIGUOUS =
  "warning: sign_in.oidc.rules[0].accounts: several accounts in the store are called 'Search', so nobody has a role in them: give an id, or rename all but one";

const server = await startPostgres();
let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "poundkey-check-"));
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await server.remove();
}, LONG_MS);

/** Returns the warnings about accounts. */
async function check(store: string, args: readonly string[] = []): Promise<readonly string[]> {
  const yaml = `store: "${store}"
server: { public_url: "https://gateway.example" }
sign_in: { oidc: { issuer: "https://login.example.com", client_id: a, client_secret: b, rules: [
  { group: a, role: viewer, accounts: [Search, default] }, { group: b, role: viewer, accounts: [Serach] } ] } }`;
  const said: string[] = [];
  const ports: CheckPorts = {
    ...{ env: () => undefined, known: [], readFile: readFrom({}) },
    readConfig: readFrom({ "poundkey.yaml": yaml }),
    ...{ probe: async () => [], probeIssuer: async () => "", exposedFiles: () => [] },
    accountNames: readAccountNames,
    ...{ schema: async () => null, version: async () => "" },
  };
  const io = { out: () => {}, err: (text: string) => said.push(text) };
  expect(await runCheck(args, io, ports)).toBe(0);
  return said.filter((line) => line.includes("account"));
}

async function fill(address: string, id = "acc_1", name = "Search"): Promise<void> {
  const { store } = await openStore(address, Buffer.alloc(32, 5).toString("base64"));
  await store.addAccount(makeAccount(id, { name }));
  await store.close();
}

test("a store's file is looked at, if there is one", async () => {
  const address = `sqlite:${join(directory, "poundkey.db")}`;
  expect(await check(address)).toEqual([]);
  await fill(address);
  expect(await check(address)).toEqual([WARNING]);
  // An id means its account, whatever another is called.
  await fill(address, "acc_2", "default");
  expect(await check(address)).toEqual([WARNING]);
  await fill(address, "acc_3");
  expect(await check(address)).toEqual([AMBIGUOUS, WARNING]);
});

test(
  "a server is asked with --probe only, and one that doesn't answer says nothing",
  async () => {
    await fill(server.url);
    expect(await check(server.url)).toEqual([]);
    expect(await check(server.url, ["--probe"])).toEqual([WARNING]);
    await fill(server.url, "acc_2");
    expect(await check(server.url, ["--probe"])).toEqual([AMBIGUOUS, WARNING]);
    expect(await check("postgres://nobody@127.0.0.1:1/none", ["--probe"])).toEqual([]);
  },
  LONG_MS,
);
