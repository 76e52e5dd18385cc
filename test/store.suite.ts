// What every store has to do, whatever its engine: the suite takes a way to open one.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Fault } from "../src/core/fault.ts";
import type { Decide, Store } from "../src/core/store.ts";
import { decide } from "../src/ledger/decide.ts";
import { keyOf, ledgerOn, NOON, recordOf } from "./samples.ts";
import { log, sums } from "./store-log.suite.ts";

/** One empty database, and ways into it. */
export interface StoreBench {
  /** Opens it once more: each store has a connection of its own, as another process would. */
  open(decide: Decide): Promise<Store>;
  dispose(): void;
}

export async function thrownBy(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  return undefined;
}

export function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Fault ? thrown.code : undefined;
}

export function storeSuite(name: string, makeBench: () => StoreBench): void {
  let bench: StoreBench;
  let store: Store;
  let other: Store;

  beforeEach(async () => {
    bench = makeBench();
    store = await bench.open(decide);
    other = await bench.open(decide);
  });
  afterEach(async () => {
    await store.close();
    await other.close();
    bench.dispose();
  });

  const both: Both = () => [store, other];
  describe(`${name}: keys`, () => keys(both));
  describe(`${name}: accounts and lists`, () => accountsAndLists(both));
  describe(`${name}: admission`, () => admissions(both));
  describe(`${name}: settlement`, () => settlements(both));
  describe(`${name}: the log`, () => log(() => store));
  describe(`${name}: sums`, () => sums(() => store));
  describe(`${name}: settings and life`, () => settingsAndLife(both));
}

type Both = () => readonly [store: Store, other: Store];

function keys(stores: Both): void {
  test("a key is found by id and by digest, with all its fields, by everybody", async () => {
    const [store, other] = stores();
    const key = keyOf("key_a", {
      expiresAtMs: NOON,
      allowedModels: ["OpenAI#gpt-5.4", "Router#fair"],
      requestsPerDay: null,
      spendLimitNanoUsd: 12_345_678_901,
    });
    await store.addKey(key, "digest a");
    await store.addKey(keyOf("key_b", { requestsPerDay: 0 }), "digest b");
    expect(await other.key("key_a")).toEqual(key);
    expect(await other.keyByDigest("digest a")).toEqual(key);
    expect(await store.keyByDigest("digest b")).toEqual(keyOf("key_b", { requestsPerDay: 0 }));
    expect(await store.keyByDigest("digest")).toBeNull();
    expect(await store.keyByDigest("' OR 1=1 --")).toBeNull();
  });

  test("neither a digest twice nor a key of no account is taken, and the store goes on", async () => {
    const [store] = stores();
    await store.addKey(keyOf("key_a"), "digest");
    expect(await thrownBy(store.addKey(keyOf("key_b"), "digest"))).toBeInstanceOf(Error);
    expect(await thrownBy(store.addKey(keyOf("key_c", { accountId: "none" }), "c"))).toBeInstanceOf(Error);
    await store.addKey(keyOf("key_d"), "d");
    expect((await store.keys({ limit: 9, after: null })).map((key) => key.id)).toEqual(["key_d", "key_a"]);
  });

  test("a change touches the fields given, and null is a value", async () => {
    const [store, other] = stores();
    const key = keyOf("key_a", { expiresAtMs: NOON, allowedModels: ["Sim#echo"], requestsPerDay: 5 });
    await store.addKey(key, "digest");
    expect(await other.changeKey("key_a", { name: "new" })).toEqual({ ...key, name: "new" });
    const opened = { ...key, name: "new", expiresAtMs: null, allowedModels: null, requestsPerDay: null };
    const change = { expiresAtMs: null, allowedModels: null, requestsPerDay: null };
    expect(await other.changeKey("key_a", change)).toEqual(opened);
    expect(await store.key("key_a")).toEqual(opened);
    expect(await store.changeKey("none", { name: "new" })).toBeNull();
  });

  test("a revocation keeps its first moment", async () => {
    const [store] = stores();
    await store.addKey(keyOf("key_a"), "digest");
    expect(await store.revokeKey("key_a", NOON)).toMatchObject({ revokedAtMs: NOON });
    expect(await store.revokeKey("key_a", NOON + 1)).toMatchObject({ revokedAtMs: NOON });
    expect(await store.revokeKey("none", NOON)).toBeNull();
  });
}

