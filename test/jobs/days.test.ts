// Days of batches by seeds: whatever happens, each line is answered once, stands in one of the two files and is charged once.
import { expect, test } from "bun:test";
import { countLeft } from "../../src/jobs/lines.ts";
import { IS_LONG } from "../harness/long.ts";
import { openMemoryStore } from "../harness/samples.ts";
import { Day, LINE_COST } from "./day.ts";

const SEEDS = Array.from({ length: IS_LONG ? 300 : 6 }, (_, at) => at + 1);

test.each(SEEDS)("day %d", async (seed) => {
  const store = await openMemoryStore();
  const day = new Day(store, seed);
  const lines = 150 + (seed % 3) * 60;
  const batch = await day.run(`batch_${seed}`, lines, seed % 3 === 0);
  const { counts, sums, outputFileId, errorFileId } = batch.detail;
  const output = day.readIds(outputFileId);
  const errors = day.readIds(errorFileId);
  expect([batch.status, counts.total, countLeft(counts)]).toEqual([
    seed % 3 === 0 ? batch.status : "completed",
    lines,
    0,
  ]);
  expect(new Set([...output, ...errors]).size).toBe(lines);
  expect([output.length, errors.length]).toEqual([counts.completed, lines - counts.completed]);
  // Charged once, by exactly what the batch says.
  expect([...day.door.charged.values()].every((cost) => cost === LINE_COST)).toBe(true);
  expect(sums.chargedNanoUsd).toBe(counts.completed * LINE_COST);
  // Nothing is left of it but its files.
  const blocks = await store.batches.change(batch, { remaining: 99 }, (_, left) => ({ result: left }));
  expect(blocks).toEqual([]);
  expect(day.files.objects.has(`results of ${batch.id}`)).toBe(false);
  expect(day.bugs).toEqual([]);
  await store.close();
});
