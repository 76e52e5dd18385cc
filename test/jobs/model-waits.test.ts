// Lines that wait for their models: one that is down or limited holds nobody else, its silence ends, and the batch says so.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Batch } from "../../src/core/batches/batch.ts";
import type { Store } from "../../src/core/store.ts";
import { KeptBatches } from "../../src/jobs/kept-batches.ts";
import type { LineCall } from "../../src/jobs/ports.ts";
import { BatchRunner } from "../../src/jobs/runner.ts";
import { ManualClock } from "../harness/manual-clock.ts";
import { openMemoryStore } from "../harness/samples.ts";
import { addBatch, MemoryFiles, makeJobPorts, readResults } from "./job-world.ts";
import { answers, fails, ModelDoor, makeLimited } from "./model-door.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DEAD = "Acme#dead";
const BUSY = "Acme#busy";
const GOOD = "Fine#good";

let store: Store;
let clock: ManualClock;
let files: MemoryFiles;
beforeEach(async () => {
  store = await openMemoryStore();
  clock = new ManualClock();
  files = new MemoryFiles();
});
afterEach(() => store.close());

function start(door: ModelDoor, modelWaitMs = 6 * HOUR_MS) {
  const ports = makeJobPorts({ store, clock, files }, { call: (line) => door.call(line) }, { modelWaitMs });
  const runner = new BatchRunner(ports);
  runner.start();
  const kept = new KeptBatches(ports, runner.wake);
  const add = (id: string, lines: number, modelOf: (at: number) => string) =>
    addBatch(kept, { store, files }, id, lines, modelOf);
  return { runner, add };
}

async function read(id = "batch_1"): Promise<Batch> {
  const batch = await store.batches.find(id);
  if (batch === null) throw new Error("There is no batch.");
  return batch;
}

/** Moves the clock until it is true, at most for so long. Returns the time. */
async function moveUntil(
  isTrue: () => boolean | Promise<boolean>,
  mostMs: number,
  stepMs = 500,
): Promise<number> {
  const endMs = clock.nowMs() + mostMs;
  while (!(await isTrue()) && clock.nowMs() < endMs) await clock.move(stepMs);
  return clock.nowMs();
}

/** Returns how long so many good lines take by themselves. */
async function measureAlone(lines: number): Promise<number> {
  const door = new ModelDoor(clock, { [GOOD]: { behave: answers, ms: 400 } });
  const startedMs = clock.nowMs();
  const { runner, add } = start(door);
  await add("batch_alone", lines, () => GOOD);
  const endMs = await moveUntil(() => door.answered.get(GOOD)?.length === lines, HOUR_MS, 100);
  const stopped = runner.stop(0);
  await clock.move(5000);
  await stopped;
  return endMs - startedMs;
}

test.each([
  ["a dead model", DEAD, fails],
  ["a model that answers once in 5 seconds", BUSY, makeLimited(5000)],
])("lines behind 1,100 of %s take at most a fifth longer than alone", async (_, model, behave) => {
  const aloneMs = await measureAlone(300);
  const door = new ModelDoor(clock, {
    [model]: { behave, ms: 400 },
    [GOOD]: { behave: answers, ms: 400 },
  });
  const startedMs = clock.nowMs();
  await start(door).add("batch_1", 1400, (at) => (at < 1100 ? model : GOOD));
  const endMs = await moveUntil(() => door.answered.get(GOOD)?.length === 300, MINUTE_MS, 100);
  expect(endMs - startedMs).toBeLessThanOrEqual(1.2 * aloneMs);
});

test("a model that answers once in 5 seconds is asked for nine tenths of that, and its lines wait without a row", async () => {
  const door = new ModelDoor(clock, {
    [BUSY]: { behave: makeLimited(5000), ms: 400 },
    [GOOD]: { behave: answers, ms: 400 },
  });
  await start(door).add("batch_1", 1400, (at) => (at < 1100 ? BUSY : GOOD));
  await clock.move(10 * MINUTE_MS);
  expect(door.answered.get(BUSY)?.length).toBeGreaterThanOrEqual(0.9 * 120);
  expect(door.rows.get(BUSY)).toBeLessThanOrEqual(2 * 120 + 16);
  expect((await read()).detail.waiting).toBeNull();
});

