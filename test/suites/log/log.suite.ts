// The request log and its sums, on every store.

import { beforeEach, expect, test } from "bun:test";
import type { UsageDimension, UsageFilter, UsageQuery } from "../../../src/core/log/log-query.ts";
import type { RequestRecord } from "../../../src/core/log/record.ts";
import type { UsageSum } from "../../../src/core/log/usage-sum.ts";
import { NO_AMOUNTS } from "../../../src/core/money/units.ts";
import type { Store } from "../../../src/core/store.ts";
import { findBucket } from "../../../src/core/world/histogram.ts";
import { HOUR, makeKey, makeRecord, NOON, writeRecord } from "../../harness/samples.ts";

export async function write(store: Store, ...records: readonly RequestRecord[]): Promise<void> {
  for (const record of records) await writeRecord(store, record);
}

export function log(store: () => Store): void {
  test("a row is stored with every field", async () => {
    const record = makeRecord("full", {
      selector: "Router#fair",
      stream: true,
      trace: '{"attempts":[]}',
      modelTried: "Sim#tried",
      faultCode: "upstream_error",
      status: 502,
    });
    await write(
      store(),
      record,
      makeRecord("bare", { modelUsed: null, firstTokenMs: null, usageSource: "none" }),
    );
    expect(await store().request("full")).toEqual(record);
    expect(await store().request("bare")).toMatchObject({
      modelUsed: null,
      selector: null,
      firstTokenMs: null,
    });
    expect(await store().request("none")).toBeNull();
  });

  test("times are stored to the millisecond", async () => {
    await write(store(), makeRecord("fine", { totalMs: 12.6, firstTokenMs: 1.2 }));
    expect(await store().request("fine")).toMatchObject({ totalMs: 13, firstTokenMs: 1 });
  });

  test("lists can be filtered by key, account, surface, model and status, and paged", async () => {
    await write(
      store(),
      makeRecord("1", { atMs: NOON + 1, surface: "gemini" }),
      makeRecord("2", { atMs: NOON + 2, keyId: "key_b", status: 502 }),
      makeRecord("3", { atMs: NOON + 3, keyId: "key_b", modelAsked: "Router#fair" }),
      makeRecord("4", { atMs: NOON + 4, keyId: "key_c", accountId: "acct", modelUsed: "Sim#other" }),
    );
    const idsOf = async (filter: Parameters<Store["requests"]>[0], limit = 9, after = null) =>
      (await store().requests(filter, { limit, after })).map((record) => record.id);
    expect(await idsOf({})).toEqual(["4", "3", "2", "1"]);
    expect(await idsOf({ keyId: "key_b" })).toEqual(["3", "2"]);
    expect(await idsOf({ keyId: "key_b", status: 502 })).toEqual(["2"]);
    expect(await idsOf({ accountId: "acct" })).toEqual(["4"]);
    expect(await idsOf({ model: "Router#fair" })).toEqual(["3"]);
    expect(await idsOf({ surface: "gemini" })).toEqual(["1"]);
    expect(await idsOf({ operation: "chat", surface: "openai-chat" })).toEqual(["4", "3", "2"]);
    expect(await idsOf({ operation: "embeddings" })).toEqual([]);
    expect(await idsOf({ model: "Sim#echo" }, 2)).toEqual(["4", "3"]);
    const after = { atMs: NOON + 3, id: "3" };
    expect((await store().requests({}, { limit: 1, after })).map(({ id }) => id)).toEqual(["2"]);
  });
}

export function sums(store: () => Store): void {
  test("charges are summed from the start of the hour", async () => {
    await write(
      store(),
      makeRecord("1", { chargedNanoUsd: 1, atMs: NOON - HOUR - 1 }),
      makeRecord("2", { chargedNanoUsd: 10, atMs: NOON - 1 }),
      makeRecord("3", { chargedNanoUsd: 100, atMs: NOON }),
      makeRecord("4", { chargedNanoUsd: 1000, atMs: NOON + 1, modelUsed: "Sim#other" }),
      makeRecord("5", { chargedNanoUsd: 10_000, keyId: "key_b" }),
    );
    await write(store(), makeRecord("6", { chargedNanoUsd: 100_000 }));
    expect((await store().spentSince(makeKey("key_a"), NOON)).chargedNanoUsd).toBe(101_100);
    expect((await store().spentSince(makeKey("key_a"), NOON - 1)).chargedNanoUsd).toBe(101_110);
    expect((await store().spentSince(makeKey("key_a"), 0)).chargedNanoUsd).toBe(101_111);
    expect((await store().spentSince(makeKey("key_d"), 0)).chargedNanoUsd).toBe(0);
  });

  test("old rows are deleted in batches, and totals stay", async () => {
    const old = [1, 2, 3].map((at) => makeRecord(`old${at}`, { atMs: NOON - at * HOUR, chargedNanoUsd: 5 }));
    await write(store(), ...old, makeRecord("new", { atMs: NOON, chargedNanoUsd: 5 }));
    const before = { requestsMs: NOON, metersMs: NOON, repliesMs: NOON };
    expect(await store().prune(before, 2)).toBe(2);
    expect(await store().prune(before, 2)).toBe(1);
    expect((await store().requests({}, { limit: 10, after: null })).map(({ id }) => id)).toEqual(["new"]);
    expect((await store().spentSince(makeKey(makeRecord("new").keyId), 0)).chargedNanoUsd).toBe(20);
  });
}

