// The objects in which a batch keeps pieces: the input of a form without files, and results.
import {
  type Batch,
  type BatchBlock,
  type BatchRef,
  hasEnded,
  type ResultKind,
} from "../core/batches/batch.ts";
import type { StoredFile, StoredObject } from "../core/batches/file.ts";
import { type Files, PIECE_BYTES } from "../files/port.ts";

/** A block has no more pieces of results than this, under as many leases. */
const PIECES_OF_LEASE = 8192;
const LEASES_OF_BLOCK = 1024;

export function nameInput({ id }: Pick<BatchRef, "id">): string {
  return `input of ${id}`;
}

/** Names what the results of a kind are written into. In OpenAI's form it becomes the file of that id as the batch ends. */
export function nameResults({ id, surface }: Pick<Batch, "id" | "surface">, kind: ResultKind): string {
  if (surface !== "openai-batches") return `results of ${id}`;
  return `file-${id.slice("batch_".length)}${kind === "o" ? "01" : "02"}`;
}

/** Returns the number of the `made`th piece of a block, which no other lease of the block has. */
export function numberPiece({ block, lease }: Pick<BatchBlock, "block" | "lease">, made: number): number {
  return (block * LEASES_OF_BLOCK + (lease % LEASES_OF_BLOCK)) * PIECES_OF_LEASE + (made % PIECES_OF_LEASE);
}

/** Returns the objects that are the batch's own, and go with it. */
export function listObjects(batch: Batch): readonly StoredObject[] {
  if (!needsResults(batch)) return [];
  const results = (["o", "e"] as const).map((kind) => nameResults(batch, kind));
  const { accountId } = batch;
  return [...new Set([nameInput(batch), ...results])].map((object) => ({ accountId, object }));
}

/** False once they are files. */
export function needsResults(batch: Batch): boolean {
  return batch.surface !== "openai-batches" || !hasEnded(batch);
}

/** Yields the bytes of the input from `from` to `to`. Throws FileMissing. */
export function readInput(files: Files, batch: Batch, from: number, to: number): AsyncIterable<Uint8Array> {
  const { detail } = batch;
  return detail.inputFileId === null
    ? readPieces(files, batch, from, Math.min(to, detail.inputBytes))
    : files.read(describeFile(batch, detail.inputFileId), from, to);
}

async function* readPieces(files: Files, batch: Batch, from: number, to: number): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to; ) {
    const number = Math.floor(at / PIECE_BYTES);
    const start = number * PIECE_BYTES;
    const piece = await files.pieces.read(batch.accountId, nameInput(batch), number);
    yield piece.subarray(at - start, to - start);
    at = start + PIECE_BYTES;
  }
}

/** The file may have ended by now for its client: it stays as long as the batch reads it. */
function describeFile({ accountId, memberId, keyId, detail }: Batch, id: string): StoredFile {
  const owner = { accountId, memberId };
  const times = { createdMs: 0, expiresMs: 0 };
  return {
    id,
    form: "openai",
    owner,
    keyId,
    name: "",
    purpose: "batch",
    type: "",
    bytes: detail.inputBytes,
    ...times,
  };
}

/** Writes a stream as pieces of an object, and returns its length. Pieces but the last are full. */
export async function writePieces(
  { pieces }: Pick<Files, "pieces">,
  { accountId, object }: StoredObject,
  stream: AsyncIterable<Uint8Array>,
  numberOf: (made: number) => number = (made) => made,
): Promise<number> {
  let piece = new Uint8Array(PIECE_BYTES);
  let filled = 0;
  let number = 0;
  for await (const chunk of stream) {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + PIECE_BYTES - filled);
      piece.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < PIECE_BYTES) continue;
      await pieces.write(accountId, object, numberOf(number++), piece);
      piece = new Uint8Array(PIECE_BYTES);
      filled = 0;
    }
  }
  if (filled > 0) await pieces.write(accountId, object, numberOf(number), piece.subarray(0, filled));
  return number * PIECE_BYTES + filled;
}
