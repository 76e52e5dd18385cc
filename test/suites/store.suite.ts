// The tests of every store. A suite takes a function that opens one.
import { beforeEach, describe, expect, test } from "bun:test";
import type { Store } from "../../src/core/store.ts";
import { decide } from "../../src/ledger/decide.ts";
import {
  expectGrant,
  ledgerOn,
  makeAccount,
  makeAsk,
  makeKey,
  makeOutcome,
  makeRecord,
  NOON,
} from "../harness/samples.ts";
import { catchThrown, readCode } from "../harness/thrown.ts";
import { unrecorded } from "../harness/unrecorded.ts";
import { pauses } from "./engine/pauses.suite.ts";
import { keyUses, mixedRows, requestsOfKey } from "./keys/key-log.suite.ts";
import { logFilters, originFilters, requestIdFilters, socketFilters } from "./log/filters.suite.ts";
import { firstTokens, log, sums, usage, usageNarrowed } from "./log/log.suite.ts";
import { refusals, refusalsBounded, refusalsPruned } from "./log/refusals.suite.ts";
import { rowSums } from "./log/row-sums.suite.ts";
import { scopes } from "./log/scope.suite.ts";
import { type MakeBench, type TwoStores, twoStores } from "./two-stores.ts";

export function storeSuite(name: string, makeBench: MakeBench): void {
  describe(name, () => {
    const opened = twoStores(makeBench);
    const both: Both = () => [opened().store, opened().other];
    const store = () => opened().store;
    describe("keys", () => keys(both));
    describe("accounts and lists", () => accountsAndLists(both));
    describe("admission", () => admissions(both));
    describe("settlement", () => settlements(both));
    describe("the log", () => log(store));
    describe("filters of the log", () => logFilters(store));
    describe("filters by origin", () => originFilters(store));
    describe("filters by request id", () => requestIdFilters(store));
    describe("filters by WebSocket", () => socketFilters(store));
    describe("scopes", () => scopes(store));
    describe("the log of a key", () => requestsOfKey(store));
    describe("mixed rows of the log", () => mixedRows(store));
    describe("first tokens", () => firstTokens(store));
    describe("long work", () => pauses(store));
    describe("totals", () => sums(store));
    describe("usage", () => usage(store));
    describe("filters of usage", () => usageNarrowed(store));
    describe("sums of rows", () => rowSums(store));
    describe("refusals", () => refusals(both));
    describe("bounds of refusals", () => refusalsBounded(both));
    describe("pruned refusals", () => refusalsPruned(both));
    describe("use of keys", () => keyUses(store));
    describe("settings", () => settings(both));
    describe("life", () => life(opened));
  });
}

type Both = () => readonly [store: Store, other: Store];

function keys(stores: Both): void {
  test("a key is found by id and by digest, with all its fields, on every connection", async () => {
    const [store, other] = stores();
    const key = makeKey("key_a", {
      expiresAtMs: NOON,
      allowedModels: ["OpenAI#gpt-5.4", "Router#fair"],
      allowedTools: ["github_*", "!github_delete_*"],
      requestsPerDay: null,
      spendLimitNanoUsd: 12_345_678_901,
      keepsResponses: false,
      isPaused: true,
      notes: "Ask Ann\nbefore a change",
      allowedAddresses: ["10.0.0.0/8", "::1"],
      hooks: ["masks"],
    });
    await unrecorded(store).addKey(key, "digest a");
    await unrecorded(store).addKey(makeKey("key_b", { requestsPerDay: 0, allowedTools: [] }), "digest b");
    expect(await other.key("key_a")).toEqual(key);
    expect(await other.keyByDigest("digest a")).toEqual({ key, rotation: 0 });
    expect((await store.keyByDigest("digest b"))?.key).toEqual(
      makeKey("key_b", { requestsPerDay: 0, allowedTools: [] }),
    );
    expect(await store.keyByDigest("digest")).toBeNull();
    expect(await store.keyByDigest("' OR 1=1 --")).toBeNull();
  });

  test("a duplicate digest or an unknown account is refused, and the store continues", async () => {
    const [store] = stores();
    await unrecorded(store).addKey(makeKey("key_a"), "digest");
    expect(await catchThrown(unrecorded(store).addKey(makeKey("key_b"), "digest"))).toBeInstanceOf(Error);
    expect(
      await catchThrown(unrecorded(store).addKey(makeKey("key_c", { accountId: "none" }), "c")),
    ).toBeInstanceOf(Error);
    await unrecorded(store).addKey(makeKey("key_d"), "d");
    expect((await store.keys({ limit: 9, after: null })).map((key) => key.id)).toEqual(["key_d", "key_a"]);
  });

  test("a change touches only the fields given, and null is a value", async () => {
    const [store, other] = stores();
    const key = makeKey("key_a", { expiresAtMs: NOON, allowedModels: ["Sim#echo"], requestsPerDay: 5 });
    await unrecorded(store).addKey(key, "digest");
    expect(await unrecorded(other).changeKey("key_a", { name: "new" })).toEqual({ ...key, name: "new" });
    const opened = { ...key, name: "new", expiresAtMs: null, allowedModels: null, requestsPerDay: null };
    const change = { expiresAtMs: null, allowedModels: null, requestsPerDay: null };
    expect(await unrecorded(other).changeKey("key_a", change)).toEqual(opened);
    expect(await store.key("key_a")).toEqual(opened);
    expect(await unrecorded(store).changeKey("none", { name: "new" })).toBeNull();
  });

  test("a revocation keeps its first time", async () => {
    const [store] = stores();
    await unrecorded(store).addKey(makeKey("key_a"), "digest");
    expect(await unrecorded(store).revokeKey("key_a", NOON)).toMatchObject({ revokedAtMs: NOON });
    expect(await unrecorded(store).revokeKey("key_a", NOON + 1)).toMatchObject({ revokedAtMs: NOON });
    expect(await unrecorded(store).revokeKey("none", NOON)).toBeNull();
  });
}

