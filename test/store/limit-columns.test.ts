// The columns of limits and holds: written short, and read as rows of every version are.
import { expect, test } from "bun:test";
import { type BudgetUse, type Minute, PARTS } from "../../src/core/limits/limit.ts";
import type { Place } from "../../src/core/rows.ts";
import type { Column } from "../../src/store/columns/columns.ts";
import { BUDGET_USES, MINUTE } from "../../src/store/columns/limit-columns.ts";
import { PLACE } from "../../src/store/columns/place.ts";
import { makePlace } from "../harness/samples.ts";

const zeros = Array.from({ length: PARTS }, () => 0);
const minute: Minute = { part: 7, requests: zeros.with(2, 5), tokens: zeros, parallel: 0, tookMs: 0 };
const use: BudgetUse = {
  name: "month",
  rules: "UTC 0 monday",
  startMs: 5,
  endMs: 9,
  spentNanoUsd: 70,
  heldNanoUsd: 0,
  limitNanoUsd: 100,
  warned: [0.5],
  extraUsedNanoUsd: 0,
  extraUntilMs: null,
};
const uses: readonly BudgetUse[] = [
  use,
  { ...use, name: "total", startMs: 0, endMs: null, warned: [], isExceeded: true },
  { ...use, extraUsedNanoUsd: 3, extraUntilMs: 8 },
];
const taken = { atMs: 3, by: "chatcmpl-1" };
const places: readonly Place[] = [
  makePlace("balance"),
  makePlace("unlimited"),
  { ...makePlace("allowance"), places: 1, slots: 0 },
  { ...makePlace("allowance"), places: 0, slots: 2, everyMs: 60_000, taken, previous: taken },
  { ...makePlace("throttle"), places: 0, slots: 1, taken, freeNanoUsd: 0 },
  { ...makePlace("throttle"), places: 0, slots: 0, taken },
  {
    ...makePlace("balance"),
    uses: [{ owner: "key_1", part: null, tokens: 0, budgets: [{ name: "day", startMs: 0, nanoUsd: 4 }] }],
  },
];

/** Reads a value as it is written, and as versions up to 1.1 wrote it: with everything that it has. */
function readBoth<Field>({ write, read }: Column<Field>, value: Field): readonly Field[] {
  return [write(value), JSON.stringify(value)].map((written) => read({ column: written }, "column"));
}

test("what a short form leaves out is read as it was", () => {
  expect(readBoth(MINUTE, minute)).toEqual([minute, minute]);
  expect(readBoth(MINUTE, { ...minute, requests: zeros })[0]?.requests).toEqual(zeros);
  expect(readBoth(BUDGET_USES, uses)).toEqual([uses, uses]);
  for (const place of places) expect(readBoth(PLACE, place)).toEqual([place, place]);
});

test("counts that grow seldom change the size of their row", () => {
  const lengths = Array.from({ length: 1000 }, (_, spentNanoUsd) => {
    const grown = [minute.requests, minute.tokens].map((counts) => counts.with(0, spentNanoUsd));
    const [requests = zeros, tokens = zeros] = grown;
    const written = [
      MINUTE.write({ ...minute, requests, tokens, parallel: spentNanoUsd % 32 }),
      BUDGET_USES.write([{ ...use, spentNanoUsd, heldNanoUsd: spentNanoUsd * 100 }]),
    ];
    return written.map((text) => String(text).length).join(" ");
  });
  const changes = lengths.filter((length, at) => at > 0 && length !== lengths[at - 1]);
  expect(changes.length).toBeLessThan(5);
});
