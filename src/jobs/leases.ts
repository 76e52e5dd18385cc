// Leases: one node at a time reads an input, puts results together, or runs the lines of a block.
import type { Batch, BatchBlock, BatchRef, BatchStatus } from "../core/batches/batch.ts";
import type { JobPorts } from "./ports.ts";

/** Rows that stand for work on the whole batch. */
const LEASES = { validating: -1, finalizing: -2 } as const;

type LeasePorts = Pick<JobPorts, "store">;

/** The next blocks with lines left, of which some may be other nodes'. */
const LOOKED_AT = 64;

function makeLease({ accountId, id }: BatchRef, block: number, node: string): BatchBlock {
  return { accountId, batchId: id, block, node, lease: 0, remaining: 0, states: "", places: [], pieces: [] };
}

/** Takes a batch's validation or its end. Returns the batch as it is, or null if it is another node's or has gone on. */
export async function takeLease(
  { store }: LeasePorts,
  of: BatchRef,
  status: Extract<BatchStatus, keyof typeof LEASES>,
): Promise<Batch | null> {
  const block = LEASES[status];
  const take = (dead: ReadonlySet<string>) =>
    store.batches.change<{ readonly taken: Batch | null; readonly holder: string | null }>(
      of,
      { numbers: [block] },
      (batch, [lease]) => {
        const holder = lease?.node ?? null;
        if (batch === null || batch.status !== status) return { result: { taken: null, holder: null } };
        if (holder !== null && holder !== store.node && !dead.has(holder))
          return { result: { taken: null, holder } };
        return { blocks: [makeLease(of, block, store.node)], result: { taken: batch, holder: null } };
      },
    );
  const { taken, holder } = await take(new Set());
  if (holder === null) return taken;
  const dead = await store.listDead([holder]);
  return dead.length === 0 ? null : (await take(new Set(dead))).taken;
}

/** Takes the first block with lines left that no living node has. Null if there is none. */
export async function takeBlock(
  { store }: LeasePorts,
  of: BatchRef,
  own: ReadonlySet<number>,
): Promise<BatchBlock | null> {
  const take = (dead: ReadonlySet<string>) =>
    store.batches.change<{ readonly taken: BatchBlock | null; readonly holders: readonly string[] }>(
      of,
      { remaining: LOOKED_AT },
      (batch, blocks) => {
        if (batch?.status !== "in_progress") return { result: { taken: null, holders: [] } };
        const free = blocks.find(({ node, block }) => isFree(node, store.node, dead) && !own.has(block));
        if (free === undefined) return { result: { taken: null, holders: listHolders(blocks) } };
        const taken = { ...free, node: store.node, lease: free.lease + 1 };
        return { blocks: [taken], result: { taken, holders: [] } };
      },
    );
  const { taken, holders } = await take(new Set());
  const others = holders.filter((node) => node !== store.node);
  if (taken !== null || others.length === 0) return taken;
  const dead = await store.listDead(others);
  return dead.length === 0 ? null : (await take(new Set(dead))).taken;
}

/** Its own is free as well: this process may have lost sight of it. */
export function isFree(node: string | null, own: string, dead: ReadonlySet<string>): boolean {
  return node === null || node === own || dead.has(node);
}

export function listHolders(blocks: readonly BatchBlock[]): readonly string[] {
  return [...new Set(blocks.flatMap(({ node }) => node ?? []))];
}
