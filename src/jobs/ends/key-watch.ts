// The ends of keys, looked at each second: a batch whose key has ended is cancelled, also while nothing of it starts.
import { toFault } from "../../core/faults/fault.ts";
import type { JobPorts } from "../ports.ts";
import type { RunningBatch } from "../running-batch.ts";
import { hasKeyEnded } from "../trying.ts";
import { cancelForKey, cancelForMove } from "./stopping.ts";

type KeyWatchPorts = Pick<JobPorts, "store" | "clock" | "findKey">;

/** Looks once at each key, however many batches it has. Returns true if one was cancelled. A key that waits only stops lines. */
export async function watchKeys(ports: KeyWatchPorts, jobs: Iterable<RunningBatch>): Promise<boolean> {
  const byKey = Map.groupBy(jobs, ({ batch }) => batch.keyId);
  const cancelled = await Promise.all(
    [...byKey].map(([id, own]) => watchKey(ports, id, own.filter(mayBeCancelled))),
  );
  return cancelled.includes(true);
}

function mayBeCancelled({ batch: { status, detail } }: RunningBatch): boolean {
  return (status === "validating" || status === "in_progress") && detail.times.cancellingMs === undefined;
}

async function watchKey(ports: KeyWatchPorts, id: string, jobs: readonly RunningBatch[]): Promise<boolean> {
  if (jobs.length === 0) return false;
  try {
    const { accountId } = await ports.findKey(id);
    const left = jobs.filter((job) => job.accountId !== accountId);
    for (const job of left) await cancelForMove(ports, job);
    return left.length > 0;
  } catch (thrown) {
    const fault = toFault(thrown);
    // A store that is away is asked again in a second.
    if (!hasKeyEnded(fault)) return false;
    for (const job of jobs) await cancelForKey(ports, job, fault);
    return true;
  }
}