function accountsAndLists(stores: Both): void {
  test("the default account always exists", async () => {
    const [store] = stores();
    expect(await store.account("default")).toMatchObject({
      id: "default",
      balanceNanoUsd: 0,
      heldNanoUsd: 0,
    });
    expect(await store.account("none")).toBeNull();
  });

  test("lists are in pages from the newest, even with equal times", async () => {
    const [store] = stores();
    for (const [index, createdAtMs] of [NOON, NOON, NOON + 1, NOON - 1].entries()) {
      await unrecorded(store).addAccount(makeAccount(`a${index}`, { createdAtMs }));
      await unrecorded(store).addKey(makeKey(`k${index}`, { createdAtMs }), `digest ${index}`);
    }
    const first = await store.keys({ limit: 2, after: null });
    expect(first.map((key) => key.id)).toEqual(["k2", "k1"]);
    const rest = await store.keys({ limit: 9, after: { atMs: NOON, id: "k1" } });
    expect(rest.map((key) => key.id)).toEqual(["k0", "k3"]);
    const accounts = await store.accounts({ limit: 9, after: { atMs: NOON + 1, id: "a2" } });
    const made = accounts.filter((account) => account.id !== "default");
    expect(made.map((account) => account.id)).toEqual(["a1", "a0", "a3"]);
  });

  test("an account can be renamed", async () => {
    const [store, other] = stores();
    await unrecorded(other).addAccount(makeAccount("acct", { name: "old" }));
    expect(await unrecorded(store).changeAccount("acct", { name: "new" })).toMatchObject({
      id: "acct",
      name: "new",
    });
    expect(await other.account("acct")).toMatchObject({ name: "new" });
    expect(await unrecorded(store).changeAccount("none", { name: "new" })).toBeNull();
  });
}

const key = makeKey("key_a");

function admissions(stores: Both): void {
  beforeEach(() => unrecorded(stores()[0]).addKey(key, "digest"));

  const admit = (store: Store, id: string) => {
    const ledger = ledgerOn(store);
    return expectGrant(ledger, ledger.ticket(makeAsk(id, key)));
  };

  test("exactly 200 of 1,000 are admitted over two connections at once", async () => {
    const [store, other] = stores();
    const results = await Promise.allSettled(
      Array.from({ length: 500 }).flatMap((_, index) => [
        admit(store, `mine ${index}`),
        admit(other, `theirs ${index}`),
      ]),
    );
    expect(results.filter(({ status }) => status === "fulfilled").length).toBe(200);
    expect((await ledgerOn(other).allowance(key)).used).toBe(200);
  });

  test("changes of another connection apply from the next admission on", async () => {
    const [store, other] = stores();
    await admit(store, "1");
    await unrecorded(other).changeKey(key.id, { requestsPerDay: 2 });
    await admit(other, "2");
    expect(readCode(await catchThrown(admit(store, "3")))).toBe("rate_limit_exceeded");
    await unrecorded(other).changeKey(key.id, { requestsPerDay: null });
    await admit(store, "4");
    await unrecorded(other).revokeKey(key.id, NOON);
    expect(readCode(await catchThrown(admit(store, "5")))).toBe("invalid_api_key");
  });

  test("a key found by its secret is admitted in its current state", async () => {
    const [store, other] = stores();
    await store.keyByDigest("digest");
    await unrecorded(other).changeKey(key.id, { requestsPerDay: 1 });
    await admit(store, "1");
    expect(readCode(await catchThrown(admit(store, "2")))).toBe("rate_limit_exceeded");
    await store.keyByDigest("digest");
    await unrecorded(store).changeKey(key.id, { requestsPerDay: null });
    await admit(store, "3");
    await store.keyByDigest("digest");
    await unrecorded(other).revokeKey(key.id, NOON);
    expect(readCode(await catchThrown(admit(store, "4")))).toBe("invalid_api_key");
  });

  test("changes of the same store apply immediately", async () => {
    const [store] = stores();
    await admit(store, "1");
    await unrecorded(store).changeKey(key.id, { requestsPerDay: 1 });
    expect(readCode(await catchThrown(admit(store, "2")))).toBe("rate_limit_exceeded");
    await unrecorded(store).revokeKey(key.id, NOON);
    expect(readCode(await catchThrown(admit(store, "3")))).toBe("invalid_api_key");
  });
}