/** Streamed and whole answers, in two hours. */
export function firstTokens(store: () => Store): void {
  test("times to first token are counted by bucket, for streamed answers only", async () => {
    const streamed = { stream: true, totalMs: 5000 };
    await write(
      store(),
      makeRecord("1", { ...streamed, firstTokenMs: 100 }),
      makeRecord("2", { ...streamed, firstTokenMs: 101 }),
      makeRecord("3", { ...streamed, firstTokenMs: 4000, atMs: NOON + HOUR }),
      makeRecord("4", { ...streamed, firstTokenMs: 100, keyId: "key_b", modelUsed: "Sim#other" }),
      makeRecord("5", { ...streamed, firstTokenMs: null }),
      makeRecord("6", { firstTokenMs: 100 }),
    );
    const fast = findBucket(100);
    const slow = findBucket(4000);
    expect(findBucket(101)).toBe(fast);
    const span = { fromMs: NOON, toMs: NOON + 2 * HOUR };
    const counts = async (query: Partial<UsageQuery>) =>
      (await store().firstTokens({ ...span, groupBy: [], ...query })).map(
        ({ hourMs, keyId, model, bucket, requests }) =>
          [hourMs && (hourMs - NOON) / HOUR + 1, keyId, model, bucket, requests].filter(Boolean).join(" "),
      );
    expect(await counts({})).toEqual([`${fast} 3`, `${slow} 1`]);
    expect(await counts({ groupBy: ["hour"] })).toEqual([`1 ${fast} 3`, `2 ${slow} 1`]);
    expect(await counts({ groupBy: ["keyId", "model"] })).toEqual([
      `key_a Sim#echo ${fast} 2`,
      `key_a Sim#echo ${slow} 1`,
      `key_b Sim#other ${fast} 1`,
    ]);
    expect(await counts({ toMs: NOON + HOUR, only: { keyId: "key_a" } })).toEqual([`${fast} 2`]);
  });
}

const amounts = {
  ...NO_AMOUNTS,
  prompt: 1,
  completion: 2,
  cached: 3,
  cacheWrite: 4,
  reasoning: 5,
  searches: 6,
  images: 7,
  seconds: 8,
  characters: 9,
  searchUnits: 10,
  pages: 11,
};
const times = (count: number) =>
  Object.fromEntries(Object.entries(amounts).map(([kind, one]) => [kind, one * count]));
const between = { fromMs: NOON - HOUR, toMs: NOON + HOUR };

const unanswered = {
  modelUsed: null,
  usageSource: "none",
  costNanoUsd: 0,
  amounts: NO_AMOUNTS,
} as const;

/** Writes two accounts, three keys and two models over several hours. */
async function writeHours(store: Store): Promise<void> {
  const rows = [
    { atMs: NOON - HOUR - 1, chargedNanoUsd: 90_000 },
    { atMs: NOON - HOUR, chargedNanoUsd: 1 },
    { atMs: NOON - 1, chargedNanoUsd: 2, modelUsed: "Sim#other" },
    { atMs: NOON, chargedNanoUsd: 4, keyId: "key_b" },
    { atMs: NOON + HOUR - 1, chargedNanoUsd: 8, keyId: "key_c", accountId: "acct" },
    { atMs: NOON + 5, keyId: "key_c", accountId: "acct", modelUsed: "Sim#other", costNanoUsd: 16 },
    // No model answered: these count for the first model of the plan.
    { atMs: NOON + 6, ...unanswered, status: 502, faultCode: "upstream_error" },
    { atMs: NOON + 7, ...unanswered, status: 404, modelPlanned: "Sim#(unlisted)" },
    { atMs: NOON + 8, ...unanswered, status: 499, faultCode: "client_gone" },
    { atMs: NOON + HOUR, chargedNanoUsd: 800_000 },
  ];
  for (const [index, row] of rows.entries())
    await writeRecord(store, makeRecord(`${index}`, { amounts, ...row }));
}

/** Formats a sum as its dimensions, its number of requests and their cost. */
function inLine(sum: UsageSum): string {
  const { hourMs, accountId, keyId, model, operation, surface, requests, costNanoUsd } = sum;
  const hour = hourMs === 0 ? "" : `${(hourMs - NOON) / HOUR}h`;
  return [hour, accountId, keyId, model, operation, surface, `${requests} for ${costNanoUsd}`]
    .filter(Boolean)
    .join(" ");
}

