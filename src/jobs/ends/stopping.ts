// Refusals that concern a whole batch: it waits until money or time heals them, or is cancelled, since its key has ended.
import type { Batch } from "../../core/batches/batch.ts";
import { type Fault, showLimit } from "../../core/faults/fault.ts";
import { cancel, resume, wait } from "../job.ts";
import type { JobPorts } from "../ports.ts";
import type { RunningBatch } from "../running-batch.ts";
import { moveOn } from "../validating.ts";

type StopPorts = Pick<JobPorts, "store" | "clock">;

/** A batch that waits asks again after this long, if nothing says when it heals. */
export const PROBE_MS = 2000;

/** The batch waits until it heals. One line at a time asks whether it has. */
export async function stopBatch(
  ports: StopPorts,
  job: RunningBatch,
  fault: Fault,
  advance: () => void,
): Promise<void> {
  const nowMs = ports.clock.nowMs();
  const { resetAtMs, limit } = fault.details;
  const resetsAtMs = resetAtMs ?? limit?.resetsAtMs ?? null;
  job.isProbing = true;
  job.pausedUntilMs = nowMs + PROBE_MS;
  if (resetsAtMs !== null && resetsAtMs > nowMs) job.pausedUntilMs = Math.min(job.pausedUntilMs, resetsAtMs);
  ports.clock.after(job.pausedUntilMs - nowMs + 1, advance);
  const waiting = {
    code: fault.code,
    message: fault.message,
    resetsAtMs,
    ...(limit ? { limit: { ...showLimit(limit) } } : {}),
  };
  if (job.batch.detail.waiting?.code === fault.code) return;
  job.batch = (await moveOn(ports, job.batch, (batch, atMs) => wait(batch, waiting, atMs))) ?? job.batch;
}

/** The batch's key has ended for it: an account that closes has its keys refused. */
export async function cancelForKey(
  ports: StopPorts,
  job: RunningBatch,
  { code, message }: Fault,
): Promise<void> {
  const account = await ports.store.account(job.batch.accountId);
  if (account?.closingAtMs == null) await cancelBatch(ports, job, code, message);
  else await cancelBatch(ports, job, "account_closed", "The account was closed.");
}

export function cancelForMove(ports: StopPorts, job: RunningBatch): Promise<void> {
  return cancelBatch(ports, job, "key_moved", "The key was moved to another account.");
}

async function cancelBatch(
  ports: StopPorts,
  job: RunningBatch,
  code: string,
  message: string,
): Promise<void> {
  const moved = await moveOn(ports, job.batch, (batch, nowMs) =>
    cancel(batch, nowMs, { code, message, resetsAtMs: null, sinceMs: nowMs }),
  );
  job.batch = moved ?? job.batch;
}

/** A line was let in: the batch waits no longer for what stopped it, even if the line's model then failed. */
export async function goOn(ports: StopPorts, job: RunningBatch): Promise<void> {
  job.isProbing = false;
  if (job.batch.detail.waiting === null) return;
  const move = (batch: Batch) => ({ batch: resume(batch, false), events: [] });
  job.batch = (await moveOn(ports, job.batch, move)) ?? job.batch;
}
