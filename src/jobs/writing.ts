// Writes the results of lines: first as pieces that would survive a power failure, then by the transaction that names them.
import {
  type Batch,
  type BatchBlock,
  type BatchCounts,
  type BatchSums,
  nameLineReply,
  type ResultPiece,
} from "../core/batches/batch.ts";
import { freeBytes } from "../core/world/free-bytes.ts";
import { PIECE_BYTES } from "../files/port.ts";
import { changeDetail, finalize, resume } from "./job.ts";
import { addEnds, isOpen } from "./lines.ts";
import { nameResults } from "./objects.ts";
import type { JobPorts } from "./ports.ts";
import type { EndedLine, RunningBlock } from "./running-block.ts";

/** Results are written once they take this much, or after a while. */
export const RESULT_CHARACTERS = 524_288;

type WritePorts = Pick<JobPorts, "store" | "files" | "clock">;

/** Returns the batch as it is then. Null if the block is another node's by now: its lines are answered there. */
export async function writeResults(
  ports: WritePorts,
  batch: Batch,
  block: RunningBlock,
  ended: readonly EndedLine[],
): Promise<Batch | null> {
  const { store, clock } = ports;
  const pieces = await writePieces(ports, batch, block, ended);
  block.unnamed.push(...pieces);
  const row = block.describe(ended, pieces);
  const repliesGone = ended.map(({ at }) => nameLineReply(batch.id, block.countLine(at)));
  const { written, named } = await store.batches.change<WriteResult>(
    batch,
    { numbers: [block.number] },
    (found, [stored]) => {
      if (found === null || stored?.node !== store.node || stored.lease !== row.lease)
        return { result: { written: null, named: stored?.pieces ?? [] } };
      const counted = countEnds(found, [{ before: stored, after: row }]);
      // A write whose answer was lost is repeated: what the stored row has of it counts already.
      const added = ended.filter(({ at }) => isOpen(stored.states, at));
      const sums = added.reduce(addCosts, counted.detail.sums);
      const bytes = found.bytes + countBytes(row) - countBytes(stored);
      const summed = changeDetail({ ...counted, bytes }, { sums });
      const run = ended.filter(({ end }) => end === "completed" || end === "failed");
      const isAnswered = run.some(({ isUnanswered }) => !isUnanswered);
      const moved = finalize(run.length > 0 ? resume(summed, isAnswered) : summed, clock.nowMs());
      const result = { written: moved.batch, named: row.pieces };
      return { batch: moved.batch, blocks: [row], events: moved.events, repliesGone, result };
    },
  );
  if (written !== null) block.settle(row, ended);
  // Those that stay are in nobody's way, and go with their object: the results themselves are written by now.
  await removeUnnamed(ports, batch, block.unnamed.splice(0), named).catch(() => {});
  return written;
}

/** Removes pieces that no row names, nor will: of a write that was repeated, or of a block that is another node's by now. */
async function removeUnnamed(
  { files }: Pick<JobPorts, "files">,
  batch: Batch,
  pieces: readonly ResultPiece[],
  named: readonly ResultPiece[],
): Promise<void> {
  const numbers = new Set(named.map(({ number }) => number));
  for (const { kind, number } of pieces)
    if (!numbers.has(number)) await files.pieces.remove(batch.accountId, nameResults(batch, kind), [number]);
}

interface WriteResult {
  readonly written: Batch | null;
  /** The pieces that the block's row names. */
  readonly named: readonly ResultPiece[];
}

async function writePieces(
  { files }: Pick<JobPorts, "files">,
  batch: Batch,
  block: RunningBlock,
  ended: readonly EndedLine[],
): Promise<readonly ResultPiece[]> {
  const written: ResultPiece[] = [];
  for (const kind of ["o", "e"] as const) {
    const end = kind === "o" ? "completed" : "failed";
    const texts = ended.filter((line) => line.end === end).map(({ text }) => text);
    const bytes = new TextEncoder().encode(texts.join(""));
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const number = block.takePiece();
      const piece = bytes.subarray(at, at + PIECE_BYTES);
      await files.pieces.write(batch.accountId, nameResults(batch, kind), number, piece);
      written.push({ number, kind, bytes: piece.length });
    }
    freeBytes(bytes);
  }
  return written;
}

function countBytes({ pieces }: BatchBlock): number {
  return pieces.reduce((sum, { bytes }) => sum + bytes, 0);
}

function addCosts(sums: BatchSums, { costNanoUsd, chargedNanoUsd }: EndedLine): BatchSums {
  return {
    ...sums,
    costNanoUsd: sums.costNanoUsd + costNanoUsd,
    chargedNanoUsd: sums.chargedNanoUsd + chargedNanoUsd,
  };
}

export interface ChangedBlock {
  readonly before: BatchBlock;
  readonly after: BatchBlock;
}

/** Counts the lines that have ended in blocks. */
export function countEnds(batch: Batch, changed: readonly ChangedBlock[]): Batch {
  const counts = changed.reduce<BatchCounts>(
    (all, { before, after }) => addEnds(all, before.states, after.states),
    batch.detail.counts,
  );
  return changeDetail(batch, { counts });
}

/** Lets go of a block, so that another node may run its lines at once. */
export async function releaseBlock({ store }: WritePorts, of: Batch, number: number): Promise<void> {
  await store.batches.change(of, { numbers: [number] }, (_, [stored]) =>
    stored?.node === store.node ? { blocks: [{ ...stored, node: null }], result: null } : { result: null },
  );
}
