// Creation: an input is read in small parts, so that others get on meanwhile, and all lines' model is the batch's.
import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Store } from "../../src/core/store.ts";
import { BATCH_WORDS } from "../../src/http/batches/words.ts";
import { KeptBatches } from "../../src/jobs/kept-batches.ts";
import type { BatchWords } from "../../src/jobs/ports.ts";
import { validate } from "../../src/jobs/validating.ts";
import { viewOpenaiBatch } from "../../src/surfaces/openai-batches/view.ts";
import { ManualClock } from "../harness/manual-clock.ts";
import { openMemoryStore } from "../harness/samples.ts";
import { addBatch, MemoryFiles, makeJobPorts } from "./job-world.ts";

const LINES = 5000;
/** A line of a batch is hardly shorter than a hundred bytes. */
const LINES_OF_TURN = 350;

let store: Store;
beforeEach(async () => {
  store = await openMemoryStore();
});
afterEach(() => store.close());

/** Validates a batch, and counts what is done in one turn of the event loop. */
async function create(modelOf?: (at: number) => string) {
  const world = { store, clock: new ManualClock(), files: new MemoryFiles() };
  const most = { lines: 0, estimates: 0, blocks: 0 };
  const turn = { lines: 0, estimates: 0 };
  const { change } = store.batches;
  Object.assign(store.batches, {
    change: (...[of, wanted, decide]: Parameters<typeof change>) =>
      change(of, wanted, (batch, blocks, answered) => {
        const changed = decide(batch, blocks, answered);
        most.blocks = Math.max(most.blocks, blocks.length, changed.blocks?.length ?? 0);
        return changed;
      }),
  });
  const counted: BatchWords = {
    ...BATCH_WORDS["openai-batches"],
    async *readLines(...given) {
      for await (const line of BATCH_WORDS["openai-batches"].readLines(...given)) {
        most.lines = Math.max(most.lines, ++turn.lines);
        yield line;
      }
    },
  };
  const ports = makeJobPorts(world, {
    call: () => Promise.reject(new Error("No line starts.")),
    words: { ...BATCH_WORDS, "openai-batches": counted },
    estimate: async () => {
      most.estimates = Math.max(most.estimates, ++turn.estimates);
      return { expectedNanoUsd: 1, worstNanoUsd: 2 };
    },
    nextTurn: (task) => {
      Object.assign(turn, { lines: 0, estimates: 0 });
      setImmediate(task);
    },
  });
  const batch = await addBatch(new KeptBatches(ports, () => {}), world, "batch_1", LINES, modelOf);
  let others = 0;
  let isOver = false;
  const pass = () => {
    others++;
    if (!isOver) setImmediate(pass);
  };
  setImmediate(pass);
  await validate(ports, batch);
  isOver = true;
  return { most, others, found: await store.batches.find("batch_1") };
}

test("a creation takes few lines a turn of the event loop and four blocks a transaction, and others get on", async () => {
  const { most, others, found } = await create();
  expect([found?.status, found?.detail.counts.total]).toEqual(["in_progress", LINES]);
  expect(most.lines).toBeLessThanOrEqual(LINES_OF_TURN);
  expect([most.estimates, most.blocks]).toEqual([1, 4]);
  expect(others).toBeGreaterThan(LINES / LINES_OF_TURN);
});

test("the model that all lines name is the batch's", async () => {
  const { found } = await create();
  expect(found && viewOpenaiBatch(found).model).toBe("m");
});

test("a batch of several models names none of them", async () => {
  expect((await create((at) => (at === LINES - 1 ? "other" : "m"))).found?.detail.model).toBeNull();
});
