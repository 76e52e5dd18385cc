// Days of batches by seeds: whatever happens, each line is answered once, stands in one of the two files and is charged once.
import { afterAll, expect, test } from "bun:test";
import type { Batch } from "../../src/core/batches/batch.ts";
import type { Store } from "../../src/core/store.ts";
import { makeFileUsers } from "../../src/jobs/file-users.ts";
import { countLeft } from "../../src/jobs/lines.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { IS_LONG } from "../harness/long.ts";
import { decideByDemand, openMemoryStore } from "../harness/samples.ts";
import { type Databases, useDatabases } from "../store/postgres/databases.ts";
import { Day, MODEL_WAIT_MS } from "./day.ts";
import { LINE_COST, PARALLEL, readIds } from "./job-world.ts";

const SEEDS = Array.from({ length: IS_LONG ? 300 : 6 }, (_, at) => at + 1);
const MODEL_SEEDS = SEEDS.slice(0, IS_LONG ? 300 : 4).map((seed) => 1000 + seed);
/** After the troubles of the first minutes, a silence lasts as long as it may, and lines are tried again after at most a minute. */
const HEALED_MS = 30 * 60_000;
/** In the long form, each third day is one of nodes on PostgreSQL. */
const isOnPostgres = (seed: number) => IS_LONG && seed % 3 === 1;
const DAY_TEST_MS = 300_000;

let server: Databases | null = null;
afterAll(() => server?.remove());

async function openStore(seed: number): Promise<Store> {
  if (!isOnPostgres(seed)) return openMemoryStore();
  server ??= await useDatabases();
  return openPostgresStore({ url: await server.newStore(), decide: decideByDemand });
}

test.each(SEEDS)("day %d", (seed) => play(seed, false), DAY_TEST_MS);

test.each(MODEL_SEEDS)("day %d, on which models are away", (seed) => play(seed, true), DAY_TEST_MS);

async function play(seed: number, hasModels: boolean): Promise<void> {
  const store = await openStore(seed);
  const day = new Day(store, seed, hasModels);
  const lines = 150 + (seed % 3) * 60;
  const mayCancel = seed % 3 === 0;
  if (seed % 4 === 2) day.door.ceiling = Math.floor((lines * LINE_COST * 2) / 3);
  const batch = await day.run(`batch_${seed}`, lines, mayCancel);
  const { counts, sums, outputFileId, errorFileId } = batch.detail;
  const output = await readIds(day, outputFileId);
  const errors = await readIds(day, errorFileId);
  expect([batch.status, counts.total, countLeft(counts)]).toEqual([
    mayCancel ? batch.status : "completed",
    lines,
    0,
  ]);
  expect(new Set([...output, ...errors]).size).toBe(lines);
  expect([output.length, errors.length]).toEqual([counts.completed, lines - counts.completed]);
  // Charged once, by exactly what the batch says, and no more than its ceiling.
  expect([...day.door.charged.values()].every((cost) => cost === LINE_COST)).toBe(true);
  expect(sums.chargedNanoUsd).toBe(counts.completed * LINE_COST);
  expect(sums.chargedNanoUsd).toBeLessThanOrEqual(day.door.ceiling);
  expect(day.door.charged.size).toBe(counts.completed);
  // Only what was in flight at a kill was asked for nothing.
  expect(day.door.lost).toBeLessThanOrEqual(day.kills * PARALLEL);
  // Nothing is left of it but its files.
  const blocks = await store.batches.change(batch, { remaining: 99 }, (_, left) => ({ result: left }));
  expect(blocks).toEqual([]);
  const live = (await makeFileUsers({ store }).listLiveObjects()).map(({ object }) => object);
  expect(live).toEqual([]);
  // A node that didn't learn of the batch's end may have written what nothing names.
  const knowsEnd = day.lostAnswerMs < (batch.endedAtMs ?? 0);
  // Nor does a node remove what it wrote of another's answers, if it can't know whether that is named.
  const left = day.door.tookOver ? day.failures : 0;
  if (knowsEnd) expect(await day.countUnnamed(batch)).toBeLessThanOrEqual(left);
  expect(day.bugs).toEqual([]);
  if (hasModels && !mayCancel) checkModels(day, batch);
  await store.close();
}

/** The only lines that ended unsent were those of the dead model, and in time. */
function checkModels({ door, clock }: Day, batch: Batch): void {
  expect([...(door.models?.ended ?? [])].filter((model) => model !== "dead")).toEqual([]);
  expect(batch.detail.counts.completed).toBeGreaterThan(0);
  expect(clock.nowMs()).toBeLessThan(HEALED_MS + MODEL_WAIT_MS);
}
