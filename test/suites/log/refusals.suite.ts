// Refusals in the store: rows that all processes count in, their bounds, and how they are found, on every engine.
import { expect, test } from "bun:test";
import {
  MANY,
  REFUSALS_A_MINUTE_MAX,
  type RefusalCount,
  type RefusalFilter,
} from "../../../src/core/log/refusal-log.ts";
import type { UsageSum } from "../../../src/core/log/usage-sum.ts";
import { NO_AMOUNTS } from "../../../src/core/money/units.ts";
import type { Store } from "../../../src/core/store.ts";
import { HOUR, makeKey, NOON } from "../../harness/samples.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { makeRefusal } from "../../http/refusal-samples.ts";

const everything = { limit: 20_000, after: null };

function add(store: Store, ...counts: readonly RefusalCount[]): Promise<void> {
  return store.refusals.add({ counts, sums: [] });
}

async function list(store: Store, filter: RefusalFilter = {}): Promise<readonly RefusalCount[]> {
  return (await store.refusals.list(filter, everything, Number.POSITIVE_INFINITY)).rows;
}

type Both = () => readonly [store: Store, other: Store];

export function refusals(stores: Both): void {
  test("a row is stored with every field, and processes count in the same one", async () => {
    const [store, other] = stores();
    const limit: RefusalCount["limit"] = {
      scope: "key",
      per: "day",
      name: "ci",
      kind: "budget",
      models: ["Sim#*"],
      limit: 5,
      used: 5,
      reserved: 0,
      resetsAtMs: NOON + HOUR,
    };
    const first = makeRefusal("1", { limit, resetAtMs: NOON + HOUR, count: 3 });
    await add(store, first);
    expect(await list(other)).toEqual([first]);
    const later = makeRefusal("1", { atMs: NOON + 5, address: "192.0.2.2", count: 4 });
    await add(other, later);
    await add(store, makeRefusal("1", { atMs: NOON + 1, address: "192.0.2.3" }));
    expect(await list(store)).toEqual([{ ...later, count: 8 }]);
  });

  test("rows can be filtered and paged, newest first", async () => {
    const [store] = stores();
    const unknown = { keyId: null, accountId: "", last4: "zzzz", shape: "a placeholder" } as const;
    await add(
      store,
      makeRefusal("1"),
      makeRefusal("2", { atMs: NOON + 1, keyId: "key_b", modelAsked: "No#such", code: "model_not_found" }),
      makeRefusal("3", { atMs: NOON + 2, ...unknown, code: "invalid_api_key", address: "192.0.2.9" }),
    );
    const idsOf = async (filter: RefusalFilter) => (await list(store, filter)).map(({ id }) => id).join(" ");
    expect(await idsOf({})).toBe("3 2 1");
    expect(await idsOf({ keyId: "key_a" })).toBe("1");
    expect(await idsOf({ accountId: "default" })).toBe("2 1");
    expect(await idsOf({ model: "No#such" })).toBe("2");
    expect(await idsOf({ code: "invalid_api_key" })).toBe("3");
    expect(await idsOf({ address: "192.0.2.9" })).toBe("3");
    expect(await idsOf({ fromMs: NOON + 1, toMs: NOON + 2 })).toBe("2");
    await unrecorded(store).addKey(makeKey("key_b", { memberId: "mem_ada" }), "digest of b");
    expect(await idsOf({ memberId: "mem_ada" })).toBe("2");
    expect(await idsOf({ memberId: "mem_bob" })).toBe("");
    const after = { atMs: NOON + 2, id: "3" };
    expect((await store.refusals.list({}, { limit: 1, after }, 1000)).rows.map(({ id }) => id)).toEqual([
      "2",
    ]);
  });
}

export function refusalsBounded(stores: Both): void {
  test("a minute has at most 10,000 rows; beyond them, each code has one", async () => {
    const [store, other] = stores();
    const many = Array.from({ length: REFUSALS_A_MINUTE_MAX + 5 }, (_, at) => makeRefusal(`row${at}`));
    await add(store, ...many);
    await add(other, makeRefusal("late", { count: 7 }), makeRefusal("later", { code: "budget_exceeded" }));
    const rows = await list(store);
    expect(rows.filter(({ modelAsked }) => modelAsked !== MANY).length).toBe(REFUSALS_A_MINUTE_MAX);
    const shared = rows.filter(({ modelAsked }) => modelAsked === MANY);
    expect(shared.map(({ code, count, keyId }) => `${code} ${count} ${keyId}`).toSorted()).toEqual([
      "budget_exceeded 1 null",
      "rate_limit_exceeded 12 null",
    ]);
    // The next minute has room again.
    await add(store, makeRefusal("next", { atMs: NOON + 60_000 }));
    expect((await list(store, { fromMs: NOON + 60_000 })).map(({ id }) => id)).toEqual(["next"]);
  });

  test("refused requests count in the usage of their key, under the model and its provider", async () => {
    const [store, other] = stores();
    const sum: UsageSum = {
      hourMs: NOON,
      accountId: "default",
      keyId: "key_a",
      model: "Sim#echo",
      provider: "Sim",
      member: "",
      tag: "",
      operation: "chat",
      surface: "openai-chat",
      outcome: "refused",
      requests: 2,
      errors: 2,
      amounts: NO_AMOUNTS,
      costNanoUsd: 0,
      chargedNanoUsd: 0,
      cached: 0,
      savedNanoUsd: 0,
      markupNanoUsd: 0,
    };
    await store.refusals.add({ counts: [], sums: [sum] });
    await other.refusals.add({ counts: [], sums: [{ ...sum, requests: 3, errors: 3 }] });
    const groupBy = ["keyId", "provider", "outcome"] as const;
    const [found] = await store.usage({ fromMs: NOON, toMs: NOON + HOUR, groupBy });
    expect(found).toMatchObject({
      keyId: "key_a",
      provider: "Sim",
      outcome: "refused",
      requests: 5,
      errors: 5,
    });
  });
}

export function refusalsPruned(stores: Both): void {
  test("old rows are deleted", async () => {
    const [store] = stores();
    await add(
      store,
      makeRefusal("1", { atMs: NOON - 2 }),
      makeRefusal("2", { atMs: NOON - 1 }),
      makeRefusal("3"),
    );
    expect(await store.refusals.prune(NOON, 9, 1)).toBe(1);
    expect(await store.refusals.prune(NOON, 9, 9)).toBe(1);
    expect((await list(store)).map(({ id }) => id)).toEqual(["3"]);
  });

  test("the oldest are deleted beyond the most that are kept, however many those are", async () => {
    const [store, other] = stores();
    const many = Array.from({ length: 2500 }, (_, at) =>
      makeRefusal(`${at}`, { atMs: NOON + Math.floor(at / 2) }),
    );
    await add(store, ...many);
    expect(await store.refusals.prune(0, 2500, 100)).toBe(0);
    expect(await store.refusals.prune(0, 2490, 3)).toBe(3);
    expect(await other.refusals.prune(0, 2490, 100)).toBe(7);
    expect(await other.refusals.prune(0, 2490, 100)).toBe(0);
    // Of two with one time, both go.
    expect(await store.refusals.prune(0, 1999, 1000)).toBe(492);
    const rows = await list(store);
    expect([rows.length, rows.at(-1)?.atMs]).toEqual([1998, NOON + 251]);
  });
}
