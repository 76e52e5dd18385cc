// Reads a body as text as it arrives: decoded by the runtime, out of Amazon's frames, or byte by byte.
import type { Outgoing } from "../core/dialect.ts";
import { EventStreamText } from "./framing/aws-eventstream.ts";

export interface TextReader {
  read(): Promise<Bun.ReadableStreamDefaultReadResult<string>>;
}

const EVENTS = /^text\/event-stream\b/i;

export function makeReader(response: Response, answer: Outgoing["answer"]): TextReader {
  const isBytes = answer === "bytes" && !EVENTS.test(response.headers.get("content-type") ?? "");
  if (isBytes && response.body !== null) return readBytes(response.body.getReader());
  if (answer !== "aws-eventstream" || response.body === null) return response.textStream().getReader();
  return new FrameReader(response.body.getReader());
}

/** Reads a body that is no text: each byte is one character (Latin-1), which takes no more memory than the byte. */
function readBytes(source: ReadableStreamDefaultReader<Uint8Array>): TextReader {
  return {
    async read() {
      const { done, value } = await source.read();
      if (done) return { done, value: undefined };
      return { done, value: Buffer.from(value.buffer, value.byteOffset, value.length).toString("latin1") };
    },
  };
}

/**
 * Reads a body of frames as readers of text read theirs. A server that answers in text although frames were asked for is
 * understood too: no text begins with the zero byte that every length below 16 MB begins with.
 */
class FrameReader implements TextReader {
  readonly #source: ReadableStreamDefaultReader<Uint8Array>;
  readonly #frames = new EventStreamText();
  /** null: nothing was read yet, or what was read are frames. */
  #decoder: TextDecoder | null = null;
  #isBegun = false;

  constructor(source: ReadableStreamDefaultReader<Uint8Array>) {
    this.#source = source;
  }

  /**
   * Returns the text of the next events. Rejects with the fault that ended the stream, once all before it was read. The end of
   * the body within a frame is an end: whether the answer was whole is for its dialect to say.
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

/** Reads the rest and returns true if it came to its end. The answer is whole already, so an error here has no other effect. */
export async function readOff(reader: TextReader): Promise<boolean> {
  try {
    while (!(await reader.read()).done);
    return true;
  } catch {
    return false;
  }
}

/** A compressed body may be of any length. */
export function isBounded(headers: Headers, bytesMax: number): boolean {
  const length = headers.get("content-length");
  return length !== null && Number(length) <= bytesMax && !headers.has("content-encoding");
}

export function isClosing(headers: Headers): boolean {
  return headers.get("connection")?.toLowerCase() === "close";
}