test("healthy lines are as fast beside as many on models that fail or are busy now and then", async () => {
  let calls = 0;
  const sometimes = (other: "fail" | number) => () => (++calls % 4 === 0 ? other : "answer");
  const run = async (id: string, flaky: ReturnType<typeof sometimes>, busy: ReturnType<typeof sometimes>) => {
    const door = new ModelDoor(clock, {
      [GOOD]: { behave: answers, ms: 400 },
      "Acme#flaky": { behave: flaky, ms: 400 },
      "Acme#busy": { behave: busy, ms: 400 },
    });
    const { runner, add } = start(door);
    const startedMs = clock.nowMs();
    await add(id, 1200, (at) => [GOOD, "Acme#flaky", GOOD, "Acme#busy"][at % 4] ?? GOOD);
    const endMs = await moveUntil(() => door.answered.get(GOOD)?.length === 600, HOUR_MS, 100);
    const stopped = runner.stop(0);
    await clock.move(5000);
    await stopped;
    await store.batches.remove(await read(id));
    return endMs - startedMs;
  };
  const wellMs = await run(
    "batch_well",
    () => "answer",
    () => "answer",
  );
  expect(await run("batch_1", sometimes("fail"), sometimes(2000))).toBeLessThanOrEqual(1.2 * wellMs);
});

test("a batch with dead lines ends within the wait for a model, with at most a row for each of them and each trial", async () => {
  const door = new ModelDoor(clock, {
    [DEAD]: { behave: fails, ms: 400 },
    [GOOD]: { behave: answers, ms: 400 },
  });
  const isDead = (at: number) => at % 50 === 0;
  await start(door).add("batch_1", 1000, (at) => (isDead(at) ? DEAD : GOOD));
  await moveUntil(async () => (await read()).status === "completed", 7 * HOUR_MS, 10_000);
  const { status, detail, endedAtMs } = await read();
  expect([status, detail.counts.completed, detail.counts.failed]).toEqual(["completed", 980, 20]);
  expect(endedAtMs).toBeLessThanOrEqual(6 * HOUR_MS + MINUTE_MS);
  expect(door.rows.get(DEAD)).toBeLessThanOrEqual(20 + (door.calls.get(DEAD) ?? 0));
});

test("what a dead model holds ends as no_provider_available once it was silent for as long as the operator lets lines wait", async () => {
  const door = new ModelDoor(clock, { [DEAD]: { behave: fails, ms: 400 } });
  await start(door, HOUR_MS).add("batch_1", 1100, () => DEAD);
  await clock.move(MINUTE_MS);
  const { waiting } = (await read()).detail;
  expect([waiting?.code, waiting?.models]).toEqual(["no_provider_available", [DEAD]]);
  const untilMs = waiting?.untilMs ?? 0;
  await moveUntil(async () => (await read()).status !== "in_progress", 2 * HOUR_MS, MINUTE_MS);
  await clock.move(MINUTE_MS);
  const { status, detail, endedAtMs } = await read();
  expect([status, detail.counts.failed, detail.waiting]).toEqual(["completed", 1100, null]);
  expect(Math.abs((endedAtMs ?? 0) - untilMs)).toBeLessThanOrEqual(2 * MINUTE_MS);
  const errors = await readResults({ store, files }, detail.errorFileId);
  const codes = errors.map(({ response }) => response?.body.error?.code);
  expect(codes.filter((code) => code === "no_provider_available").length).toBeGreaterThan(1000);
  // Trials, lines in flight when it failed, and those that ended unanswered: not a row a second.
  expect(door.rows.get(DEAD)).toBeLessThanOrEqual(1100 + (door.calls.get(DEAD) ?? 0));
});

test("a model that comes back is tried within half a minute, by lines in turn, and then answers all", async () => {
  let isUp = false;
  const door = new ModelDoor(clock, { [DEAD]: { behave: () => (isUp ? "answer" : "fail"), ms: 400 } });
  await start(door).add("batch_1", 500, () => DEAD);
  await clock.move(10 * MINUTE_MS);
  expect((await read()).detail.counts.failed).toBe(0);
  isUp = true;
  await clock.move(2 * MINUTE_MS);
  const { status, detail } = await read();
  expect([status, detail.counts.completed, detail.waiting]).toEqual(["completed", 500, null]);
});

