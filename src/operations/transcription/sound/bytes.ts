// A sound file's bytes, of which only a bounded number can be read.

/** More than a real file's headers take. Reading this much takes about a millisecond. */
export const BYTES_READ_MAX = 128 * 1024;
/** The least that a read counts for, so that the number of reads is bounded too: a file of tiny boxes needs many. */
const READ_BYTES_MIN = 32;
const TWO_TO_32 = 2 ** 32;

/** The file ends within a value, or more than `BYTES_READ_MAX` of it would have to be read. */
export class UnreadableSound extends Error {}

/** Every read throws `UnreadableSound` outside the file, and once the bound is reached. */
export class SoundBytes {
  readonly length: number;
  readonly #bytes: Buffer;
  #read = 0;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.length = bytes.length;
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** The number of bytes that the reads so far count for. */
  get read(): number {
    return this.#read;
  }

  has(at: number, count: number): boolean {
    return at >= 0 && at + count <= this.length;
  }

  u8(at: number): number {
    return this.#take(at, 1).readUInt8(at);
  }

  u16(at: number): number {
    return this.#take(at, 2).readUInt16BE(at);
  }

  u16le(at: number): number {
    return this.#take(at, 2).readUInt16LE(at);
  }

  u32(at: number): number {
    return this.#take(at, 4).readUInt32BE(at);
  }

  u32le(at: number): number {
    return this.#take(at, 4).readUInt32LE(at);
  }

  /** Exact up to 2^53. */
  u64(at: number): number {
    return this.u32(at) * TWO_TO_32 + this.u32(at + 4);
  }

  /** Exact up to 2^53. */
  u64le(at: number): number {
    return this.u32le(at + 4) * TWO_TO_32 + this.u32le(at);
  }

  /** Reads a big-endian float of 4 or 8 bytes. Returns 0 for other sizes. */
  float(at: number, size: number): number {
    const bytes = this.#take(at, size);
    return size === 4 ? bytes.readFloatBE(at) : size === 8 ? bytes.readDoubleBE(at) : 0;
  }

  /** Returns `count` bytes as characters. */
  text(at: number, count: number): string {
    return this.#take(at, count).toString("latin1", at, at + count);
  }

  /** Returns the sum of `count` bytes. */
  sum(at: number, count: number): number {
    let sum = 0;
    for (const byte of this.#take(at, count).subarray(at, at + count)) sum += byte;
    return sum;
  }

  /** Returns where the mark last begins between `from` and `before`, or -1. */
  findLast(mark: string, from: number, before: number): number {
    const window = this.#bytes.subarray(from, before);
    const found = window.lastIndexOf(mark, window.length, "latin1");
    this.#count(found === -1 ? window.length : window.length - found);
    return found === -1 ? -1 : from + found;
  }

  #take(at: number, count: number): Buffer {
    this.#count(count);
    if (!this.has(at, count)) throw new UnreadableSound("The file ends within a value.");
    return this.#bytes;
  }

  #count(bytes: number): void {
    this.#read += Math.max(READ_BYTES_MIN, bytes);
    if (this.#read > BYTES_READ_MAX) throw new UnreadableSound("The file has too many parts.");
  }
}
