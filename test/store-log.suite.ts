// What every store has to do with the request log and its sums, whatever its engine.
import { beforeEach, expect, test } from "bun:test";
import type { RequestRecord } from "../src/core/record.ts";
import type { UsageSum } from "../src/core/rows.ts";
import { type Store, USAGE_DIMENSIONS, type UsageDimension } from "../src/core/store.ts";
import { HOUR, NOON, recordOf, writeRecord } from "./samples.ts";

async function write(store: Store, ...records: readonly RequestRecord[]): Promise<void> {
  for (const record of records) await writeRecord(store, record);
}

export function log(store: () => Store): void {
  test("a row is kept with every field", async () => {
    const record = recordOf("full", {
      selector: "Router#fair",
      stream: true,
      faultCode: "upstream_error",
      status: 502,
    });
    await write(
      store(),
      record,
      recordOf("bare", { modelUsed: null, firstTokenMs: null, usageSource: "none" }),
    );
    expect(await store().request("full")).toEqual(record);
    expect(await store().request("bare")).toMatchObject({
      modelUsed: null,
      selector: null,
      firstTokenMs: null,
    });
    expect(await store().request("none")).toBeNull();
  });

  test("times that were measured finer are kept to the millisecond", async () => {
    await write(store(), recordOf("fine", { totalMs: 12.6, firstTokenMs: 1.2 }));
    expect(await store().request("fine")).toMatchObject({ totalMs: 13, firstTokenMs: 1 });
  });

  test("lists are narrowed by key, account, model and status, and paged", async () => {
    await write(
      store(),
      recordOf("1", { atMs: NOON + 1 }),
      recordOf("2", { atMs: NOON + 2, keyId: "key_b", status: 502 }),
      recordOf("3", { atMs: NOON + 3, keyId: "key_b", modelAsked: "Router#fair" }),
      recordOf("4", { atMs: NOON + 4, keyId: "key_c", accountId: "acct", modelUsed: "Sim#other" }),
    );
    const idsOf = async (filter: Parameters<Store["requests"]>[0], limit = 9, after = null) =>
      (await store().requests(filter, { limit, after })).map((record) => record.id);
    expect(await idsOf({})).toEqual(["4", "3", "2", "1"]);
    expect(await idsOf({ keyId: "key_b" })).toEqual(["3", "2"]);
    expect(await idsOf({ keyId: "key_b", status: 502 })).toEqual(["2"]);
    expect(await idsOf({ accountId: "acct" })).toEqual(["4"]);
    expect(await idsOf({ model: "Router#fair" })).toEqual(["3"]);
    expect(await idsOf({ model: "Sim#echo" }, 2)).toEqual(["4", "3"]);
    const after = { atMs: NOON + 3, id: "3" };
    expect((await store().requests({}, { limit: 1, after })).map(({ id }) => id)).toEqual(["2"]);
  });
}

export function sums(store: () => Store): void {
  test("charges add up from the hour that a moment falls into", async () => {
    await write(
      store(),
      recordOf("1", { chargedNanoUsd: 1, atMs: NOON - HOUR - 1 }),
      recordOf("2", { chargedNanoUsd: 10, atMs: NOON - 1 }),
      recordOf("3", { chargedNanoUsd: 100, atMs: NOON }),
      recordOf("4", { chargedNanoUsd: 1000, atMs: NOON + 1, modelUsed: "Sim#other" }),
      recordOf("5", { chargedNanoUsd: 10_000, keyId: "key_b" }),
    );
    await write(store(), recordOf("6", { chargedNanoUsd: 100_000 }));
    expect(await store().chargedSince("key_a", NOON)).toBe(101_100);
    expect(await store().chargedSince("key_a", NOON - 1)).toBe(101_110);
    expect(await store().chargedSince("key_a", 0)).toBe(101_111);
    expect(await store().chargedSince("key_d", 0)).toBe(0);
  });

  test("old rows are forgotten a few at a time, sums stay", async () => {
    const old = [1, 2, 3].map((at) => recordOf(`old${at}`, { atMs: NOON - at * HOUR, chargedNanoUsd: 5 }));
    await write(store(), ...old, recordOf("new", { atMs: NOON, chargedNanoUsd: 5 }));
    const before = { requestsMs: NOON, metersMs: NOON, repliesMs: NOON };
    expect(await store().prune(before, 2)).toBe(2);
    expect(await store().prune(before, 2)).toBe(1);
    expect((await store().requests({}, { limit: 10, after: null })).map(({ id }) => id)).toEqual(["new"]);
    expect(await store().chargedSince(recordOf("new").keyId, 0)).toBe(20);
  });
}

