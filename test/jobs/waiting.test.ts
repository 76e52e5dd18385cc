// Batches that wait: for a refusal to heal, a node that is busy, a store that is slow, or pieces that are gone.
import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Batch } from "../../src/core/batches/batch.ts";
import { Fault } from "../../src/core/faults/fault.ts";
import type { BatchRules } from "../../src/core/settings.ts";
import type { Store } from "../../src/core/store.ts";
import { cancelKept, KeptBatches } from "../../src/jobs/kept-batches.ts";
import { nameResults } from "../../src/jobs/objects.ts";
import type { JobPorts, LineCall, LineResult } from "../../src/jobs/ports.ts";
import { BatchRunner } from "../../src/jobs/runner.ts";
import { ManualClock } from "../harness/manual-clock.ts";
import { openMemoryStore } from "../harness/samples.ts";
import { addBatch, LINE_COST, MemoryFiles, makeJobPorts } from "./job-world.ts";

const ANSWER: LineResult = {
  requestId: "req",
  status: 200,
  body: "{}",
  fault: null,
  costNanoUsd: LINE_COST,
  chargedNanoUsd: LINE_COST,
};
const refuse = (fault: Fault): LineResult => ({
  ...ANSWER,
  status: 402,
  fault,
  costNanoUsd: 0,
  chargedNanoUsd: 0,
});

let store: Store;
let clock: ManualClock;
let files: MemoryFiles;
beforeEach(async () => {
  store = await openMemoryStore();
  clock = new ManualClock();
  files = new MemoryFiles();
});
afterEach(() => store.close());

function start(
  call: (line: LineCall) => Promise<LineResult>,
  own: Partial<JobPorts> = {},
  rules: Partial<BatchRules> = {},
) {
  const ports = makeJobPorts({ store, clock, files }, { call, ...own }, rules);
  const runner = new BatchRunner(ports);
  runner.start();
  const kept = new KeptBatches(ports, runner.wake);
  return { runner, kept, add: (id: string, lines: number) => addBatch(kept, { store, files }, id, lines) };
}

async function read(id: string): Promise<Batch> {
  const batch = await store.batches.find(id);
  if (batch === null) throw new Error("There is no batch.");
  return batch;
}

test("a batch that is refused asks with one line at a time, and goes on within 3 seconds of its top-up", async () => {
  let isPoor = true;
  let asked = 0;
  const { add } = start(async ({ placing }) => {
    placing.plan([]);
    asked++;
    return isPoor ? refuse(new Fault("insufficient_balance", "Top up.")) : ANSWER;
  });
  await add("batch_1", 40);
  await clock.move(2000);
  expect((await read("batch_1")).detail.waiting?.code).toBe("insufficient_balance");
  const before = asked;
  await clock.move(20_000);
  expect(asked - before).toBeLessThanOrEqual(10);
  isPoor = false;
  await clock.move(3000);
  const { status, detail } = await read("batch_1");
  expect([status, detail.counts.completed, detail.waiting]).toEqual(["completed", 40, null]);
});

test("a batch is asked again when its limit says so", async () => {
  let asked = 0;
  let resetAtMs: number | null = null;
  const { add } = start(async ({ placing }) => {
    placing.plan([]);
    asked++;
    resetAtMs ??= clock.nowMs() + 1000;
    return clock.nowMs() < resetAtMs ? refuse(new Fault("budget_exceeded", "Wait.", { resetAtMs })) : ANSWER;
  });
  await add("batch_1", 3);
  while (asked < 3) await clock.move(10);
  await clock.move(900);
  const before = asked;
  for (let moved = 0; moved < 10; moved++) await clock.move(60);
  expect([before, asked > before]).toEqual([3, true]);
});

test("a busy node runs one line at a time, and so does one whose store is slow", async () => {
  let isBusy = true;
  let listMs = 0;
  let flying = 0;
  let most = 0;
  const readMost = () => {
    const seen = most;
    most = flying;
    return seen;
  };
  const batches: Store["batches"] = {
    ...store.batches,
    async list(filter, page) {
      if (listMs > 0) await new Promise<void>((resolve) => void clock.after(listMs, resolve));
      return store.batches.list(filter, page);
    },
  };
  const call = async ({ placing }: LineCall) => {
    placing.plan([]);
    most = Math.max(most, ++flying);
    await new Promise<void>((resolve) => void clock.after(1000, resolve));
    flying--;
    return ANSWER;
  };
  const slow = {
    batches,
    account: (id: string) => store.account(id),
    request: (id: string) => store.request(id),
    node: store.node,
    listDead: store.listDead,
  };
  const { add } = start(call, { isBusy: () => isBusy, store: slow }, { parallelMax: 4 });
  await add("batch_1", 90);
  await clock.move(4000);
  expect(readMost()).toBe(1);
  isBusy = false;
  await clock.move(4000);
  expect(readMost()).toBe(4);
  listMs = 900;
  await clock.move(4000);
  readMost();
  await clock.move(6000);
  expect(readMost()).toBe(1);
  listMs = 0;
  await clock.move(6000);
  expect(readMost()).toBe(4);
});

