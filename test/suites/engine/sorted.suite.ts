// The guarantees of every store for lists in a chosen order: the values of each column, pages, filters and scopes.
import { beforeEach, expect, test } from "bun:test";
import type { GatewayKey } from "../../../src/core/keys/key.ts";
import { EVERYTHING } from "../../../src/core/people/people.ts";
import type { SortCosts, SortedList, SortedLists, Store } from "../../../src/core/store.ts";
import type { SortOf } from "../../../src/core/things/sorts.ts";
import type { SortedPage, SortedPosition, SortedRow } from "../../../src/core/world/page.ts";
import { makeBatch } from "../../harness/batches.ts";
import { give, HOUR, makeAccount, makeKey, makeRecord, NOON, writeRecord } from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { makeMember } from "../../people/samples.ts";
import { makeSuite, type TwoStores } from "../two-stores.ts";

export const sortedSuite = makeSuite({ keys, accounts, people, batches });

type Opened = () => TwoStores;
const COSTS: SortCosts = { sinceMs: NOON - HOUR };

type Filter<List extends SortedList> = SortedLists[List]["filter"];

/** Reads pages of one row each. */
async function walk<List extends SortedList>(
  store: Store,
  list: List,
  { by, isDown = false }: { readonly by: SortOf<List>; readonly isDown?: boolean },
  filter: Filter<List>,
  costs = COSTS,
): Promise<string> {
  const ids: string[] = [];
  for (let after: SortedPosition | null = null; ; ) {
    const page: SortedPage<SortOf<List>> = { by, isDown, limit: 1, after };
    const found: readonly SortedRow<SortedLists[List]["row"]>[] = await store.things.sorted(list, page, {
      filter,
      costs,
    });
    const [first] = found;
    if (!first) return ids.join(" ");
    ids.push(first.row.id);
    after = { value: first.value, id: first.row.id };
  }
}

/** Expects the order of each column, upwards and downwards. */
function expectOrders<List extends SortedList>(
  opened: Opened,
  list: List,
  filter: Filter<List>,
  upwards: Readonly<Record<SortOf<List>, string>>,
): void {
  test("by each column, up and down, page by page", async () => {
    const { store } = opened();
    const found: Record<string, readonly string[]> = {};
    const columns = Object.keys(upwards).filter((by): by is SortOf<List> => by in upwards);
    for (const by of columns) {
      const ups = await walk(store, list, { by }, filter);
      found[by] = [ups, await walk(store, list, { by, isDown: true }, filter)];
    }
    const wanted = columns.map((by) => [by, [upwards[by], upwards[by].split(" ").toReversed().join(" ")]]);
    expect(found).toEqual(Object.fromEntries(wanted));
  });
}

function keys(opened: Opened): void {
  const key = (id: string, name: string, more: Partial<GatewayKey> = {}) => makeKey(id, { name, ...more });
  const KEYS = [
    key("k1", "beta", { createdAtMs: 3 }),
    key("k2", "Alpha", { createdAtMs: 1 }),
    key("k3", "beta", { createdAtMs: 2, expiresAtMs: NOON }),
    key("k4", "gamma", { createdAtMs: 4 }),
  ];
  const all = { nowMs: NOON };

  beforeEach(async () => {
    const { store } = opened();
    for (const one of KEYS) await unrecorded(store).addKey(one, `digest of ${one.id}`);
    const use = (id: string, keyId: string, atMs: number, costNanoUsd: number) =>
      writeRecord(store, makeRecord(id, { keyId, atMs, costNanoUsd, accountId: "default" }));
    await use("r1", "k1", NOON - 30 * HOUR, 9_000);
    await use("r2", "k2", NOON, 3_000);
    await use("r3", "k2", NOON + HOUR, 4_000);
    await use("r4", "k3", NOON - 1, 5_000);
    await unrecorded(store).changeKey("k2", { isPaused: true });
    await unrecorded(store).revokeKey("k4", NOON);
  });

  expectOrders(opened, "keys", all, {
    name: "k2 k1 k3 k4",
    created: "k2 k3 k1 k4",
    cost: "k1 k4 k3 k2",
    used: "k4 k1 k3 k2",
    state: "k1 k2 k3 k4",
  });

  test("are filtered, and a page goes on after a key that has moved", async () => {
    const { store } = opened();
    const isDown = true;
    expect(await walk(store, "keys", { by: "cost", isDown }, { ...all, text: "beta" })).toBe("k3 k1");
    const nothing = { accountIds: [], personal: null };
    expect(await walk(store, "keys", { by: "name" }, { ...all, scope: nothing })).toBe("");
    const first = { by: "name", isDown: false, limit: 2, after: null } as const;
    const [, last] = await store.things.sorted("keys", first, { filter: all });
    await unrecorded(store).changeKey("k1", { name: "zeta" });
    const after = { value: last?.value ?? "", id: last?.row.id ?? "" };
    const rest = await store.things.sorted("keys", { ...first, limit: 9, after }, { filter: all });
    expect(rest.map(({ row }) => row.id)).toEqual(["k3", "k4", "k1"]);
  });
}

/** Writes a request of a new key that a person, or nobody, has in the account. */
async function spend(
  store: Store,
  { accountId, memberId = null, costNanoUsd, atMs = NOON }: Spending,
): Promise<void> {
  const keyId = `key ${crypto.randomUUID()}`;
  await unrecorded(store).addKey(makeKey(keyId, { accountId, memberId }), `digest of ${keyId}`);
  await writeRecord(
    store,
    makeRecord(crypto.randomUUID(), { keyId, accountId, memberId, costNanoUsd, atMs }),
  );
}

