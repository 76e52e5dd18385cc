// Blocks whose lines wait for models are offered to other nodes now and then: a model may answer there.
import type { JobPorts } from "./ports.ts";
import type { RunningBatch } from "./running-batch.ts";
import type { RunningBlock } from "./running-block.ts";

const OFFER_MS = 30_000;
/** A node takes none meanwhile: the others look for blocks each second. */
const OFFERED_MS = 2500;

/** Offers the block that this node has had for longest, if all lines here wait. */
export async function offerBlock(
  ports: Pick<JobPorts, "store">,
  job: RunningBatch,
  nowMs: number,
): Promise<void> {
  if (nowMs - job.offeredMs < OFFER_MS || job.isTaking) return;
  const isIdle = ({ flying, ended, isWriting }: RunningBlock) =>
    flying.size === 0 && ended.length === 0 && !isWriting;
  const block = [...job.blocks.values()].find(isIdle);
  if (block === undefined) return;
  job.offeredMs = nowMs;
  job.nextBlockMs = nowMs + OFFERED_MS;
  // No line of it may start until it is somebody's again.
  job.blocks.delete(block.number);
  await release(ports, job, block);
}

/** The failed tries of its lines go along. */
async function release({ store }: Pick<JobPorts, "store">, { batch }: RunningBatch, block: RunningBlock) {
  const { lease, states } = block.row;
  await store.batches.change(batch, { numbers: [block.number] }, (_, [stored]) => {
    const isOwn = stored?.node === store.node && stored.lease === lease;
    return isOwn ? { blocks: [{ ...stored, node: null, states }], result: null } : { result: null };
  });
}