function accountsAndLists(stores: Both): void {
  test("the default account is always there", async () => {
    const [store] = stores();
    expect(await store.account("default")).toMatchObject({
      id: "default",
      balanceNanoUsd: 0,
      heldNanoUsd: 0,
    });
    expect(await store.account("none")).toBeNull();
  });

  test("lists run from the newest, page by page, equal moments included", async () => {
    const [store] = stores();
    for (const [index, createdAtMs] of [NOON, NOON, NOON + 1, NOON - 1].entries()) {
      await store.addAccount({ id: `a${index}`, name: "a", balanceNanoUsd: 0, heldNanoUsd: 0, createdAtMs });
      await store.addKey(keyOf(`k${index}`, { createdAtMs }), `digest ${index}`);
    }
    const first = await store.keys({ limit: 2, after: null });
    expect(first.map((key) => key.id)).toEqual(["k2", "k1"]);
    const rest = await store.keys({ limit: 9, after: { atMs: NOON, id: "k1" } });
    expect(rest.map((key) => key.id)).toEqual(["k0", "k3"]);
    const accounts = await store.accounts({ limit: 9, after: { atMs: NOON + 1, id: "a2" } });
    const made = accounts.filter((account) => account.id !== "default");
    expect(made.map((account) => account.id)).toEqual(["a1", "a0", "a3"]);
  });

  test("an account is renamed", async () => {
    const [store, other] = stores();
    await other.addAccount({ id: "acct", name: "old", balanceNanoUsd: 0, heldNanoUsd: 0, createdAtMs: NOON });
    expect(await store.renameAccount("acct", "new")).toMatchObject({ id: "acct", name: "new" });
    expect(await other.account("acct")).toMatchObject({ name: "new" });
    expect(await store.renameAccount("none", "new")).toBeNull();
  });
}

const key = keyOf("key_a");

function admissions(stores: Both): void {
  beforeEach(() => stores()[0].addKey(key, "digest"));

  test("exactly 200 of 1,000 pass over two connections at once", async () => {
    const ledgers = stores().map(ledgerOn);
    const results = await Promise.allSettled(
      Array.from({ length: 500 }).flatMap((_, index) =>
        ledgers.map((ledger, node) => ledger.admit({ id: `${node} ${index}`, key })),
      ),
    );
    expect(results.filter(({ status }) => status === "fulfilled").length).toBe(200);
    expect((await ledgerOn(stores()[1]).allowance(key)).used).toBe(200);
  });

  test("what another connection changes counts from the next admission on", async () => {
    const [store, other] = stores();
    const ledger = ledgerOn(store);
    await ledger.admit({ id: "1", key });
    await other.changeKey(key.id, { requestsPerDay: 2 });
    await ledgerOn(other).admit({ id: "2", key });
    expect(codeOf(await thrownBy(ledger.admit({ id: "3", key })))).toBe("rate_limit_exceeded");
    await other.changeKey(key.id, { requestsPerDay: null });
    await ledger.admit({ id: "4", key });
    await other.revokeKey(key.id, NOON);
    expect(codeOf(await thrownBy(ledger.admit({ id: "5", key })))).toBe("invalid_api_key");
  });

  test("what the same store changes counts at once", async () => {
    const [store] = stores();
    const ledger = ledgerOn(store);
    await ledger.admit({ id: "1", key });
    await store.changeKey(key.id, { requestsPerDay: 1 });
    expect(codeOf(await thrownBy(ledger.admit({ id: "2", key })))).toBe("rate_limit_exceeded");
    await store.revokeKey(key.id, NOON);
    expect(codeOf(await thrownBy(ledger.admit({ id: "3", key })))).toBe("invalid_api_key");
  });
}

function settlements(stores: Both): void {
  beforeEach(() => stores()[0].addKey(key, "digest"));

  test("a settlement is written once, however often and by whomever it is repeated", async () => {
    const [store, other] = stores();
    const ledgers = [ledgerOn(store), ledgerOn(other)];
    const [mine] = ledgers;
    if (!mine) throw new Error("no ledger");
    const first = await mine.admit({ id: "1", key });
    await mine.admit({ id: "2", key });
    const record = recordOf("1", { chargedNanoUsd: 700 });
    await Promise.all(
      [...ledgers, ...ledgers].map((ledger) => ledger.settle(first, { counted: false, record })),
    );
    expect(await store.request("1")).toEqual(record);
    expect((await mine.allowance(key)).used).toBe(1);
    expect(await store.chargedSince("key_a", 0)).toBe(700);
  });

  test("a record that can't be written fails alone", async () => {
    const [store] = stores();
    const ledger = ledgerOn(store);
    const tokens = { ...recordOf("").tokens, prompt: Number.NaN };
    const results = await Promise.allSettled([
      ledger.admit({ id: "1", key }),
      ledger.record(recordOf("bad", { tokens })),
      ledger.record(recordOf("good")),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect((await ledger.allowance(key)).used).toBe(1);
    expect(await store.request("bad")).toBeNull();
    expect(await store.request("good")).not.toBeNull();
  });
}

function settingsAndLife(stores: Both): void {
  test("a setting is kept once and set at will", async () => {
    const [store, other] = stores();
    expect(await store.setting("admin_token_digest")).toBeNull();
    const kept = await Promise.all([
      store.keepSetting("admin_token_digest", "a"),
      other.keepSetting("admin_token_digest", "b"),
    ]);
    expect(new Set(kept).size).toBe(1);
    await other.setSetting("admin_token_digest", "c");
    expect(await store.setting("admin_token_digest")).toBe("c");
    expect(await store.setting("master_key_check")).toBeNull();
  });

  test("it is ready until it is closed, and what was demanded before is still answered", async () => {
    const [store, other] = stores();
    await store.ready();
    const written = ledgerOn(store).record(recordOf("last"));
    await store.close();
    await written;
    expect(codeOf(await thrownBy(store.ready()))).toBe("store_unavailable");
    expect(codeOf(await thrownBy(ledgerOn(store).record(recordOf("late"))))).toBe("store_unavailable");
    expect(await other.request("last")).not.toBeNull();
  });
}
