// Leases: one node at a time reads an input, puts results together, or runs the lines of a block.
import type { Batch, BatchBlock, BatchRef, BatchStatus } from "../core/batches/batch.ts";
import type { Transition } from "./job.ts";
import type { JobPorts } from "./ports.ts";

/** Rows that stand for work on the whole batch. */
const LEASES = { validating: -1, finalizing: -2 } as const;

type LeasePorts = Pick<JobPorts, "store">;

/** The next blocks with lines left, where none of them is free. */
const LOOKED_AT = 64;

interface LeasePlace {
  readonly block: number;
  readonly node: string;
  readonly lease: number;
}

function makeLease({ accountId, id }: BatchRef, place: LeasePlace): BatchBlock {
  return { accountId, batchId: id, ...place, remaining: 0, states: "", places: [], pieces: [] };
}

/** A batch whose validation or end is this node's, until another node takes it. */
export interface TakenBatch {
  readonly batch: Batch;
  readonly lease: BatchBlock;
}

/** Takes a batch's validation or its end. Returns the batch as it is, or null if it is another node's or has gone on. */
export async function takeLease(
  { store }: LeasePorts,
  of: BatchRef,
  status: Extract<BatchStatus, keyof typeof LEASES>,
): Promise<TakenBatch | null> {
  const block = LEASES[status];
  const take = (dead: ReadonlySet<string>) =>
    store.batches.change<{ readonly taken: TakenBatch | null; readonly holder: string | null }>(
      of,
      { numbers: [block] },
      (batch, [before]) => {
        const holder = before?.node ?? null;
        if (batch === null || batch.status !== status) return { result: { taken: null, holder: null } };
        if (holder !== null && holder !== store.node && !dead.has(holder))
          return { result: { taken: null, holder } };
        const lease = makeLease(of, { block, node: store.node, lease: (before?.lease ?? 0) + 1 });
        return { blocks: [lease], result: { taken: { batch, lease }, holder: null } };
      },
    );
  const { taken, holder } = await take(new Set());
  if (holder === null) return taken;
  const dead = await store.listDead([holder]);
  return dead.length === 0 ? null : (await take(new Set(dead))).taken;
}

/** Changes a batch as it is by then. Returns null, and changes nothing, once another node has taken it, or if `move` returns null. */
export function moveLeased(
  { store, clock }: Pick<JobPorts, "store" | "clock">,
  { batch: of, lease }: TakenBatch,
  move: (batch: Batch, nowMs: number) => Transition | null,
): Promise<Batch | null> {
  return store.batches.change(of, { numbers: [lease.block] }, (found, [held]) => {
    if (found === null || held?.node !== store.node || held.lease !== lease.lease) return { result: null };
    const moved = move(found, clock.nowMs());
    return moved === null ? { result: null } : { ...moved, result: moved.batch };
  });
}

/** The blocks that a node has of a batch, and the first block that it looks at for another. */
interface OwnBlocks {
  readonly numbers: readonly number[];
  readonly from: number;
}

/** Takes the first block with lines left that no living node has. Null if there is none. */
export async function takeBlock(ports: LeasePorts, of: BatchRef, own: OwnBlocks): Promise<BatchBlock | null> {
  const taken = await takeFree(ports, of, own, []);
  if (taken !== null) return taken;
  const holders = await listOthers(ports, of);
  const dead = holders.length === 0 ? [] : await ports.store.listDead(holders);
  return dead.length === 0 ? null : takeFree(ports, of, { ...own, from: 0 }, dead);
}

function takeFree(
  { store }: LeasePorts,
  of: BatchRef,
  { numbers: except, from }: OwnBlocks,
  dead: readonly string[],
): Promise<BatchBlock | null> {
  const free = { nodes: [store.node, ...dead], except, from };
  return store.batches.change<BatchBlock | null>(of, { free }, (batch, [block]) => {
    if (batch?.status !== "in_progress" || block === undefined) return { result: null };
    const taken = { ...block, node: store.node, lease: block.lease + 1 };
    return { blocks: [taken], result: taken };
  });
}

/** The other nodes that have blocks with lines left. */
function listOthers({ store }: LeasePorts, of: BatchRef): Promise<readonly string[]> {
  return store.batches.change<readonly string[]>(of, { remaining: LOOKED_AT }, (batch, blocks) => ({
    result: batch?.status === "in_progress" ? listHolders(blocks).filter((node) => node !== store.node) : [],
  }));
}

/** Its own is free as well: this process may have lost sight of it. */
export function isFree(node: string | null, own: string, dead: ReadonlySet<string>): boolean {
  return node === null || node === own || dead.has(node);
}

export function listHolders(blocks: readonly BatchBlock[]): readonly string[] {
  return [...new Set(blocks.flatMap(({ node }) => node ?? []))];
}