test("a batch whose lines wait tells it once, names the models by their lines, and until when", async () => {
  const events: unknown[] = [];
  const { change } = store.batches;
  Object.assign(store.batches, {
    change: (...[of, wanted, decide]: Parameters<typeof change>) =>
      change(of, wanted, (...found) => {
        const changed = decide(...found);
        events.push(...(changed.events ?? []));
        return changed;
      }),
  });
  const names = ["Acme#a", "Acme#b", "Acme#c", "Acme#d", "Acme#e", "Acme#f"];
  const door = new ModelDoor(clock, { [GOOD]: { behave: answers, ms: 400 } });
  // Of `f` there are most, and of `a` fewest.
  const modelOf = (at: number) => (at % 7 === 0 ? GOOD : (names[Math.floor(Math.sqrt(at / 12))] ?? GOOD));
  await start(door).add("batch_1", 432, modelOf);
  await clock.move(5 * MINUTE_MS);
  const { waiting } = (await read()).detail;
  expect(waiting?.models).toEqual(["Acme#f", "Acme#e", "Acme#d", "Acme#c", "Acme#b"]);
  expect(Math.abs((waiting?.untilMs ?? 0) - 6 * HOUR_MS)).toBeLessThan(MINUTE_MS);
  await clock.move(10 * MINUTE_MS);
  const told = events.filter((event) => JSON.stringify(event).includes("batch.waiting"));
  expect(told).toHaveLength(1);
  expect(JSON.stringify(told)).toContain(
    `"until":"${new Date(waiting?.untilMs ?? 0).toISOString().slice(0, 12)}`,
  );
});

describe("on several nodes", () => {
  interface Node {
    isDead: boolean;
    readonly kept: KeptBatches;
  }
  let dead: Set<string>;
  beforeEach(() => {
    dead = new Set();
  });

  /** A node that can be killed: it sees nothing any more, and what it does reaches nobody. */
  function join(name: string, door: ModelDoor): Node {
    const alive = <T>(work: () => Promise<T>): Promise<T> => (node.isDead ? new Promise(() => {}) : work());
    const batches: Store["batches"] = {
      ...store.batches,
      list: (...given) => alive(() => store.batches.list(...given)),
      change: (of, wanted, decide) => alive(() => store.batches.change(of, wanted, decide)),
    };
    const own = {
      store: {
        batches,
        node: name,
        account: (id: string) => store.account(id),
        request: (id: string) => store.request(id),
        listDead: async (nodes: readonly string[]) => nodes.filter((one) => dead.has(one)),
      },
      call: (line: LineCall) => alive(() => door.call(line)),
    };
    const ports = makeJobPorts({ store, clock, files }, own, { modelWaitMs: HOUR_MS });
    const runner = new BatchRunner(ports);
    const node: Node = { isDead: false, kept: new KeptBatches(ports, runner.wake) };
    runner.start();
    return node;
  }

  const makeDoor = (isUp = () => false) =>
    new ModelDoor(clock, {
      [DEAD]: { behave: () => (isUp() ? "answer" : "fail"), ms: 400 },
      [GOOD]: { behave: answers, ms: 400 },
    });

  test("kills and takeovers don't move the beginning of a wait, nor its end", async () => {
    const first = join("one", makeDoor());
    const second = join("two", makeDoor());
    await addBatch(first.kept, { store, files }, "batch_1", 700, (at) => (at < 400 ? DEAD : GOOD));
    await clock.move(5 * MINUTE_MS);
    const before = (await read()).detail;
    expect([before.counts.completed, before.waiting?.models]).toEqual([300, [DEAD]]);
    for (const [node, name] of [
      [first, "one"],
      [second, "two"],
    ] as const) {
      node.isDead = true;
      dead.add(name);
      join(`${name}-again`, makeDoor());
      await clock.move(10 * MINUTE_MS);
    }
    const { silentSince, waiting } = (await read()).detail;
    expect(silentSince).toEqual(before.silentSince);
    expect([waiting?.sinceMs, waiting?.untilMs]).toEqual([before.waiting?.sinceMs, before.waiting?.untilMs]);
    await moveUntil(async () => (await read()).status === "completed", HOUR_MS, MINUTE_MS);
    expect(clock.nowMs()).toBeLessThanOrEqual((waiting?.untilMs ?? 0) + 2 * MINUTE_MS);
    expect((await read()).detail.counts.failed).toBe(400);
  });

  test("a model's answer on any node ends its silence for all", async () => {
    let isUp = false;
    const first = join("one", makeDoor());
    join(
      "two",
      makeDoor(() => isUp),
    );
    await addBatch(first.kept, { store, files }, "batch_1", 600, () => DEAD);
    await clock.move(5 * MINUTE_MS);
    const before = (await read()).detail.silentSince?.[DEAD] ?? Number.NaN;
    isUp = true;
    // Its blocks are offered to the node where the model answers.
    await clock.move(10 * MINUTE_MS);
    const { detail } = await read();
    expect(detail.counts.completed).toBe(600);
    expect(detail.silentSince?.[DEAD] ?? Number.POSITIVE_INFINITY).toBeGreaterThan(before);
  });
});
