// Results that come when their batch has ended without them.
import { expect, test } from "bun:test";
import { KeptBatches } from "../../src/jobs/kept-batches.ts";
import { openLines } from "../../src/jobs/lines.ts";
import { RunningBlock } from "../../src/jobs/running-block.ts";
import { writeResults } from "../../src/jobs/writing.ts";
import { makeBlock } from "../harness/batches.ts";
import { ManualClock } from "../harness/manual-clock.ts";
import { openMemoryStore } from "../harness/samples.ts";
import { addBatch, LINE_COST, MemoryFiles, makeJobPorts } from "./job-world.ts";

test("results are written once though a piece of an earlier write can't be removed", async () => {
  const files = new MemoryFiles();
  const world = { store: await openMemoryStore(), clock: new ManualClock(), files };
  const remove = () => Promise.reject(new Error("The disk fails."));
  const ports = makeJobPorts(
    { ...world, files: files.withPieces({ ...files.pieces, remove }) },
    { call: () => new Promise(() => {}) },
  );
  const batch = await addBatch(new KeptBatches(ports, () => {}), world, "batch_1", 2);
  const row = makeBlock(batch.id, 0, { node: world.store.node, states: openLines(2), remaining: 2 });
  await world.store.batches.change(batch, { numbers: [] }, () => ({ blocks: [row], result: null }));
  const block = new RunningBlock(row);
  block.unnamed.push({ number: 5, kind: "o", bytes: 3 });
  const line = { at: 0, end: "completed", text: "{}\n" } as const;
  const ended = [{ ...line, costNanoUsd: LINE_COST, chargedNanoUsd: LINE_COST }];
  expect(await writeResults(ports, batch, block, ended)).toMatchObject({
    detail: { counts: { completed: 1 } },
  });
});

test("a node that was given up leaves no piece of a batch whose results stand in files", async () => {
  const world = { store: await openMemoryStore(), clock: new ManualClock(), files: new MemoryFiles() };
  const ports = makeJobPorts(world, { call: () => new Promise(() => {}) });
  const batch = await addBatch(new KeptBatches(ports, () => {}), world, "batch_1", 2);
  await world.store.batches.change(batch, { numbers: [] }, (found) =>
    found === null
      ? { result: null }
      : { batch: { ...found, status: "completed", endedAtMs: 1 }, result: null },
  );
  const row = makeBlock(batch.id, 0, { node: world.store.node, states: openLines(2), remaining: 2 });
  const line = { at: 0, end: "completed", text: "{}\n" } as const;
  const ended = [{ ...line, costNanoUsd: LINE_COST, chargedNanoUsd: LINE_COST }];
  expect(await writeResults(ports, batch, new RunningBlock(row), ended)).toBeNull();
  const left = [...world.files.objects].flatMap(([object, pieces]) => (pieces.size > 0 ? [object] : []));
  expect(left).toEqual(["file-batch_1"]);
});
