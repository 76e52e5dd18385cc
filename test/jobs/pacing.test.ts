// The pace of lines at providers that limit requests: most of what they allow is used, and few calls are refused.
import { describe, expect, test } from "bun:test";
import type { Attempt } from "../../src/core/attempt.ts";
import { Fault } from "../../src/core/faults/fault.ts";
import { Health } from "../../src/health/health.ts";
import { KeptBatches } from "../../src/jobs/kept-batches.ts";
import type { LineCall, LineResult } from "../../src/jobs/ports.ts";
import { BatchRunner } from "../../src/jobs/runner.ts";
import { makeModelCard } from "../harness/cards.ts";
import { ManualClock } from "../harness/manual-clock.ts";
import { openMemoryStore } from "../harness/samples.ts";
import { addBatch, MemoryFiles, makeJobPorts } from "./job-world.ts";

const MINUTE_MS = 60_000;
const ALLOWED = 600;
const MINUTES = 2;
const REFUSAL_MS = 20;

/** Returns how long a call must wait. 0 if it is taken. */
type Limit = (nowMs: number) => number;

/** A number of calls in each minute of the clock. */
function limitMinutes(): Limit {
  const counts = new Map<number, number>();
  return (nowMs) => {
    const minute = Math.floor(nowMs / MINUTE_MS);
    const count = (counts.get(minute) ?? 0) + 1;
    if (count > ALLOWED) return (minute + 1) * MINUTE_MS - nowMs;
    counts.set(minute, count);
    return 0;
  };
}

/** A bucket that is filled all the time. */
function limitBucket(): Limit {
  let left = ALLOWED;
  let atMs = 0;
  return (nowMs) => {
    left = Math.min(ALLOWED, left + ((nowMs - atMs) * ALLOWED) / MINUTE_MS);
    atMs = nowMs;
    if (left < 1) return MINUTE_MS / ALLOWED;
    left--;
    return 0;
  };
}

/** A provider, and the gateway before it. */
class Provider {
  calls = 0;
  answered = 0;
  refused = 0;
  readonly #clock: ManualClock;
  readonly #health: Health;
  readonly #attempt: Attempt;
  readonly #limit: Limit;

  constructor(clock: ManualClock, limit: Limit) {
    this.#clock = clock;
    this.#health = new Health(() => {});
    this.#attempt = { card: makeModelCard("Acme#model"), credential: { secret: "key", weight: 1 } };
    this.#limit = limit;
  }

  async call({ placing }: LineCall): Promise<LineResult> {
    placing.plan([this.#health.findPace(this.#attempt)]);
    const load = { requests: 1, tokens: 0, isLine: true };
    const permit = this.#health.begin(this.#attempt, this.#clock.monotonicMs(), null, load);
    if (permit === null) return refuse(new Fault("provider_busy", "No room.", { retryAfterMs: 1000 }));
    placing.place();
    const waitMs = this.#limit(this.#clock.nowMs());
    // Answers take from 1 to 3 seconds.
    await this.#wait(waitMs > 0 ? REFUSAL_MS : 1000 + ((this.calls++ * 7919) % 2000));
    const nowMs = this.#clock.monotonicMs();
    if (waitMs === 0) {
      this.answered++;
      permit.finish(nowMs, null);
      return { requestId: "req", status: 200, body: "{}", fault: null, costNanoUsd: 0, chargedNanoUsd: 0 };
    }
    this.refused++;
    const retryAfterMs = Math.ceil(waitMs / 1000) * 1000;
    const fault = new Fault("provider_busy", "Too many requests.", { upstreamStatus: 429, retryAfterMs });
    permit.fail(nowMs, fault);
    return refuse(fault);
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#clock.after(ms, resolve));
  }
}

function refuse(fault: Fault): LineResult {
  return { requestId: "req", status: fault.row.status, body: "{}", fault, costNanoUsd: 0, chargedNanoUsd: 0 };
}

describe("a provider that allows 600 a minute", () => {
  test.each([
    ["by the clock's minutes", limitMinutes],
    ["by a bucket", limitBucket],
  ])("%s answers at least 90 %% of them, and refuses at most 2 %% of the calls", async (_, makeLimit) => {
    const store = await openMemoryStore();
    const world = { store, clock: new ManualClock(), files: new MemoryFiles() };
    const provider = new Provider(world.clock, makeLimit());
    const ports = makeJobPorts(world, { call: (line) => provider.call(line) }, { parallelMax: 64 });
    const runner = new BatchRunner(ports);
    runner.start();
    await addBatch(new KeptBatches(ports, runner.wake), world, "batch_1", MINUTES * ALLOWED * 2);
    for (let at = 0; at < MINUTES; at++) await world.clock.move(MINUTE_MS);
    expect(provider.answered).toBeGreaterThanOrEqual(0.9 * ALLOWED * MINUTES);
    expect(provider.refused).toBeLessThanOrEqual(0.02 * (provider.answered + provider.refused));
    await store.close();
  });
});
