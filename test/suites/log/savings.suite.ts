// The weekly savings of selectors with a dial, on every store.

import { expect, test } from "bun:test";
import { type Savings, sumSavings } from "../../../src/admin/log/savings.ts";
import { asArray, asNumber, asObject, parseJson } from "../../../src/core/json/json.ts";
import type { RequestRecord } from "../../../src/core/log/record.ts";
import type { Store } from "../../../src/core/store.ts";
import { HOUR, makeRecord, NOON, standingClock, writeRecord } from "../../harness/samples.ts";
import { makeLessonRow } from "../../learning/lesson-samples.ts";
import { Dice } from "../../sim/dice.ts";

const WEEK = 7 * 24 * HOUR;

/** A decision for a cheap model over one that costs four times as much. */
function makeDecision(promised: number): string {
  const candidate = { latency_ms: 900, cost_usd: 0.001, quality: 0.72, level: 0.7 };
  return JSON.stringify({
    promised,
    candidates: [
      { ...candidate, model: "Acme#cheap" },
      { ...candidate, model: "Acme#other", level: 0.75 },
      { model: "Acme#best", latency_ms: 1000, cost_usd: 0.004, quality: 0.8, level: 0.8 },
    ],
  });
}

const ROWS = 400;
const MODELS = ["Acme#cheap", "Acme#other", "Acme#best", "acme#low"];

/** A request of the last two weeks with a decision over some of the models, some of which lack a figure. */
function makeDecided(dice: Dice, id: string): RequestRecord {
  const figures = () => ({
    level: dice.pick([0.5, 0.7, 0.7, null]),
    quality: dice.int(0, 100) / 100,
    cost_usd: dice.pick([0, 0.001, 0.004]),
    latency_ms: dice.pick([900, 1000, null]),
  });
  const candidates = MODELS.filter(() => dice.chance(0.7)).map((model) => ({ model, ...figures() }));
  const promised = dice.pick([0.9, 0.98, null]);
  return makeRecord(id, {
    ...dice.pick([{}, { accountId: "acct_b", keyId: "key_b" }]),
    atMs: NOON - dice.int(0, 2 * WEEK),
    selector: dice.pick(["Router#fair", "Router#light", "Router#best", null]),
    decision: dice.chance(0.9) ? JSON.stringify({ promised, candidates }) : null,
    modelUsed: dice.pick([...MODELS, null]),
    ended: dice.pick(["done", "done", "done", "broken_off"]),
    costNanoUsd: dice.int(0, 5_000_000),
  });
}

