// Each end of a key, a person or an account, with a batch whose lines are all in flight, and with its next line.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeKey } from "../../../src/admin/keys/keys.ts";
import { type OpenedStore, openStore } from "../../../src/app/start/open-store.ts";
import type { Batch } from "../../../src/core/batches/batch.ts";
import { Fault } from "../../../src/core/faults/fault.ts";
import { KeptBatches } from "../../../src/jobs/kept-batches.ts";
import type { LineCall, LineResult } from "../../../src/jobs/ports.ts";
import { BatchRunner } from "../../../src/jobs/runner.ts";
import { createKeyFinder } from "../../../src/keys/authenticate.ts";
import { mayUseKeys } from "../../../src/people/member.ts";
import { ManualClock } from "../../harness/manual-clock.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { addOwnBatch, MemoryFiles, makeJobPorts } from "../../jobs/job-world.ts";
import { ENDS, fill, MASTER_KEY } from "./ends.ts";

/** The contract: seen within 2 s, and nothing in flight outlives its key by more than 5 s. */
const SEEN_MS = 2000;
const OVER_MS = 5000;
const PARALLEL = 2;

const folder = mkdtempSync(join(tmpdir(), "poundkey-batch-ends-"));
afterAll(() => rmSync(folder, { recursive: true }));

type End = (opened: OpenedStore) => Promise<unknown>;

/** The ends of a key itself. A person's and an account's are those of `ends.ts`. */
const KEY_ENDS: Readonly<Record<string, End>> = {
  revoked: ({ store }) => unrecorded(store).revokeKey("key_a", Date.now()),
  expired: ({ store }) => unrecorded(store).changeKey("key_a", { expiresAtMs: Date.now() }),
  rotated: ({ store }) =>
    unrecorded(store).rotateKey("key_a", { digest: "another", last4: "abcd", oldSecretUntilMs: null }),
  paused: ({ store }) => unrecorded(store).changeKey("key_a", { isPaused: true, pausedBy: ["operator"] }),
  moved: ({ store }) => writeKey(unrecorded(store), "key_a", { accountId: "default" }, {}),
};

/** The batch's code by each end. It is cancelled, goes on to its own end, or waits: then its lines in flight end as ever, and no other starts. */
const ROWS = [
  ["revoked", "key_a", "cancelled", "invalid_api_key"],
  ["expired", "key_a", "cancelled", "invalid_api_key"],
  ["rotated", "key_a", "goes on", ""],
  ["paused", "key_a", "waits", "key_paused"],
  ["moved", "key_a", "cancelled", "key_moved"],
  ["the account closed", "key_a", "cancelled", "account_closed"],
  ["deleted by the directory", "key_agents", "cancelled", "invalid_api_key"],
  ["anonymised", "key_agents", "cancelled", "invalid_api_key"],
  ["deactivated by the directory", "key_agents", "waits", "sign_in_required"],
  ["gone at the issuer", "key_agents", "waits", "sign_in_required"],
  ["disabled by an admin", "key_agents", "waits", "key_paused"],
] as const;

let files = 0;