const tokens = { prompt: 1, completion: 2, cached: 3, cacheWrite: 4, reasoning: 5, searches: 6 };
const times = (count: number) =>
  Object.fromEntries(Object.entries(tokens).map(([kind, one]) => [kind, one * count]));
const between = { fromMs: NOON - HOUR, toMs: NOON + HOUR };

/** Hour by hour, two accounts, three keys, two models. */
export function usage(store: () => Store): void {
  beforeEach(async () => {
    const rows = [
      { atMs: NOON - HOUR - 1, chargedNanoUsd: 90_000 },
      { atMs: NOON - HOUR, chargedNanoUsd: 1 },
      { atMs: NOON - 1, chargedNanoUsd: 2, modelUsed: "Sim#other" },
      { atMs: NOON, chargedNanoUsd: 4, keyId: "key_b" },
      { atMs: NOON + HOUR - 1, chargedNanoUsd: 8, keyId: "key_c", accountId: "acct" },
      { atMs: NOON + 5, keyId: "key_c", accountId: "acct", modelUsed: "Sim#other", costNanoUsd: 16 },
      // No model answered it, so it is in no sum.
      { atMs: NOON + 6, modelUsed: null, costNanoUsd: 0 },
      { atMs: NOON + HOUR, chargedNanoUsd: 800_000 },
    ];
    for (const [index, row] of rows.entries())
      await writeRecord(store(), recordOf(`${index}`, { tokens, ...row }));
  });

  /** Each sum as its dimensions, the number of its requests and what they cost. */
  const inLine = ({ hourMs, accountId, keyId, model, requests, costNanoUsd }: UsageSum) => {
    const hour = hourMs === 0 ? "" : `${(hourMs - NOON) / HOUR}h`;
    return [hour, accountId, keyId, model, `${requests} for ${costNanoUsd}`].filter(Boolean).join(" ");
  };
  const linesBy = async (...groupBy: readonly UsageDimension[]) =>
    (await store().usage({ ...between, groupBy })).map(inLine).toSorted();

  test("adds up between two moments, by nothing or by any dimension", async () => {
    expect(await linesBy()).toEqual(["5 for 31"]);
    expect(await linesBy("hour")).toEqual(["-1h 2 for 3", "0h 3 for 28"].toSorted());
    expect(await linesBy("accountId")).toEqual(["acct 2 for 24", "default 3 for 7"]);
    expect(await linesBy("keyId")).toEqual(["key_a 2 for 3", "key_b 1 for 4", "key_c 2 for 24"]);
    expect(await linesBy("model")).toEqual(["Sim#echo 3 for 13", "Sim#other 2 for 18"]);
  });

  test("adds up by several dimensions, and by all of them", async () => {
    expect(await linesBy("model", "accountId")).toEqual([
      "acct Sim#echo 1 for 8",
      "acct Sim#other 1 for 16",
      "default Sim#echo 2 for 5",
      "default Sim#other 1 for 2",
    ]);
    expect(await linesBy(...USAGE_DIMENSIONS)).toEqual([
      "-1h default key_a Sim#echo 1 for 1",
      "-1h default key_a Sim#other 1 for 2",
      "0h acct key_c Sim#echo 1 for 8",
      "0h acct key_c Sim#other 1 for 16",
      "0h default key_b Sim#echo 1 for 4",
    ]);
  });

  test("holds tokens, cost and what was charged of it", async () => {
    const [all] = await store().usage({ ...between, groupBy: [] });
    expect(all).toMatchObject({ tokens: times(5), costNanoUsd: 31, chargedNanoUsd: 15 });
    const late = { fromMs: NOON + 2 * HOUR, toMs: NOON + 3 * HOUR };
    for (const sum of await store().usage({ ...late, groupBy: [] })) expect(sum.requests).toBe(0);
    expect(await store().usage({ ...late, groupBy: ["model"] })).toEqual([]);
  });
}
