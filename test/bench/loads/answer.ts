// One answer over HTTP as the load generator reads it: every chunk counted, in order, with its time of arrival.

/** A client's dialect. */
export type Surface = "openai" | "anthropic" | "responses";

/** The expected answer. Anything else counts as an error, so that no wrong answer is measured. */
export interface Expected {
  readonly surface: Surface;
  /** The number of text pieces in a stream. Null for a whole answer. */
  readonly chunks: number | null;
  /** The least number of bytes that must have reached the provider. */
  readonly receivedBytes?: number;
}

/** The collected times, in milliseconds. */
export interface Seen {
  /** From the intended time of sending a request to the end of its answer. */
  readonly latencies: number[];
  /** From the same time to the first piece of text. */
  readonly firsts: number[];
  /** Between two pieces of one stream. */
  readonly gaps: number[];
  /** From the provider's sending of a piece to its arrival here, if pieces carry the time. */
  readonly delays: number[];
  chunks: number;
}

export function nothingSeen(): Seen {
  return { latencies: [], firsts: [], gaps: [], delays: [], chunks: 0 };
}

const MARKS: Readonly<
  Record<Surface, { readonly piece: string; readonly last: string; readonly finish: string }>
> = {
  openai: { piece: '"content":"', last: "data: [DONE]", finish: '"finish_reason":"stop"' },
  anthropic: { piece: '"text":"', last: '"type":"message_stop"', finish: '"stop_reason":"end_turn"' },
  responses: { piece: '"delta":"', last: '"type":"response.completed"', finish: '"status":"completed"' },
};

export class AnswerReader {
  readonly #expected: Expected;
  readonly #seen: Seen;
  readonly #intendedMs: number;
  /** The bytes received and not yet read. */
  #text = "";
  /** The same for the body. */
  #body = "";
  #framing: "none" | "chunked" | "to the end" | number = "none";
  #pieces = 0;
  #lastPieceMs = 0;
  #sawLast = false;
  #sawFinish = false;

  constructor(expected: Expected, seen: Seen, intendedMs: number) {
    this.#expected = expected;
    this.#seen = seen;
    this.#intendedMs = intendedMs;
  }

  get pieces(): number {
    return this.#pieces;
  }

  /** Returns true once the answer is whole. Throws if it isn't the expected one. */
  push(text: string, nowMs: number): boolean {
    this.#text = this.#text === "" ? text : this.#text + text;
    if (this.#framing === "none" && !this.#readHead()) return false;
    const isWhole = this.#readBody();
    if (this.#expected.chunks !== null) this.#readFrames(nowMs);
    if (isWhole) this.#check(nowMs);
    return isWhole;
  }

  /** The connection has ended. Throws if the answer isn't whole. */
  end(nowMs: number): void {
    if (this.#framing !== "to the end") throw this.#wrong("the connection ended before it");
    this.#check(nowMs);
  }

  #readHead(): boolean {
    const end = this.#text.indexOf("\r\n\r\n");
    if (end === -1) return false;
    const head = this.#text.slice(0, end);
    this.#text = this.#text.slice(end + 4);
    if (!head.startsWith("HTTP/1.1 200")) throw this.#wrong(head.slice(0, 40) + this.#text.slice(0, 300));
    const length = /\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length !== undefined) this.#framing = Number(length);
    else this.#framing = /\ntransfer-encoding: *chunked/i.test(head) ? "chunked" : "to the end";
    return true;
  }

  #readBody(): boolean {
    if (this.#framing === "chunked") return this.#readChunks();
    this.#body += this.#text;
    const came = this.#text.length;
    this.#text = "";
    if (typeof this.#framing !== "number") return false;
    this.#framing -= came;
    return this.#framing === 0;
  }

  #readChunks(): boolean {
    let from = 0;
    for (;;) {
      const line = this.#text.indexOf("\r\n", from);
      if (line === -1) break;
      const size = Number.parseInt(this.#text.slice(from, line), 16);
      if (this.#text.length < line + 2 + size + 2) break;
      if (size === 0) return true;
      this.#body += this.#text.slice(line + 2, line + 2 + size);
      from = line + 2 + size + 2;
    }
    if (from > 0) this.#text = this.#text.slice(from);
    return false;
  }

  #readFrames(nowMs: number): void {
    let from = 0;
    for (;;) {
      const end = this.#body.indexOf("\n\n", from);
      if (end === -1) break;
      this.#readFrame(this.#body.slice(from, end), nowMs);
      from = end + 2;
    }
    if (from > 0) this.#body = this.#body.slice(from);
  }

  #readFrame(frame: string, nowMs: number): void {
    const { piece, last, finish } = MARKS[this.#expected.surface];
    this.#sawFinish ||= frame.includes(finish);
    this.#sawLast ||= frame.includes(last);
    const at = frame.indexOf(piece);
    if (at === -1) return;
    const from = at + piece.length;
    const number = Number.parseInt(frame.slice(from, from + 8), 10);
    if (Number.isNaN(number)) return;
    if (number !== this.#pieces) throw this.#wrong(`piece ${number} came in the place of ${this.#pieces}`);
    this.#time(frame, from, nowMs);
  }

  #time(frame: string, from: number, nowMs: number): void {
    const seen = this.#seen;
    if (this.#pieces === 0) seen.firsts.push(nowMs - this.#intendedMs);
    else seen.gaps.push(nowMs - this.#lastPieceMs);
    const stamp = frame.indexOf("@", from);
    if (stamp !== -1) {
      const sentMs = Number.parseFloat(frame.slice(stamp + 1, stamp + 18));
      seen.delays.push(performance.timeOrigin + nowMs - sentMs);
    }
    this.#lastPieceMs = nowMs;
    this.#pieces++;
    seen.chunks++;
  }

  #check(nowMs: number): void {
    const { surface, chunks, receivedBytes = 0 } = this.#expected;
    if (chunks === null) {
      const received = Number(/received (\d+) bytes/.exec(this.#body)?.[1]);
      this.#sawFinish = this.#body.includes(MARKS[surface].finish) && received >= receivedBytes;
      this.#sawLast = true;
    } else if (this.#pieces !== chunks) {
      throw this.#wrong(`${this.#pieces} of ${chunks} pieces`);
    }
    if (!this.#sawFinish || !this.#sawLast) throw this.#wrong(this.#body.slice(0, 300));
    this.#seen.latencies.push(nowMs - this.#intendedMs);
  }

  #wrong(what: string): Error {
    return new Error(`Wrong answer: ${what}`);
  }
}
