// `poundkey check` on rules of the sign-in that name accounts which the store doesn't have.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readAccountNames, readBoundAccounts } from "../../src/app/start/account-names.ts";
import { openStore } from "../../src/app/start/open-store.ts";
import { type CheckPorts, runCheck } from "../../src/cli/start/check.ts";
import { makeBudget } from "../../src/core/limits/budget.ts";
import { makeAccount } from "../harness/samples.ts";
import { readFrom } from "../harness/settings.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { useDatabases } from "../store/postgres/databases.ts";

const LONG_MS = 60_000;
const WARNING =
  "warning: sign_in.oidc.rules[1].accounts: there is no account 'Serach' in the store, so nobody has a role in it";
const AMBIGUOUS =
  "warning: sign_in.oidc.rules[0].accounts: several accounts in the store are called 'Search', so nobody has a role in them: give an id, or rename all but one";

const server = await useDatabases();
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
    env: () => undefined,
    known: [],
    readFile: readFrom({}),
    readConfig: readFrom({ "poundkey.yaml": yaml }),
    probe: async () => [],
    probeIssuer: async () => "",
    exposedFiles: () => [],
    accountNames: readAccountNames,
    schema: async () => null,
    version: async () => "",
  };
  const io = { out: () => {}, err: (text: string) => said.push(text) };
  expect(await runCheck(args, io, ports)).toBe(0);
  return said.filter((line) => line.includes("account"));
}

const UNBOUND =
  "warning: sign_in.oidc.rules[0]: its members have no budget of their own, and each new key begins its own again; set 'budgets' here, or 'member_defaults' at the top of the file or of the accounts";

/** Returns the warnings about people without a bound, for a rule with these fields. */
async function checkBounds(
  store: string,
  rule: string,
  args: readonly string[] = [],
  file = "key_defaults: { budgets: [{ usd: 50, per: month, hard: false }] }",
): Promise<readonly string[]> {
  const yaml = `store: "${store}"
server: { public_url: "https://gateway.example" }
${file}
sign_in: { oidc: { issuer: "https://login.example.com", client_id: a, client_secret: b, rules: [{ group: a, ${rule} }] } }`;
  const said: string[] = [];
  const ports: CheckPorts = {
    env: () => undefined,
    known: [],
    readFile: readFrom({}),
    readConfig: readFrom({ "poundkey.yaml": yaml }),
    probe: async () => [],
    probeIssuer: async () => "",
    exposedFiles: () => [],
    accountNames: readAccountNames,
    boundAccounts: readBoundAccounts,
    schema: async () => null,
    version: async () => "",
  };
  expect(await runCheck(args, { out: () => {}, err: (text) => said.push(text) }, ports)).toBe(0);
  return said.filter((line) => line.includes("budget of their own"));
}

async function bind(address: string, isHard: boolean): Promise<void> {
  const { store } = await openStore(address, Buffer.alloc(32, 5).toString("base64"));
  const budgets = [makeBudget({ nanoUsd: 5e9, per: "month", isHard })];
  const limits = { requestsPerMinute: null, tokensPerMinute: null, parallel: null };
  await unrecorded(store).changeAccount("default", {
    memberDefaults: { ...limits, budgets, allowedModels: null, allowedTools: null, keys: null },
  });
  await store.close();
}

test("members whom nothing bounds are warned of, until their rule or each of its accounts has a hard budget", async () => {
  const address = `sqlite:${join(directory, "bounds.db")}`;
  const rule = "role: member, accounts: [default]";
  expect(await checkBounds(address, rule)).toEqual([UNBOUND]);
  expect(await checkBounds(address, "role: viewer")).toEqual([]);
  expect(await checkBounds(address, `${rule}, budgets: [{ usd: 5, per: day }]`)).toEqual([]);
  expect(await checkBounds(address, `${rule}, budgets: [{ usd: 5, per: day, hard: false }]`)).toEqual([
    UNBOUND,
  ]);
  await bind(address, false);
  expect(await checkBounds(address, rule)).toEqual([UNBOUND]);
  await bind(address, true);
  expect(await checkBounds(address, rule)).toEqual([]);
  expect(await checkBounds(address, "role: member, accounts: [default, Search]")).toEqual([UNBOUND]);
  expect(await checkBounds(address, "role: member")).toEqual([UNBOUND]);
  for (const section of ["member_defaults", "key_maxima", "key_defaults"]) {
    const file = `${section}: { budgets: [{ usd: 50, per: month }] }`;
    expect([section, await checkBounds(address, "role: member", [], file)]).toEqual([section, []]);
  }
});

test(
  "a server is asked about the bounds of its accounts with --probe only",
  async () => {
    await bind(server.url, true);
    const rule = "role: member, accounts: [default]";
    expect(await checkBounds(server.url, rule)).toEqual([UNBOUND]);
    expect(await checkBounds(server.url, rule, ["--probe"])).toEqual([]);
  },
  LONG_MS,
);

async function fill(address: string, id = "acc_1", name = "Search"): Promise<void> {
  const { store } = await openStore(address, Buffer.alloc(32, 5).toString("base64"));
  await unrecorded(store).addAccount(makeAccount(id, { name }));
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