function settlements(stores: Both): void {
  beforeEach(() => unrecorded(stores()[0]).addKey(key, "digest"));

  test("a settlement is written once, however often and by whichever node it is repeated", async () => {
    const [store, other] = stores();
    const mine = ledgerOn(store);
    const theirs = ledgerOn(other);
    const first = mine.ticket(makeAsk("1", key));
    const second = mine.ticket(makeAsk("2", key));
    await expectGrant(mine, first);
    await expectGrant(mine, second);
    const outcome = makeOutcome(first, {}, false);
    await Promise.all([mine, theirs, mine, theirs].map((ledger) => ledger.settle(first, outcome)));
    expect(await store.request("1")).toEqual(makeRecord("1"));
    expect((await mine.allowance(key)).used).toBe(1);
    const [sum] = await store.usage({ fromMs: 0, toMs: NOON + 1, groupBy: [] });
    expect(sum?.requests).toBe(1);
  });

  test("a record that can't be written fails alone", async () => {
    const [store] = stores();
    const ledger = ledgerOn(store);
    const ticketOf = (id: string) => ledger.ticket(makeAsk(id, key));
    const bad = ticketOf("bad");
    const good = ticketOf("good");
    await Promise.all([expectGrant(ledger, bad), expectGrant(ledger, good)]);
    const amounts = { ...makeRecord("").amounts, prompt: Number.NaN };
    const results = await Promise.allSettled([
      ledger.admit(ticketOf("1")),
      ledger.settle(bad, makeOutcome(bad, { amounts })),
      ledger.settle(good, makeOutcome(good)),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect((await ledger.allowance(key)).used).toBe(3);
    expect(await store.request("bad")).toBeNull();
    expect(await store.request("good")).not.toBeNull();
  });
}

function settings(stores: Both): void {
  test("a setting can be stored once, or replaced", async () => {
    const [store, other] = stores();
    expect(await store.setting("lessons_fitted")).toBeNull();
    const kept = await Promise.all([
      store.keepSetting("lessons_fitted", "a"),
      other.keepSetting("lessons_fitted", "b"),
    ]);
    expect(new Set(kept).size).toBe(1);
    await other.setSetting("lessons_fitted", "c");
    expect(await store.setting("lessons_fitted")).toBe("c");
    expect(await store.setting("master_key_check")).toBeNull();
  });

  test("concurrent changes to a setting are both kept", async () => {
    const [store, other] = stores();
    const longer = (value: string | null) => `${value ?? ""}x`;
    const both = [store, other, store, other, store, other];
    const values = await Promise.all(both.map((one) => one.changeSetting("wrong_admin_tokens", longer)));
    expect(values.sort()).toEqual(["x", "xx", "xxx", "xxxx", "xxxxx", "xxxxxx"]);
    expect(await other.setting("wrong_admin_tokens")).toBe("xxxxxx");
  });

  test("its size is known", async () => {
    const [store] = stores();
    const { parts, freeBytes } = await store.measure();
    expect(parts.database).toBeGreaterThan(0);
    expect(freeBytes === null || freeBytes > 0).toBe(true);
  });
}

function life(opened: () => TwoStores): void {
  test("it is ready until it is closed, and pending demands are still answered", async () => {
    const { bench, other } = opened();
    const store = await bench.open(decide);
    await store.beat();
    await store.ready();
    const ledger = ledgerOn(store);
    await unrecorded(store).addKey(key, "digest");
    const admitted = ledger.admit(ledger.ticket(makeAsk("last", key)));
    await store.close();
    expect((await admitted).kind).toBe("granted");
    expect(readCode(await catchThrown(store.ready()))).toBe("store_unavailable");
    expect(readCode(await catchThrown(ledger.admit(ledger.ticket(makeAsk("late", key)))))).toBe(
      "store_unavailable",
    );
    expect((await ledgerOn(other).allowance(key)).used).toBe(1);
  });
}
