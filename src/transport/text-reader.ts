// Reads a body as it arrives: as text decoded by the runtime, from Amazon's frames, or byte by byte; or whole, within its
// bounds.
import { malformed } from "../core/faults/malformed.ts";
import { LongJsonReader } from "../core/json/long.ts";
import type { DeliveredBody, Outgoing } from "../core/models/dialect.ts";
import { EventStreamText } from "./framing/aws-eventstream.ts";

export interface TextReader {
  read(): Promise<Bun.ReadableStreamDefaultReadResult<string>>;
}

const EVENTS = /^text\/event-stream\b/i;

export function makeReader(response: Response, answer: Outgoing["answer"]): TextReader {
  const isBytes = answer === "bytes" && !EVENTS.test(response.headers.get("content-type") ?? "");
  if (isBytes && response.body !== null) return readLatin1(response.body.getReader());
  if (answer !== "aws-eventstream" || response.body === null) return response.textStream().getReader();
  return new FrameReader(response.body.getReader());
}

/** Reads a binary body as Latin-1, one character per byte, which takes no more memory than the bytes. */
function readLatin1(source: ReadableStreamDefaultReader<Uint8Array>): TextReader {
  return {
    async read() {
      const { done, value } = await source.read();
      if (done) return { done, value: undefined };
      return { done, value: Buffer.from(value.buffer, value.byteOffset, value.length).toString("latin1") };
    },
  };
}

/**
 * Reads a body of frames as text. A server that sends text although frames were requested works too: no text begins
 * with the zero byte that starts every length below 16 MB.
 */
class FrameReader implements TextReader {
  readonly #source: ReadableStreamDefaultReader<Uint8Array>;
  readonly #frames = new EventStreamText();
  /** Null until something is read, or if frames are read. */
  #decoder: TextDecoder | null = null;
  #isBegun = false;

  constructor(source: ReadableStreamDefaultReader<Uint8Array>) {
    this.#source = source;
  }

  /**
   * Returns the text of the next events. Rejects with the fault that ended the stream after everything before it was
   * read. A body that ends within a frame just ends: its dialect decides whether the answer was complete.
   */
  async read(): Promise<Bun.ReadableStreamDefaultReadResult<string>> {
    for (;;) {
      if (this.#frames.failure) throw this.#frames.failure;
      const { done, value } = await this.#source.read();
      if (done) return { done, value: undefined };
      const text = this.#decode(value);
      if (text !== "") return { done: false, value: text };
    }
  }

  #decode(bytes: Uint8Array): string {
    const [first] = bytes;
    if (!this.#isBegun && first !== undefined) {
      this.#isBegun = true;
      if (first !== 0) this.#decoder = new TextDecoder();
    }
    return this.#decoder ? this.#decoder.decode(bytes, { stream: true }) : this.#frames.push(bytes);
  }
}

/**
 * Reads the rest and returns true if it reached the end. The answer is already complete, so an error has no other
 * effect.
 */
export async function drainReader(reader: TextReader): Promise<boolean> {
  try {
    while (!(await reader.read()).done);
    return true;
  } catch {
    return false;
  }
}

/** The length of a compressed body is unknown. */
export function isBounded(headers: Headers, bytesMax: number): boolean {
  const length = headers.get("content-length");
  return length !== null && Number(length) <= bytesMax && !headers.has("content-encoding");
}

export function isClosing(headers: Headers): boolean {
  return headers.get("connection")?.toLowerCase() === "close";
}

/** Reads a whole body as text, or as JSON without copying its long strings. Rejects if it is too long or breaks off. */
export async function readLarge(
  response: Response,
  isLong: boolean,
  bytesMax: number,
): Promise<DeliveredBody["body"]> {
  if (isLong) {
    const reader = new LongJsonReader();
    await readBytes(response, bytesMax, (piece) => reader.push(piece));
    return reader.end();
  }
  const pieces: string[] = [];
  await readText(response, bytesMax, pieces);
  return pieces.join("");
}

/** Appends the body's text to `pieces`. Rejects if it is too long or breaks off. */
export function readText(response: Response, bytesMax: number, pieces: string[]): Promise<void> {
  const decoder = new TextDecoder();
  return readBytes(response, bytesMax, (piece) => {
    pieces.push(decoder.decode(piece, { stream: true }));
  });
}

async function readBytes(
  response: Response,
  bytesMax: number,
  onPiece: (piece: Uint8Array<ArrayBuffer>) => void,
): Promise<void> {
  let length = 0;
  for await (const piece of response.body ?? []) {
    onPiece(piece);
    length += piece.byteLength;
    if (length > bytesMax) throw malformed("the answer is too large");
  }
}
