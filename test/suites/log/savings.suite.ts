// The weekly savings of selectors with a dial, on every store.

import { expect, test } from "bun:test";
import { sumSavings } from "../../../src/admin/log/savings.ts";
import type { Store } from "../../../src/core/store.ts";
import { HOUR, makeRecord, NOON, standingClock, writeRecord } from "../../harness/samples.ts";
import { makeLessonRow } from "../../learning/lesson-samples.ts";

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