export function usage(store: () => Store): void {
  beforeEach(() => writeHours(store()));

  const linesBy = async (...groupBy: readonly UsageDimension[]) =>
    (await store().usage({ ...between, groupBy })).map(inLine).toSorted();

  test("is summed between two times, in total or by any dimension", async () => {
    expect(await linesBy()).toEqual(["8 for 31"]);
    expect(await linesBy("hour")).toEqual(["-1h 2 for 3", "0h 6 for 28"].toSorted());
    expect(await linesBy("accountId")).toEqual(["acct 2 for 24", "default 6 for 7"]);
    expect(await linesBy("keyId")).toEqual(["key_a 5 for 3", "key_b 1 for 4", "key_c 2 for 24"]);
    expect(await linesBy("model")).toEqual([
      "Sim#(unlisted) 1 for 0",
      "Sim#echo 5 for 13",
      "Sim#other 2 for 18",
    ]);
  });

  test("separates operations and surfaces within the same hour and model", async () => {
    await writeRecord(store(), makeRecord("a", { surface: "gemini", costNanoUsd: 5 }));
    await writeRecord(store(), makeRecord("b", { operation: "embeddings", surface: "openai-embeddings" }));
    const sums = await store().usage({ ...between, groupBy: ["operation", "surface"] });
    expect(sums.map((sum) => `${sum.operation} ${sum.surface} ${sum.requests}`)).toEqual([
      "chat gemini 1",
      "chat openai-chat 8",
      "embeddings openai-embeddings 1",
    ]);
  });

  test("is summed by several dimensions, or by all of them", async () => {
    expect(await linesBy("model", "accountId")).toEqual([
      "acct Sim#echo 1 for 8",
      "acct Sim#other 1 for 16",
      "default Sim#(unlisted) 1 for 0",
      "default Sim#echo 4 for 5",
      "default Sim#other 1 for 2",
    ]);
    const all = (await linesBy("hour", "accountId", "keyId", "model", "operation", "surface"))
      .map((line) => line.replace(" chat openai-chat", ""))
      .toSorted();
    expect(all).toEqual([
      "-1h default key_a Sim#echo 1 for 1",
      "-1h default key_a Sim#other 1 for 2",
      "0h acct key_c Sim#echo 1 for 8",
      "0h acct key_c Sim#other 1 for 16",
      "0h default key_a Sim#(unlisted) 1 for 0",
      "0h default key_a Sim#echo 2 for 0",
      "0h default key_b Sim#echo 1 for 4",
    ]);
  });
}

export function usageNarrowed(store: () => Store): void {
  beforeEach(() => writeHours(store()));

  test("is summed over matching rows only", async () => {
    const only = async (filter: UsageFilter) =>
      (await store().usage({ ...between, groupBy: [], only: filter })).map(inLine);
    expect(await only({ accountId: "acct" })).toEqual(["2 for 24"]);
    expect(await only({ keyId: "key_a", model: "Sim#echo" })).toEqual(["3 for 1"]);
    expect(await only({ provider: "Sim" })).toEqual(["8 for 31"]);
    expect(await only({ provider: "Si" })).toEqual(["0 for 0"]);
  });

  test("counts errors for the first model of the plan, and requests by their outcome", async () => {
    const sums = await store().usage({ ...between, groupBy: ["model"] });
    expect(sums.map(({ model, errors }) => [model, errors])).toEqual([
      ["Sim#(unlisted)", 1],
      ["Sim#echo", 1],
      ["Sim#other", 0],
    ]);
    const outcomes = await store().usage({ ...between, groupBy: ["provider", "outcome"] });
    expect(outcomes.map(({ provider, outcome, requests }) => `${provider} ${outcome} ${requests}`)).toEqual([
      "Sim answered 5",
      "Sim failed 2",
      "Sim left 1",
    ]);
    const failed = await store().usage({ ...between, groupBy: ["model"], only: { outcome: "failed" } });
    expect(failed.map(({ model }) => model)).toEqual(["Sim#(unlisted)", "Sim#echo"]);
  });

  test("contains tokens, cost and charges", async () => {
    const [all] = await store().usage({ ...between, groupBy: [] });
    expect(all).toMatchObject({ amounts: times(5), costNanoUsd: 31, errors: 2, chargedNanoUsd: 15 });
    const late = { fromMs: NOON + 2 * HOUR, toMs: NOON + 3 * HOUR };
    for (const sum of await store().usage({ ...late, groupBy: [] })) expect(sum.requests).toBe(0);
    expect(await store().usage({ ...late, groupBy: ["model"] })).toEqual([]);
  });
}
