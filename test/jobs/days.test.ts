// Days of batches by seeds: whatever happens, each line is answered once, stands in one of the two files and is charged once.
import { afterAll, expect, test } from "bun:test";
import type { Store } from "../../src/core/store.ts";
import { makeFileUsers } from "../../src/jobs/file-users.ts";
import { countLeft } from "../../src/jobs/lines.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { IS_LONG } from "../harness/long.ts";
import { decideByDemand, openMemoryStore } from "../harness/samples.ts";
import { type PostgresServer, startPostgres } from "../store/postgres/server.ts";
import { Day } from "./day.ts";
import { LINE_COST, PARALLEL, readIds } from "./job-world.ts";

const SEEDS = Array.from({ length: IS_LONG ? 300 : 6 }, (_, at) => at + 1);
/** In the long form, each third day is one of nodes on PostgreSQL. */
const isOnPostgres = (seed: number) => IS_LONG && seed % 3 === 1;
const DAY_TEST_MS = 300_000;

let server: PostgresServer | null = null;
afterAll(() => server?.remove());

async function openStore(seed: number): Promise<Store> {
  if (!isOnPostgres(seed)) return openMemoryStore();
  server ??= await startPostgres();
  return openPostgresStore({ url: await server.newDatabase(), decide: decideByDemand });
}

test.each(SEEDS)(
  "day %d",
  async (seed) => {
    const store = await openStore(seed);
    const day = new Day(store, seed);
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
    // Only what was in flight at a kill was asked for nothing.
    expect(day.door.lost).toBeLessThanOrEqual(day.kills * PARALLEL);
    // Nothing is left of it but its files.
    const blocks = await store.batches.change(batch, { remaining: 99 }, (_, left) => ({ result: left }));
    expect(blocks).toEqual([]);
    const live = (await makeFileUsers({ store }).listLiveObjects()).map(({ object }) => object);
    expect(live).toEqual([]);
    // The sweep takes pieces of a node that ends before it names them, and those of a batch of whose end its node didn't learn.
    const isSwept = day.lastWriter?.isDead === true || day.lostAnswerMs >= (batch.endedAtMs ?? 0);
    if (!isSwept) expect(await day.countUnnamed(batch)).toBe(0);
    expect(day.bugs).toEqual([]);
    await store.close();
  },
  DAY_TEST_MS,
);
