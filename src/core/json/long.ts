// Parses JSON with long base64 strings, such as pictures, without decoding those: they stay bytes.

import { malformed } from "../faults/malformed.ts";
import { hasBoundedShape, parseBounded } from "./bounds.ts";
import type { JsonShape } from "./shape.ts";

/** Shorter strings are parsed normally: keeping them apart would cost more than copying them. */
const LENGTH_MIN = 64 * 1024;
/** More strings, names included, than any answer with long ones has: finding each takes time. */
const STRINGS_MAX = 10_000;
/** Never occurs by chance. A provider that sends it on purpose only gets one of its own strings back. */
const MARK = "\u0001long-text:";
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const IS_BASE64 = new Uint8Array(256);
for (const byte of Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_="))
  IS_BASE64[byte] = 1;

/** A base64 string as the bytes that arrived. As a string it would take the memory twice. */
export class LongText {
  readonly pieces: readonly Uint8Array<ArrayBuffer>[];

  constructor(pieces: readonly Uint8Array<ArrayBuffer>[]) {
    this.pieces = pieces;
  }

  get length(): number {
    return this.pieces.reduce((sum, { length }) => sum + length, 0);
  }

  toJSON(): string {
    return Buffer.concat(this.pieces).toString("latin1");
  }
}

/** Returns the value if it is text of either kind, or else undefined. */
export function asText(value: unknown): string | LongText | undefined {
  return typeof value === "string" || value instanceof LongText ? value : undefined;
}

/** JSON with its long strings taken out. */
export class LongJson {
  readonly #skeleton: string;
  readonly #texts: readonly LongText[];

  constructor(skeleton: string, texts: readonly LongText[]) {
    this.#skeleton = skeleton;
    this.#texts = texts;
  }

  /**
   * Returns undefined for invalid JSON, if it has more structure than `most`, or if a long string is used twice or in the
   * wrong place.
   */
  parse(most: JsonShape): unknown {
    if (this.#texts.length === 0) return parseBounded(this.#skeleton, most);
    if (!hasBoundedShape(this.#skeleton, most)) return undefined;
    const left = new Map(this.#texts.map((text, at) => [`${MARK}${at}`, text]));
    let isForged = false;
    const restore = (_key: string, value: unknown) => {
      if (typeof value !== "string" || !value.startsWith(MARK)) return value;
      const text = left.get(value);
      left.delete(value);
      isForged ||= text === undefined;
      return text;
    };
    try {
      const parsed: unknown = JSON.parse(this.#skeleton, restore);
      return isForged || left.size > 0 ? undefined : parsed;
    } catch {
      return undefined;
    }
  }
}

/** Accepts JSON in pieces, as it arrives. */
export class LongJsonReader {
  readonly #decoder = new TextDecoder();
  readonly #skeleton: string[] = [];
  readonly #texts: LongText[] = [];
  #state: "outside" | "base64" | "plain" | "escaped" = "outside";
  /** The parts so far of a string that may turn out to be long. */
  #run: Uint8Array<ArrayBuffer>[] = [];
  #runLength = 0;
  #strings = 0;

  /** Throws a Fault if there are too many strings. */
  push(bytes: Uint8Array<ArrayBuffer>): void {
    /** Everything before this went to the skeleton or to a long string. */
    let taken = 0;
    let runFrom = 0;
    let at = 0;
    while (at < bytes.length) {
      if (this.#state === "outside") at = runFrom = this.#skipToString(bytes, at);
      else if (this.#state === "base64") {
        at = skipBase64(bytes, at);
        if (at === bytes.length) break;
        if (this.#endRun(bytes, taken, runFrom, at)) taken = at;
        if (bytes[at] === QUOTE) at++;
      } else at = this.#skipPlain(bytes, at);
    }
    this.#keepRest(bytes, taken, runFrom);
  }

  end(): LongJson {
    this.#giveUpRun();
    this.#skeleton.push(this.#decoder.decode());
    return new LongJson(this.#skeleton.join(""), this.#texts);
  }

  #skipToString(bytes: Uint8Array, from: number): number {
    const quote = bytes.indexOf(QUOTE, from);
    if (quote === -1) return bytes.length;
    if (++this.#strings > STRINGS_MAX) throw malformed(`JSON of more than ${STRINGS_MAX} texts`);
    this.#state = "base64";
    return quote + 1;
  }

  /** Returns true if the run is a long string, which was added with everything before it. */
  #endRun(bytes: Uint8Array<ArrayBuffer>, taken: number, from: number, to: number): boolean {
    const isClosed = bytes[to] === QUOTE;
    this.#state = isClosed ? "outside" : "plain";
    if (!isClosed || this.#runLength + to - from < LENGTH_MIN) {
      this.#giveUpRun();
      return false;
    }
    this.#add(bytes.subarray(taken, from));
    this.#addText(bytes.subarray(from, to));
    return true;
  }

  /** Adds what wasn't taken. A string that is still open may go on in the next piece. */
  #keepRest(bytes: Uint8Array<ArrayBuffer>, taken: number, runFrom: number): void {
    const isOpen = this.#state === "base64";
    this.#add(bytes.subarray(taken, isOpen ? runFrom : undefined));
    if (isOpen) this.#keepRun(bytes.subarray(runFrom));
  }

  #skipPlain(bytes: Uint8Array, from: number): number {
    let at = from;
    if (this.#state === "escaped") {
      this.#state = "plain";
      at++;
    }
    while (at < bytes.length && bytes[at] !== QUOTE && bytes[at] !== BACKSLASH) at++;
    if (at < bytes.length) this.#state = bytes[at] === QUOTE ? "outside" : "escaped";
    return at + 1;
  }

  #add(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#skeleton.push(this.#decoder.decode(bytes, { stream: true }));
  }

  #addText(last: Uint8Array<ArrayBuffer>): void {
    this.#skeleton.push(JSON.stringify(`${MARK}${this.#texts.length}`).slice(1, -1));
    this.#texts.push(new LongText([...this.#run, last]));
    this.#run = [];
    this.#runLength = 0;
  }

  #keepRun(bytes: Uint8Array<ArrayBuffer>): void {
    this.#run.push(bytes);
    this.#runLength += bytes.length;
  }

  /** Adds a run that turned out too short to what is parsed normally. */
  #giveUpRun(): void {
    for (const bytes of this.#run) this.#add(bytes);
    this.#run = [];
    this.#runLength = 0;
  }
}

function skipBase64(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && IS_BASE64[bytes[at] ?? 0] === 1) at++;
  return at;
}
