// JSON with long base64 in it, such as a picture: that stays the bytes in which it came, and the rest is parsed.
import { parseJson } from "./json.ts";

/** Shorter texts are parsed with the rest: to keep them apart would cost more than their copies. */
const LENGTH_MIN = 64 * 1024;
/** No provider writes it by chance; one that does so on purpose gets one of its own texts, once. */
const MARK = "\u0001long-text:";
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const IS_BASE64 = new Uint8Array(256);
for (const byte of Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_="))
  IS_BASE64[byte] = 1;

/** A text of base64 as the bytes that arrived: as a string it would be held once more. */
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

/** Returns the value as a text of either kind, or undefined when it is anything else. */
export function asText(value: unknown): string | LongText | undefined {
  return typeof value === "string" || value instanceof LongText ? value : undefined;
}

/** JSON whose long texts were taken out. */
export class LongJson {
  readonly #skeleton: string;
  readonly #texts: readonly LongText[];

  constructor(skeleton: string, texts: readonly LongText[]) {
    this.#skeleton = skeleton;
    this.#texts = texts;
  }

  /** Returns undefined when it is not JSON, or a long text is named twice or stands where no value does. */
  parse(): unknown {
    if (this.#texts.length === 0) return parseJson(this.#skeleton);
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

/** Takes JSON in pieces, as it arrives. */
export class LongJsonReader {
  readonly #decoder = new TextDecoder();
  readonly #skeleton: string[] = [];
  readonly #texts: LongText[] = [];
  #state: "outside" | "base64" | "plain" | "escaped" = "outside";
  /** The pieces of a text that began in an earlier piece of the body, and may be a long one. */
  #run: Uint8Array<ArrayBuffer>[] = [];
  #runLength = 0;

  push(bytes: Uint8Array<ArrayBuffer>): void {
    /** All before it went to the skeleton or to a long text. */
    let taken = 0;
    let runFrom = 0;
    let at = 0;
    while (at < bytes.length) {
      if (this.#state === "outside") {
        const quote = bytes.indexOf(QUOTE, at);
        at = runFrom = quote === -1 ? bytes.length : quote + 1;
        if (quote !== -1) this.#state = "base64";
      } else if (this.#state === "base64") {
        at = skipBase64(bytes, at);
        if (at === bytes.length) break;
        if (bytes[at] === QUOTE && this.#runLength + at - runFrom >= LENGTH_MIN) {
          this.#add(bytes.subarray(taken, runFrom));
          this.#addText(bytes.subarray(runFrom, at));
          taken = at;
        } else this.#giveUpRun();
        this.#state = bytes[at] === QUOTE ? "outside" : "plain";
        if (this.#state === "outside") at++;
      } else at = this.#skipPlain(bytes, at);
    }
    const isOpen = this.#state === "base64";
    this.#add(bytes.subarray(taken, isOpen ? runFrom : undefined));
    if (isOpen) this.#keepRun(bytes.subarray(runFrom));
  }

  end(): LongJson {
    this.#giveUpRun();
    this.#skeleton.push(this.#decoder.decode());
    return new LongJson(this.#skeleton.join(""), this.#texts);
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

  /** It is no long text: it is parsed with the rest. */
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