test("a node that is too busy to start a line for ten seconds says so, until one starts", async () => {
  let isBusy = true;
  const { add, runner } = start(
    async ({ placing }) => {
      placing.plan([]);
      await new Promise<void>((resolve) => void clock.after(15_000, resolve));
      return ANSWER;
    },
    { isBusy: () => isBusy },
    { parallelMax: 4 },
  );
  await add("batch_1", 9);
  await clock.move(9000);
  expect([(await read("batch_1")).detail.waiting, runner.readBusySince()]).toEqual([null, null]);
  await clock.move(3000);
  expect((await read("batch_1")).detail.waiting?.code).toBe("node_busy");
  expect(runner.readings.waiting).toEqual(["node_busy"]);
  const busyMs = clock.nowMs() - (runner.readBusySince() ?? 0);
  expect([busyMs >= 10_000, busyMs <= 12_000]).toEqual([true, true]);
  isBusy = false;
  await clock.move(18_000);
  expect([(await read("batch_1")).detail.waiting, runner.readBusySince()]).toEqual([null, null]);
});

test("a cancelled batch's calls are ended after 3 seconds", async () => {
  const ended: number[] = [];
  const { add, kept } = start(async ({ placing, ending }) => {
    placing.plan([]);
    await new Promise<void>((resolve) => ending.tell({ end: () => resolve() }));
    ended.push(clock.nowMs());
    return refuse(new Fault("client_gone", "Ended."));
  });
  await add("batch_1", 2);
  await clock.move(2000);
  await kept.cancel(await read("batch_1"));
  await clock.move(2000);
  expect(ended).toEqual([]);
  await clock.move(3000);
  const { status, detail } = await read("batch_1");
  expect([ended.length, status, detail.counts.cancelled]).toEqual([2, "cancelled", 2]);
});

test("a batch that another node cancels has ended half a second after its lines' grace", async () => {
  const { add } = start(async ({ placing, ending }) => {
    placing.plan([]);
    await new Promise<void>((resolve) => ending.tell({ end: () => resolve() }));
    return refuse(new Fault("client_gone", "Ended."));
  });
  await add("batch_1", 300);
  await clock.move(2100);
  await cancelKept({ store, clock }, await read("batch_1"));
  await clock.move(3500);
  const { status, detail } = await read("batch_1");
  expect([status, detail.counts.cancelled]).toEqual(["cancelled", 300]);
});

test("a batch that had no room for its results goes on within 3 seconds of there being some", async () => {
  let room: string | null = "Full.";
  files.measureRoom = async () => ({ bytes: room === null ? 1e9 : -1, files: 9, lacks: () => room });
  const { add } = start(async ({ placing }) => {
    placing.plan([]);
    return ANSWER;
  });
  await add("batch_1", 3);
  await clock.move(7500);
  expect((await read("batch_1")).detail.waiting?.code).toBe("storage_limit_exceeded");
  room = null;
  await clock.move(3000);
  expect((await read("batch_1")).status).toBe("completed");
});

test("a batch whose results are gone fails, is told to the operator, and others go on", async () => {
  const { add } = start(async ({ placing, customId }) => {
    placing.plan([]);
    await new Promise<void>((resolve) => void clock.after(customId === "line-9" ? 5000 : 100, resolve));
    return ANSWER;
  });
  await add("batch_1", 10);
  await clock.move(4000);
  const results = nameResults({ id: "batch_1", surface: "openai-batches" }, "o");
  await files.pieces.remove("default", results);
  await add("batch_2", 2);
  await clock.move(10_000);
  const failed = await read("batch_1");
  expect([failed.status, failed.detail.errors[0]?.code, failed.detail.sums.chargedNanoUsd]).toEqual([
    "failed",
    "file_missing",
    10 * LINE_COST,
  ]);
  expect(files.noted).toEqual([results]);
  expect((await read("batch_2")).status).toBe("completed");
});

test("a batch whose ceiling has ended it is looked at once a second while its results are put together", async () => {
  const limit = { scope: "account", name: "batch_1", kind: "budget", limit: 1, used: 1 } as const;
  const { pieces } = files;
  files = files.withPieces({
    ...pieces,
    read: async (...place) => {
      await new Promise<void>((resolve) => void clock.after(20_000, resolve));
      return pieces.read(...place);
    },
  });
  const { add } = start(async ({ placing, customId }) => {
    placing.plan([]);
    return customId === "line-0" ? ANSWER : refuse(new Fault("budget_exceeded", "Full.", { limit }));
  });
  await add("batch_1", 3);
  await clock.move(10_000);
  expect((await read("batch_1")).status).toBe("finalizing");
  let looks = 0;
  const { list } = store.batches;
  Object.assign(store.batches, {
    list: (...given: Parameters<typeof list>) => {
      looks++;
      return list(...given);
    },
  });
  await clock.move(5000);
  expect(looks).toBeLessThan(10);
  await clock.move(60_000);
  const { status, detail } = await read("batch_1");
  expect([status, detail.counts.completed, detail.counts.unpaid]).toEqual(["completed", 1, 2]);
});
