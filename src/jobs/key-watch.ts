// The ends of keys, looked at each second: a batch whose key has ended is cancelled, also while nothing of it starts.
import { toFault } from "../core/fault.ts";
import type { JobPorts } from "./ports.ts";
import type { RunningBatch } from "./running-batch.ts";
import { cancelForKey, cancelForMove } from "./stopping.ts";
import { hasKeyEnded } from "./trying.ts";

type WatchPorts = Pick<JobPorts, "store" | "clock" | "findKey">;

/** Looks once at each key, however many batches it has. A key that only waits stops lines as they start. */
export async function watchKeys(ports: WatchPorts, jobs: Iterable<RunningBatch>): Promise<void> {
  const byKey = Map.groupBy(jobs, ({ batch }) => batch.keyId);
  await Promise.all([...byKey].map(([id, own]) => watchKey(ports, id, own.filter(mayBeCancelled))));
}

function mayBeCancelled({ batch: { status, detail } }: RunningBatch): boolean {
  return (status === "validating" || status === "in_progress") && detail.times.cancellingMs === undefined;
}

async function watchKey(ports: WatchPorts, id: string, jobs: readonly RunningBatch[]): Promise<void> {
  if (jobs.length === 0) return;
  try {
    const { accountId } = await ports.findKey(id);
    for (const job of jobs) if (job.accountId !== accountId) await cancelForMove(ports, job);
  } catch (thrown) {
    const fault = toFault(thrown);
    // A store that is away is asked again in a second.
    if (!hasKeyEnded(fault)) return;
    for (const job of jobs) await cancelForKey(ports, job, fault);
  }
}
