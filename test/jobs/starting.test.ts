// The starts of lines beside single requests: these come first, and lines go on all the same.
import { expect, test } from "bun:test";
import { KeptBatches } from "../../src/jobs/kept-batches.ts";
import { nameResults } from "../../src/jobs/objects.ts";
import type { LineCall, LineResult } from "../../src/jobs/ports.ts";
import { BatchRunner } from "../../src/jobs/runner.ts";
import { ManualClock } from "../harness/manual-clock.ts";
import { openMemoryStore } from "../harness/samples.ts";
import { addBatch, MemoryFiles, makeJobPorts } from "./job-world.ts";

const LINES = 1200;
const ANSWER_MS = 200;
const PARALLEL = 64;

/** A runner whose turns of the event loop end on command, with a batch that is running. */
async function startBatch(singles = { entered: 0, singles: 0, working: 0 }, answerMs = ANSWER_MS) {
  const world = { store: await openMemoryStore(), clock: new ManualClock(), files: new MemoryFiles() };
  const turns: (() => void)[] = [];
  let starts = 0;
  const call = async ({ placing }: LineCall): Promise<LineResult> => {
    starts++;
    placing.plan([]);
    await new Promise<void>((resolve) => void world.clock.after(answerMs, resolve));
    return { requestId: "req", status: 200, body: "{}", fault: null, costNanoUsd: 0, chargedNanoUsd: 0 };
  };
  const ports = makeJobPorts(
    world,
    { call, singles, nextTurn: (task) => void turns.push(task) },
    { parallelMax: PARALLEL, perAccountMax: PARALLEL },
  );
  const runner = new BatchRunner(ports);
  await addBatch(new KeptBatches(ports, runner.wake), world, "batch_1", LINES);
  runner.start();
  const endTurn = async () => {
    for (const task of turns.splice(0)) task();
    await Bun.sleep(0);
  };
  /** Lets time pass in which each turn takes so many milliseconds, and returns how many lines have started. */
  const pass = async (ms: number, turnMs = 0.5) => {
    const before = starts;
    for (let past = 0; past < ms; past += turnMs) {
      const begun = turns.splice(0);
      await world.clock.move(turnMs);
      for (const task of begun) task();
      await Bun.sleep(0);
    }
    return starts - before;
  };
  while (starts === 0) {
    // The input is read turn by turn, too.
    for (const task of turns.splice(0)) task();
    await world.clock.move(1);
  }
  const countPieces = () =>
    world.files.objects.get(nameResults({ id: "batch_1", surface: "openai-batches" }, "o"))?.size ?? 0;
  return { singles, pass, endTurn, count: () => starts, countPieces, end: () => world.store.close() };
}

test("a few lines start in a turn of the event loop, and all that may be in flight after a few turns", async () => {
  const { endTurn, count, end } = await startBatch();
  await endTurn();
  const before = count();
  await endTurn();
  expect(count() - before).toBe(4);
  for (let turn = 0; turn < PARALLEL / 4; turn++) await endTurn();
  expect(count()).toBe(PARALLEL);
  await end();
});

test("lines start one by one beside single requests, and none while the process works on one, but some always", async () => {
  const { singles, pass, end } = await startBatch({ entered: 1, singles: 1, working: 0 });
  await pass(100);
  // In the time of an answer, 40 lines start.
  expect(await pass(200)).toBe(40);
  singles.working = 1;
  await pass(20);
  expect(await pass(200)).toBe(10);
  Object.assign(singles, { singles: 0, working: 0 });
  await pass(400);
  expect(await pass(200)).toBe(PARALLEL);
  await end();
});

test("a single request that has come and gone is noticed", async () => {
  const { singles, pass, end } = await startBatch();
  await pass(300);
  singles.entered++;
  await pass(20);
  expect(await pass(200)).toBeLessThanOrEqual(40);
  await end();
});

test("lines that run one by one share the writes of their results", async () => {
  const { pass, countPieces, end } = await startBatch({ entered: 1, singles: 1, working: 0 }, 1);
  // Two seconds of lines.
  await pass(2000);
  expect(await pass(2000)).toBe(400);
  expect(countPieces()).toBeLessThanOrEqual(8);
  await end();
});

test("lines that keep the event loop busy start further apart", async () => {
  const { pass, end } = await startBatch({ entered: 1, singles: 1, working: 0 });
  await pass(300, 3);
  // Their starts take 3 ms, so they are 24 ms apart.
  expect(await pass(240, 3)).toBeLessThanOrEqual(10);
  await end();
});
