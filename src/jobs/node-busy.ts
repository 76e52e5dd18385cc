// A node that has been too busy to start a line says so: on the batches that wait for it, and among its problems.
import type { Batch } from "../core/batches/batch.ts";
import { NODE_BUSY, type Transition, wait } from "./job.ts";
import type { JobPorts } from "./ports.ts";
import type { RunningBatch } from "./running-batch.ts";
import { moveOn } from "./validating.ts";

/** It is said once no line has started for this long. */
const BUSY_MS = 10_000;
const WAITING = {
  code: NODE_BUSY,
  message:
    "This node's event loop is late, its memory for bodies is in use, or its store is slow: lines start one at a time.",
  resetsAtMs: null,
} as const;

export class NodeBusy {
  /** Unix milliseconds. Null while lines start, or none waits. */
  sinceMs: number | null = null;
  /** The time since which lines are held back, on the monotonic clock. Null while they aren't. */
  #heldMs: number | null = null;

  /** Looks whether lines are held back, and when the last one started. Writes only what has changed. */
  async look(
    ports: Pick<JobPorts, "store" | "clock">,
    jobs: Iterable<RunningBatch>,
    isHeld: boolean,
    startedMs: number,
  ): Promise<void> {
    const nowMs = ports.clock.monotonicMs();
    this.#heldMs = isHeld ? (this.#heldMs ?? nowMs) : null;
    const waitedMs = this.#heldMs === null ? 0 : nowMs - Math.max(this.#heldMs, startedMs);
    const waiting = waitedMs < BUSY_MS ? [] : [...jobs].filter(waitsForNode);
    this.sinceMs = waiting.length === 0 ? null : ports.clock.nowMs() - waitedMs;
    for (const job of waiting)
      if (job.batch.detail.waiting === null) job.batch = (await moveOn(ports, job.batch, note)) ?? job.batch;
  }
}

function waitsForNode({ batch, blocks }: RunningBatch): boolean {
  return (
    batch.status === "in_progress" &&
    blocks.size > 0 &&
    (batch.detail.waiting?.code ?? NODE_BUSY) === NODE_BUSY
  );
}

function note(found: Batch, atMs: number): Transition {
  return found.detail.waiting === null ? wait(found, WAITING, atMs) : { batch: found, events: [] };
}