/** The figures of one row as a reading of each of its requests has them. */
function readEach(records: readonly RequestRecord[], scores: ReadonlyMap<string, number>) {
  const read = records.flatMap(({ id, accountId, decision, modelUsed, costNanoUsd }) => {
    const { promised, candidates } = asObject(parseJson(decision ?? ""));
    const level = (one: object) => asNumber(asObject(one).level) ?? 0;
    const weighed = asArray(candidates).map(asObject);
    const [best] = weighed.toSorted(
      (one, other) => level(other) - level(one) || (String(one.model) < String(other.model) ? -1 : 1),
    );
    const used = weighed.find(({ model }) => model === modelUsed);
    if (best === undefined || used === undefined) return [];
    const number = (value: unknown) => asNumber(value) ?? 0;
    const usd = costNanoUsd / 1e9;
    const score = scores.get(`${accountId} ${id}`);
    const own = number(used.cost_usd);
    return {
      promised: asNumber(promised),
      quality: number(used.quality),
      best: number(best.quality),
      usd,
      bestUsd: own > 0 ? (usd * number(best.cost_usd)) / own : number(best.cost_usd),
      ms: number(best.latency_ms) - number(used.latency_ms),
      model: String(best.model),
      score,
    };
  });
  const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
  const promises = read.flatMap(({ promised }) => promised ?? []);
  const judged = read.flatMap(({ score, best }) => (score === undefined ? [] : { score, best }));
  const kept = sum(judged.map(({ score }) => score)) / sum(judged.map(({ best }) => best));
  const squares = sum(judged.map(({ score, best }) => (score - kept * best) ** 2));
  const counts = MODELS.map((name) => [name, read.filter(({ model }) => model === name).length] as const);
  const [most] = counts.toSorted(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
  const isEnough = judged.length >= 30;
  return {
    requests: read.length,
    promised: promises.length === 0 ? null : sum(promises) / promises.length,
    predicted: sum(read.map(({ quality }) => quality)) / sum(read.map(({ best }) => best)),
    judged: judged.length,
    kept: isEnough ? kept : null,
    kept_error: isEnough ? Math.sqrt(squares) / sum(judged.map(({ best }) => best)) : null,
    cost_usd: sum(read.map(({ usd }) => usd)),
    best_cost_usd: sum(read.map(({ bestUsd }) => bestUsd)),
    best_model: most?.[0],
    saved_ms: sum(read.map(({ ms }) => ms)) / read.length,
  };
}

/** Sums in another order differ in their last digits. */
function expectClose(row: Savings["data"][number], each: ReturnType<typeof readEach>): void {
  for (const [name, value] of Object.entries(each)) {
    const shown: unknown = Object.entries(row).find(([field]) => field === name)?.[1];
    const near =
      typeof value === "number" ? expect.closeTo(name === "saved_ms" ? Math.round(value) : value, 9) : value;
    expect([name, shown]).toEqual([name, near]);
  }
}

/** Compares random days with a reading of each request. */
export function savingsByDay(store: () => Store): void {
  test.each([1, 2, 3])(
    "sums by day equal a reading of each request, over random days (seed %i)",
    async (seed) => {
      const dice = new Dice(seed);
      const records = Array.from({ length: ROWS }, (_, at) => makeDecided(dice, `r${at}`));
      const scores = new Map<string, number>();
      for (const record of records) {
        await writeRecord(store(), record);
        if (!dice.chance(0.6)) continue;
        const { id, accountId, modelUsed } = record;
        const score = dice.pick([0, 0.4, 1]);
        const source = dice.pick(["score", "score", "signal"] as const);
        await store().teach({
          ...makeLessonRow(id, { model: modelUsed ?? "Acme#x", source, score }),
          accountId,
        });
        if (source === "score") scores.set(`${accountId} ${id}`, score);
      }
      for (const accountIds of [null, ["acct_b"]]) {
        const scope = { accountIds, personal: null };
        const { data } = await sumSavings(
          { store: store(), clock: standingClock(NOON) },
          { weeks: 3 },
          scope,
        );
        expect(data.length).toBeGreaterThanOrEqual(4);
        for (const row of data) {
          const fromMs = Date.parse(row.week);
          const own = records.filter(
            ({ selector, atMs, ended, accountId }) =>
              selector === row.selector &&
              ended === "done" &&
              atMs >= fromMs &&
              atMs < fromMs + WEEK &&
              (accountIds?.includes(accountId) ?? true),
          );
          expectClose(row, readEach(own, scores));
        }
      }
    },
  );
}

export function savings(store: () => Store): void {
  const ask = (weeks: number) => sumSavings({ store: store(), clock: standingClock(NOON) }, { weeks });
  const decide = async (id: string, atMs: number, promised: number, selector = "Router#fair") => {
    const decision = makeDecision(promised);
    const fields = { atMs, selector, decision, modelUsed: "Acme#cheap", costNanoUsd: 2_000_000 };
    await writeRecord(store(), makeRecord(id, fields));
  };

  test("each week shows what was promised, predicted and saved, and if there are too few scores for the quality kept", async () => {
    await decide("a", NOON, 0.98);
    await decide("b", NOON - HOUR, 0.9);
    await decide("c", NOON - WEEK, 0.9, "Router#light");
    await decide("d", NOON, 1, "Router#best");
    await decide("e", NOON - 4 * WEEK, 0.9);
    await store().teach(makeLessonRow("a", { model: "Acme#cheap", score: 0.7 }));
    const { data } = await ask(4);
    expect(data).toEqual([
      {
        week: "2026-11-16",
        selector: "Router#fair",
        requests: 2,
        is_whole: true,
        judged: 1,
        promised: 0.94,
        predicted: expect.closeTo(0.9),
        kept: null,
        kept_error: null,
        cost_usd: 0.004,
        best_cost_usd: 0.016,
        best_model: "Acme#best",
        saved_usd: 0.012,
        saved_ms: 100,
      },
      expect.objectContaining({ week: "2026-11-09", selector: "Router#light", requests: 1, promised: 0.9 }),
    ]);
    expect((await ask(1)).data).toHaveLength(1);
  });

  test("thirty scores are enough for the share of quality kept", async () => {
    for (let at = 0; at < 30; at++) {
      await decide(`r${at}`, NOON - at, 0.95);
      await store().teach(makeLessonRow(`r${at}`, { model: "Acme#cheap", score: at % 2 === 0 ? 1 : 0.4 }));
      // A signal is not a client's score.
      await decide(`x${at}`, NOON - at, 0.95);
      await store().teach(makeLessonRow(`x${at}`, { model: "Acme#cheap", source: "signal", score: 0 }));
    }
    const [row] = (await ask(1)).data;
    expect(row).toMatchObject({ judged: 30, kept: expect.closeTo(0.7 / 0.8) });
    expect(row?.kept_error).toBeCloseTo(0.3 / 0.8 / Math.sqrt(30));
  });
}