interface Spending {
  readonly accountId: string;
  readonly memberId?: string | null;
  readonly costNanoUsd: number;
  readonly atMs?: number;
}

function accounts(opened: Opened): void {
  beforeEach(async () => {
    const { store } = opened();
    const bare = unrecorded(store);
    await bare.addAccount(makeAccount("a1", { name: "beta", createdAtMs: 2 }));
    await bare.addAccount(makeAccount("a2", { name: "Alpha", createdAtMs: 3 }));
    await bare.addAccount(makeAccount("a3", { name: "gamma", createdAtMs: 1 }));
    await give(store, "a1", 5);
    await give(store, "a2", 7);
    await spend(store, { accountId: "a1", costNanoUsd: 100 });
    await spend(store, { accountId: "a1", costNanoUsd: 200 });
    await spend(store, { accountId: "a2", costNanoUsd: 9_000, atMs: NOON - 30 * HOUR });
    await spend(store, { accountId: "a3", costNanoUsd: 250 });
    await bare.changeAccount("a2", { isPaused: true });
  });
  const scope = { accountIds: ["a1", "a2", "a3"], personal: null };

  expectOrders(
    opened,
    "accounts",
    { scope },
    {
      name: "a2 a1 a3",
      created: "a3 a1 a2",
      cost: "a2 a3 a1",
      balance: "a3 a1 a2",
      state: "a1 a3 a2",
    },
  );

  test("are sorted by the costs alone that are seen, and only those within the scope are listed", async () => {
    const { store } = opened();
    const order = { by: "cost", isDown: true } as const;
    const of = (accountIds: readonly string[]) => ({ accountIds, personal: null });
    const seen = { ...COSTS, scope: of(["a3"]) };
    expect(await walk(store, "accounts", order, { scope }, seen)).toBe("a3 a2 a1");
    expect(await walk(store, "accounts", order, { scope: of(["a1", "a3"]) })).toBe("a1 a3");
  });
}

function people(opened: Opened): void {
  const RULES = [{ role: "member", accountId: "a1" }] as const;
  const doubt = { sinceMs: 50, actsUntilMs: 60, keysUntilMs: 60 };
  beforeEach(async () => {
    const { store } = opened();
    const bare = unrecorded(store);
    for (const id of ["a1", "a2"]) await bare.addAccount(makeAccount(id));
    const known = { ruleGrants: RULES, seenAtMs: 10 };
    const members = [
      makeMember("m1", { ...known, name: "beta", createdAtMs: 2, isDisabled: true, doubt }),
      makeMember("m2", { ...known, name: "Alpha", createdAtMs: 3, doubt, seenAtMs: 20 }),
      makeMember("m3", { ...known, name: "gamma", createdAtMs: 1 }),
      makeMember("m4", { seenAtMs: 30, name: "delta", createdAtMs: 4 }),
    ];
    for (const member of members) await bare.changeMember(member.id, () => member);
    await spend(store, { accountId: "a1", memberId: "m1", costNanoUsd: 100 });
    await spend(store, { accountId: "a2", memberId: "m2", costNanoUsd: 500 });
    await spend(store, { accountId: "a1", memberId: "m3", costNanoUsd: 9_000, atMs: NOON - 30 * HOUR });
    await spend(store, { accountId: "a1", costNanoUsd: 700 });
  });

  expectOrders(
    opened,
    "members",
    { scope: EVERYTHING },
    {
      name: "m2 m1 m4 m3",
      created: "m3 m1 m2 m4",
      cost: "m3 m4 m1 m2",
      seen: "m1 m3 m2 m4",
      state: "m3 m2 m4 m1",
    },
  );

  test("are sorted by the costs alone that are seen, and only those within the scope are listed", async () => {
    const { store } = opened();
    const order = { by: "cost", isDown: true } as const;
    const scope = { accountIds: ["a1"], personal: null };
    expect(await walk(store, "members", order, { scope: EVERYTHING }, { ...COSTS, scope })).toBe(
      "m1 m4 m3 m2",
    );
    const own = { accountIds: [], personal: { memberId: "m2", accountIds: null } };
    expect(await walk(store, "members", order, {}, { ...COSTS, scope: own })).toBe("m2 m4 m3 m1");
    expect(await walk(store, "members", order, { scope })).toBe("m2 m1 m3");
  });
}

function batches(opened: Opened): void {
  beforeEach(async () => {
    const { store } = opened();
    const add = (id: string, fields: Parameters<typeof makeBatch>[1], total: number, costNanoUsd: number) => {
      const made = makeBatch(id, fields);
      const { counts, sums } = made.detail;
      const detail = { counts: { ...counts, total }, sums: { ...sums, costNanoUsd } };
      return store.batches.add(makeBatch(id, fields, detail), 9);
    };
    await add("b1", { createdAtMs: 2, status: "completed" }, 30, 8);
    await add("b2", { createdAtMs: 3, status: "in_progress" }, 4, 20_000_000_000);
    await add("b3", { createdAtMs: 1, status: "validating", keyId: "key_b" }, 100, 0);
  });

  expectOrders(
    opened,
    "batches",
    {},
    {
      created: "b3 b1 b2",
      status: "b3 b2 b1",
      lines: "b2 b1 b3",
      cost: "b3 b1 b2",
    },
  );

  test("are filtered", async () => {
    const { store } = opened();
    expect(await walk(store, "batches", { by: "lines" }, { keyId: "key_a" })).toBe("b2 b1");
  });
}
