// Blocks whose lines wait for models are offered to other nodes now and then: a model may answer there.
import type { JobPorts } from "./ports.ts";
import type { RunningBatch } from "./running-batch.ts";
import type { RunningBlock } from "./running-block.ts";

const FIRST_OFFER_MS = 30_000;
const LAST_OFFER_MS = 600_000;
/** The time between offers after a model has answered on another node, … */
const QUICK_OFFER_MS = 5000;
/** … for as long as this. */
const ELSEWHERE_MS = 600_000;
/** A node takes none meanwhile: the others look for blocks each second. */
const OFFERED_MS = 2500;

/**
 * Offers the block that this node has had for longest, now that all lines here wait: the first after half a minute, the others ever
 * later unless a model was answered elsewhere.
 */
export async function offerBlock(
  ports: Pick<JobPorts, "store">,
  job: RunningBatch,
  nowMs: number,
): Promise<void> {
  const isElsewhere = nowMs - job.elsewhereMs < ELSEWHERE_MS;
  const waitMs = isElsewhere ? QUICK_OFFER_MS : Math.min(FIRST_OFFER_MS * 2 ** job.offers, LAST_OFFER_MS);
  job.nextOfferMs = Math.min(job.nextOfferMs, nowMs + waitMs);
  if (nowMs < job.nextOfferMs || job.isTaking) return;
  const isIdle = ({ flying, ended, unnamed, isWriting }: RunningBlock) =>
    flying.size === 0 && ended.length === 0 && unnamed.length === 0 && !isWriting;
  const block = [...job.blocks.values()].find(isIdle);
  if (block === undefined) return;
  job.nextOfferMs = Number.POSITIVE_INFINITY;
  job.offers++;
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
