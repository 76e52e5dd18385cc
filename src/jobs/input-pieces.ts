// The pieces of inputs that lines are read from. Lines start in the order of the file, so that the next one is in the same piece:
// reading and unsealing a piece of 1 MB for each line would take longer than the line.
import type { Batch, LinePlace } from "../core/batches/batch.ts";
import { type Files, PIECE_BYTES } from "../files/port.ts";
import { readInput } from "./objects.ts";

/** The most that are kept. Batches take turns, each with a piece of its own. */
const PIECES_MAX = 8;

export class InputPieces {
  readonly #files: Files;
  /** By batch and number, the one that was used longest ago first. */
  readonly #pieces = new Map<string, Promise<Uint8Array>>();

  constructor(files: Files) {
    this.#files = files;
  }

  /** Returns a line's own body. Throws FileMissing. */
  async read(batch: Batch, { from, to }: Pick<LinePlace, "from" | "to">): Promise<Uint8Array<ArrayBuffer>> {
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
    const piece = this.#pieces.get(name) ?? this.#read(batch, number);
    this.#pieces.delete(name);
    this.#pieces.set(name, piece);
    const [oldest] = this.#pieces.keys();
    if (this.#pieces.size > PIECES_MAX && oldest !== undefined) this.#pieces.delete(oldest);
    // The next line may find it again.
    piece.catch(() => this.#pieces.delete(name));
    return piece;
  }

  async #read(batch: Batch, number: number): Promise<Uint8Array> {
    const from = number * PIECE_BYTES;
    const parts = await Array.fromAsync(readInput(this.#files, batch, from, from + PIECE_BYTES));
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
  }
}
