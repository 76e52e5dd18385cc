// Lists of accounts, people, batches, tools and credentials in a chosen order, page by page, as the use-cases return them.
import { expect, test } from "bun:test";
import { readQuery } from "../../src/admin/input.ts";
import { batchesQuery, listBatches } from "../../src/admin/models/batches.ts";
import { listProviders, providersQuery } from "../../src/admin/models/providers.ts";
import { accountsQuery, listAccounts } from "../../src/admin/money/accounts.ts";
import { listMembers, membersQuery } from "../../src/admin/people/members.ts";
import { readSortCosts } from "../../src/admin/sort-costs.ts";
import { listTools, toolsQuery } from "../../src/admin/tools/tools.ts";
import type { CredentialHealth } from "../../src/core/health/health.ts";
import { EVERYTHING } from "../../src/core/people/people.ts";
import { LIMIT_RULES } from "../../src/core/settings.ts";
import { adminAccess, COMMAND_LINE } from "../../src/people/access.ts";
import { makeBatch } from "../harness/batches.ts";
import { makeAccount, makeKey, makeRecord, NOON, QUOTA, writeRecord } from "../harness/samples.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { makeMember } from "../people/samples.ts";
import { adminBench, wrongWith } from "./admin-world.ts";

const bench = adminBench();

interface Listed {
  readonly data: readonly object[];
  readonly next: string | null;
}

/** Reads all pages of one row each, and returns a field of each row. */
async function walk(read: (query: object) => Promise<Listed>, field: string, query: object) {
  const found: unknown[] = [];
  for (let after: string | null = ""; after !== null; ) {
    const page: Listed = await read({ limit: "1", ...query, ...(after ? { after } : {}) });
    found.push(...page.data.map((row) => Object.entries(row).find(([name]) => name === field)?.[1]));
    after = page.next;
  }
  return found.join(" ");
}

test("accounts and people go by the costs of the running month, and each page by the last", async () => {
  const { world } = bench();
  const bare = unrecorded(world.store);
  const before = Date.parse("2026-01-02T00:00:00Z");
  for (const [name, costNanoUsd, atMs] of [
    ["one", 300, NOON],
    ["two", 200, NOON],
    ["old", 900, before],
  ] as const) {
    await bare.addAccount(makeAccount(`acct_${name}`, { name }));
    await bare.changeMember(`usr_${name}`, () => makeMember(`usr_${name}`, { name }));
    const owner = { accountId: `acct_${name}`, memberId: `usr_${name}` };
    await bare.addKey(makeKey(`key_${name}`, owner), `digest of ${name}`);
    await writeRecord(world.store, makeRecord(name, { keyId: `key_${name}`, ...owner, costNanoUsd, atMs }));
  }
  const costs = readSortCosts({ clock: { nowMs: () => NOON }, dayRules: () => QUOTA });
  const accounts = (query: object) => listAccounts(world, readQuery(accountsQuery, query), undefined, costs);
  const parts = { ...world, keysExpireMs: () => null };
  const people = (query: object) => listMembers(parts, readQuery(membersQuery, query), EVERYTHING, costs);
  expect(await walk(accounts, "name", { sort: "cost" })).toBe("one two default old");
  expect(await walk(people, "name", { sort: "cost" })).toBe("one two old");
  expect(await walk(people, "name", { sort: "name", order: "desc" })).toBe("two one old");
  // Without a sort, the newest is first.
  expect(await walk(people, "name", {})).toBe(await walk(people, "name", { sort: "created" }));
  const { next: after } = await people({ limit: "1", sort: "cost" });
  for (const wrong of [{ after }, { sort: "name", after }, { sort: "cost", order: "asc", after }])
    expect(await wrongWith(() => people(wrong))).toBe("invalid_value after");
});

test("batches go by their lines", async () => {
  const { store, clock } = bench().world;
  for (const total of [7, 30, 4]) {
    const { counts } = makeBatch("any").detail;
    await store.batches.add(makeBatch(`batch_${total}`, {}, { counts: { ...counts, total } }), 9);
  }
  const parts = {
    store,
    clock,
    countRunning: () => 0,
    cancel: () => Promise.reject(new Error("nothing is cancelled")),
  };
  const read = (query: object) => listBatches(parts, readQuery(batchesQuery, query), EVERYTHING);
  expect(await walk(read, "id", { sort: "lines" })).toBe("batch_30 batch_7 batch_4");
  expect(await walk(read, "id", { sort: "lines", order: "asc" })).toBe("batch_4 batch_7 batch_30");
});

test("tools go by name, or by price, the cheapest first", async () => {
  const { store, clock } = bench().world;
  const tools = ["b 5", "c 1", "a 5", "d 9"].map((one) => {
    const [tool = "", price] = one.split(" ");
    const name = `desk_${tool}`;
    const shown = { name, fullName: name, server: "desk", tool, priceNanoUsd: Number(price) };
    return { ...shown, description: null, readDefinition: () => ({}) };
  });
  const directory = { listServers: async () => [], listTools: async () => tools };
  const parts = { store, clock, directory, limitRules: () => LIMIT_RULES };
  const read = (query: object) => listTools(parts, readQuery(toolsQuery, query));
  expect(await walk(read, "tool", {})).toBe("a b c d");
  const { next: after } = await read({ limit: "1", sort: "price" });
  expect(await wrongWith(() => read({ after }))).toBe("invalid_value after");
  expect(await walk(read, "tool", { sort: "price" })).toBe("c a b d");
  expect(await walk(read, "tool", { sort: "price", order: "desc" })).toBe("d b a c");
});

test("credentials go by their state or errors within their provider, those without a figure last", () => {
  const credential = (id: string, fields: Partial<CredentialHealth>): CredentialHealth => ({
    id,
    position: 1,
    last4: null,
    state: "active",
    reason: null,
    untilMs: null,
    calledAtMs: null,
    inFlight: 0,
    errorRate: null,
    weight: 1,
    priceFactor: 1,
    requestsPerMinute: null,
    tokensPerMinute: null,
    parallel: null,
    ...fields,
  });
  const vitals = { breaker: "closed", openFor: null, openPayers: [], errorRate: null } as const;
  const provider = {
    ...vitals,
    inFlight: 0,
    firstTokenMs: null,
    tokensPerSecond: null,
    name: "Acme",
    dialect: null,
    baseUrl: "",
    failingSinceMs: null,
    lastFailure: null,
    models: [],
    credentials: [
      credential("cred_idle", { state: "resting" }),
      credential("cred_good", { errorRate: 0.1 }),
      credential("cred_bad", { errorRate: 0.7, state: "retired" }),
    ],
  };
  const parts = { health: () => [provider], fillable: () => [], added: () => [], switchedOff: () => [] };
  const read = (query: object) =>
    listProviders(parts, readQuery(providersQuery, query), adminAccess(COMMAND_LINE))
      .data.flatMap(({ credentials }) => credentials)
      .map(({ id }) => id.replace("cred_", ""))
      .join(" ");
  expect(read({})).toBe("idle good bad");
  expect(read({ sort: "errors" })).toBe("bad good idle");
  expect(read({ sort: "errors", order: "asc" })).toBe("good bad idle");
  expect(read({ sort: "state" })).toBe("good idle bad");
});
