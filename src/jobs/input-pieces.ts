// The pieces of inputs that lines are read from. Lines start in the order of the file, so that the next one is in the same piece:
// reading and unsealing a piece of 1 MB for each line would take longer than the line.
import type { Batch, LinePlace } from "../core/batches/batch.ts";
import { freeBytes } from "../core/world/free-bytes.ts";
import { type Files, PIECE_BYTES } from "../files/port.ts";
import { readInput } from "./objects.ts";

/** The most that are kept. Batches take turns, each with a piece of its own. */
const PIECES_MAX = 8;

interface InputPiece {
  readonly batchId: string;
  readonly number: number;
  readonly read: Promise<Uint8Array>;
  /** Null until it has been read. */
  bytes: Uint8Array | null;
}

export class InputPieces {
  readonly #files: Files;
  readonly #isInTurn: boolean;
  /** By batch and number, the one that was used longest ago first. */
  readonly #pieces = new Map<string, InputPiece>();
  /** The piece that was used last, and its name. */
  #last: InputPiece | null = null;

  /** `isInTurn` says that each line has been read before the next one is asked for, so that pieces are freed at once. */
  constructor(files: Files, isInTurn = false) {
    this.#files = files;
    this.#isInTurn = isInTurn;
  }

  /** Returns a line's own body, at once if it lies in the piece that was used last. Throws FileMissing. */
  read(
    batch: Batch,
    place: Pick<LinePlace, "from" | "to">,
  ): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>> {
    const { from, to } = place;
    const number = Math.floor(from / PIECE_BYTES);
    const last = this.#last;
    if (last === null || last.batchId !== batch.id || last.number !== number || last.bytes === null)
      return this.#readLater(batch, place);
    const start = number * PIECE_BYTES;
    return to - start > PIECE_BYTES
      ? this.#readLater(batch, place)
      : new Uint8Array(last.bytes.subarray(from - start, to - start));
  }

  async #readLater(batch: Batch, { from, to }: Pick<LinePlace, "from" | "to">) {
    const body = new Uint8Array(to - from);
    for (let at = from; at < to; ) {
      const number = Math.floor(at / PIECE_BYTES);
      const start = number * PIECE_BYTES;
      const piece = await this.#find(batch, number);
      body.set(piece.subarray(at - start, to - start), at - from);
      at = start + PIECE_BYTES;
    }
    return body;
  }

  #find(batch: Batch, number: number): Promise<Uint8Array> {
    const name = `${batch.id} ${number}`;
    const piece = this.#pieces.get(name) ?? this.#open(batch, number, name);
    this.#pieces.delete(name);
    this.#pieces.set(name, piece);
    this.#last = piece;
    this.#forgetOldest();
    return piece.read;
  }

  #forgetOldest(): void {
    const [oldest] = this.#pieces;
    if (oldest === undefined || this.#pieces.size <= (this.#isInTurn ? 1 : PIECES_MAX)) return;
    const [name, { bytes }] = oldest;
    this.#pieces.delete(name);
    if (this.#isInTurn && bytes !== null) freeBytes(bytes);
  }

  #open(batch: Batch, number: number, name: string): InputPiece {
    const piece: InputPiece = { batchId: batch.id, number, read: this.#read(batch, number), bytes: null };
    piece.read.then(
      (bytes) => {
        piece.bytes = bytes;
      },
      // The next line may find it again.
      () => this.#pieces.delete(name),
    );
    return piece;
  }

  async #read(batch: Batch, number: number): Promise<Uint8Array> {
    const from = number * PIECE_BYTES;
    const parts = await Array.fromAsync(readInput(this.#files, batch, from, from + PIECE_BYTES));
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
  }
}
