// The end of a batch around a kill: what was answered and charged stands in the results, and nothing else costs its whole price.
import { afterAll, describe, expect, test } from "bun:test";
import type { Store } from "../../src/core/store.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { IS_LONG } from "../harness/long.ts";
import { decideByDemand, openMemoryStore } from "../harness/samples.ts";
import { findErrors } from "../ledger/payments.ts";
import { type Databases, useDatabases } from "../store/postgres/databases.ts";
import { ENDS, type EndPlan, EndWorld, FATES, LEFT_COST, LINES, PARALLEL, WHOLE_COST } from "./end-world.ts";

/** A database is slower, and nodes that take over from each other are its usual case. */
const FATES_ON = { sqlite: FATES, postgres: IS_LONG ? FATES : (["taken over"] as const) };
/** Each test has a part of the kills. */
const PARTS = IS_LONG ? 16 : 1;
/** Of the steps, one in so many is met by a kill. */
const EACH = { sqlite: IS_LONG ? 1 : 69, postgres: IS_LONG ? 5 : 101 };
/** In the short form a row begins at one of so many steps, and the same row of the next end at another. */
const BEGINNINGS = 3;
/** A settlement is there at once, after the end, or once its request was given up as lost. */
const ALL_LAGS_MS = [0, 2000, 30_000];
const LAGS_MS = { sqlite: IS_LONG ? ALL_LAGS_MS : [0, 2000], postgres: IS_LONG ? ALL_LAGS_MS : [2000] };

let server: Databases | null = null;
afterAll(() => server?.remove());

const STORES: Readonly<Record<keyof typeof EACH, () => Promise<Store>>> = {
  sqlite: () => openMemoryStore(),
  async postgres() {
    server ??= await useDatabases();
    return openPostgresStore({ url: await server.newStore(), decide: decideByDemand });
  },
};

/** Returns the number of steps from just before the end. */
async function check(open: () => Promise<Store>, plan: EndPlan): Promise<number> {
  const store = await open();
  const { batch, output, errors, rows, steps } = await new EndWorld(store, plan).run("batch_1");
  const { counts } = batch.detail;
  const where = JSON.stringify(plan);
  const all = [...output, ...errors].toSorted((a, b) => a - b);
  expect([where, ...all]).toEqual([where, ...Array.from({ length: LINES }, (_, at) => at + 1)]);
  expect([where, output.length, errors.length]).toEqual([where, counts.completed, LINES - counts.completed]);
  const paid = rows.filter(({ chargedNanoUsd }) => chargedNanoUsd > 0);
  const whole = paid.filter(({ ended }) => ended === "done");
  const left = paid.filter(({ ended }) => ended === "client_gone");
  const lines = whole.map(({ batchLine }) => batchLine ?? 0).toSorted((a, b) => a - b);
  // A settlement that comes after its request was given up is free: if its node had the line all the same, so is the line.
  const late = new Set(rows.filter(({ isLate }) => isLate).map(({ batchLine }) => batchLine));
  const isPaid = (line: number) => lines.includes(line) || !late.has(line);
  const charged = output.filter(isPaid).toSorted((a, b) => a - b);
  expect([where, ...lines]).toEqual([where, ...charged]);
  expect(whole.every(({ chargedNanoUsd }) => chargedNanoUsd === WHOLE_COST)).toBe(true);
  expect(left.every(({ chargedNanoUsd }) => chargedNanoUsd === LEFT_COST)).toBe(true);
  expect(left.filter(({ batchLine }) => output.includes(batchLine ?? 0))).toEqual([]);
  expect(whole.length + left.length).toBe(paid.length);
  expect(left.length).toBeLessThanOrEqual(PARALLEL);
  expect(findErrors(await store.audit())).toEqual([]);
  expect((await store.account("default"))?.heldNanoUsd).toBe(0);
  await store.close();
  return steps;
}

describe.each(["sqlite", "postgres"] as const)("on %s", (kind) => {
  const listParts = (row: number) =>
    LAGS_MS[kind].flatMap((lagMs, at) => {
      const beginning = IS_LONG ? 0 : (row + at) % BEGINNINGS;
      const shift = Math.floor((beginning * EACH[kind]) / BEGINNINGS);
      return Array.from({ length: PARTS }, (_, part) => ({
        lagMs,
        part,
        first: 1 + part * EACH[kind] + shift,
      }));
    });
  describe.each(ENDS)("%s", (end) => {
    describe.each(FATES_ON[kind])("of a batch whose node is %s at any step", (fate) => {
      test.each(listParts(ENDS.indexOf(end) + FATES.indexOf(fate)))(
        "keeps what was paid, settled $lagMs ms later (part $part)",
        async ({ lagMs, first }) => {
          const plan = { end, fate, lagMs, killAt: Number.POSITIVE_INFINITY };
          const steps = await check(STORES[kind], plan);
          for (let killAt = first; killAt <= steps; killAt += PARTS * EACH[kind])
            await check(STORES[kind], { ...plan, killAt });
        },
      );
    });
  });
});