/** A batch on a store, whose lines are answered once they are let go. */
class RunningLines {
  readonly clock = new ManualClock();
  readonly opened: OpenedStore;
  flying = 0;
  letGo = () => {};
  #released = new Promise<void>((resolve) => {
    this.letGo = resolve;
  });

  constructor(opened: OpenedStore) {
    this.opened = opened;
  }

  async start(keyId: string, lines: number): Promise<Batch> {
    const { store, world } = this.opened;
    const memory = new MemoryFiles();
    const startMs = Date.now();
    const clock = { nowMs: () => startMs + this.clock.nowMs() };
    const findKey = createKeyFinder({ ...world, store, clock, mayUseKeys });
    const own = { findKey, call: (line: LineCall) => this.#call(line) };
    const ports = makeJobPorts({ store, clock: this.clock, files: memory }, own, { parallelMax: PARALLEL });
    const runner = new BatchRunner(ports);
    const key = await store.key(keyId);
    if (key === null) throw new Error(`There is no key ${keyId}.`);
    const batch = await addOwnBatch(key, new KeptBatches(ports, runner.wake), memory, {
      id: "batch_1",
      lines,
    });
    runner.start();
    for (let tries = 0; this.flying < PARALLEL && tries < 100; tries++) await this.clock.move(100);
    return batch;
  }

  async find(): Promise<Batch> {
    const found = await this.opened.store.batches.find("batch_1");
    if (found === null) throw new Error("The batch is gone.");
    return found;
  }

  async #call({ placing, ending }: LineCall): Promise<LineResult> {
    placing.plan([]);
    this.flying++;
    const left = new Promise<void>((resolve) => {
      ending.tell({ end: () => resolve() });
    });
    await Promise.race([left, this.#released]);
    this.flying--;
    const fault = ending.reason !== null ? new Fault("client_gone", "It left.") : null;
    return { requestId: "req", status: 200, body: "{}", fault, costNanoUsd: 0, chargedNanoUsd: 0 };
  }
}

async function open(): Promise<OpenedStore> {
  const opened = await openStore(`sqlite:${join(folder, `${++files}.db`)}`, MASTER_KEY);
  await fill(opened);
  return opened;
}

test.each(ROWS)("%s: a batch of %s %s", async (name, keyId, what, code) => {
  const opened = await open();
  const lines = new RunningLines(opened);
  // Nothing of a batch that is cancelled is left to start.
  await lines.start(keyId, what === "waits" ? PARALLEL + 1 : PARALLEL);
  expect(lines.flying).toBe(PARALLEL);
  await (KEY_ENDS[name] ?? ENDS[name])?.(opened);
  await lines.clock.move(SEEN_MS);
  const seen = await lines.find();
  if (what === "waits") {
    expect([seen.status, lines.flying]).toEqual(["in_progress", PARALLEL]);
    lines.letGo();
    await lines.clock.move(OVER_MS);
    const waiting = await lines.find();
    expect([waiting.status, waiting.detail.waiting?.code, waiting.detail.counts.completed]).toEqual([
      "in_progress",
      code,
      PARALLEL,
    ]);
  } else if (what === "goes on") {
    lines.letGo();
    await lines.clock.move(OVER_MS);
    expect((await lines.find()).status).toBe("completed");
  } else {
    expect([seen.status, seen.detail.waiting?.code]).toEqual(["cancelling", code]);
    await lines.clock.move(OVER_MS - SEEN_MS);
    const ended = await lines.find();
    expect([lines.flying, ended.status, ended.detail.counts.cancelled]).toEqual([0, "cancelled", PARALLEL]);
  }
  await opened.store.close();
});

test("a key is looked up once a second, however many batches it has, and none without batches", async () => {
  const opened = await open();
  const { store } = opened;
  const clock = new ManualClock();
  const memory = new MemoryFiles();
  let looked = 0;
  const findKey = async () => {
    looked++;
    const key = await store.key("key_a");
    if (key === null) throw new Error("There is no key.");
    return key;
  };
  // No line starts, which would look its key up as well.
  const own = { findKey, call: () => new Promise<LineResult>(() => {}), isBusy: () => true };
  const ports = makeJobPorts({ store, clock, files: memory }, own);
  const runner = new BatchRunner(ports);
  runner.start();
  await clock.move(10_000);
  expect(looked).toBe(0);
  const kept = new KeptBatches(ports, runner.wake);
  const key = await store.key("key_a");
  if (key === null) throw new Error("There is no key.");
  for (const id of ["batch_1", "batch_2", "batch_3"])
    await addOwnBatch(key, kept, memory, { id, lines: 300 });
  await clock.move(5000);
  const before = looked;
  await clock.move(10_000);
  expect(looked - before).toBe(10);
  await store.close();
});
