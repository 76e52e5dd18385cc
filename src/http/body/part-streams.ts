// Reads multipart/form-data (RFC 7578) as it arrives: no more of it is in memory than a piece and its boundary.
import { badForm, type FormPart, HEAD_BYTES_MAX, HEAD_END, LAST, LINE_END, readHead } from "./multipart.ts";

/** A part whose bytes are still arriving. They must be read before the next part is asked for. */
export interface PartStream extends Omit<FormPart, "bytes"> {
  readonly bytes: AsyncGenerator<Uint8Array>;
}

/** Yields the parts in order. Throws the Fault that says what is wrong, and what the source throws. */
export async function* streamParts(
  source: AsyncIterable<Uint8Array>,
  boundary: string,
): AsyncGenerator<PartStream> {
  const arriving = new Arriving(source);
  const delimiter = Buffer.from(`--${boundary}`);
  const preamble = await arriving.readUpTo(delimiter, HEAD_BYTES_MAX);
  if (preamble === null || !(preamble.length === 0 || preamble.toString("latin1").endsWith(LINE_END)))
    throw badForm("its boundary is missing");
  for (;;) {
    const lineEnd = (await arriving.read(LINE_END.length)).toString("latin1");
    if (lineEnd === LAST) return;
    if (lineEnd !== LINE_END) throw badForm("a boundary line has extra characters");
    const head = await arriving.readUpTo(Buffer.from(HEAD_END), HEAD_BYTES_MAX);
    if (head === null) throw badForm("a part has no headers, or its headers are too long");
    const bytes = readPart(arriving, Buffer.from(LINE_END + delimiter.toString()));
    yield { ...readHead(head.toString("utf8")), bytes };
    // The part may have been left.
    for await (const _ of bytes);
  }
}

/** Yields a part's bytes up to the delimiter. A possible beginning of it is held back until more has arrived. */
async function* readPart(arriving: Arriving, delimiter: Buffer): AsyncGenerator<Uint8Array> {
  for (;;) {
    const at = arriving.held.indexOf(delimiter);
    if (at !== -1) {
      if (at > 0) yield arriving.take(at);
      arriving.take(delimiter.length);
      return;
    }
    const sure = arriving.held.length - delimiter.length + 1;
    if (sure > 0) yield arriving.take(sure);
    if (!(await arriving.more())) throw badForm("it ends within a part");
  }
}

/** The bytes that have arrived and aren't read yet. */
class Arriving {
  held: Buffer = Buffer.alloc(0);
  readonly #source: AsyncIterator<Uint8Array>;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Waits for more. Returns false at the end. */
  async more(): Promise<boolean> {
    const { done, value } = await this.#source.next();
    if (done) return false;
    this.held = this.held.length === 0 ? Buffer.from(value) : Buffer.concat([this.held, value]);
    return true;
  }

  take(count: number): Buffer {
    const taken = this.held.subarray(0, count);
    this.held = this.held.subarray(count);
    return taken;
  }

  /** Reads this many bytes. Throws if fewer are left. */
  async read(count: number): Promise<Buffer> {
    while (this.held.length < count) if (!(await this.more())) throw badForm("it ends early");
    return this.take(count);
  }

  /** Reads what comes before these bytes, and them. Null if they don't come within this many. */
  async readUpTo(end: Buffer, most: number): Promise<Buffer | null> {
    for (;;) {
      const at = this.held.subarray(0, most + end.length).indexOf(end);
      if (at !== -1) {
        const before = this.take(at);
        this.take(end.length);
        return before;
      }
      if (this.held.length > most || !(await this.more())) return null;
    }
  }
}
