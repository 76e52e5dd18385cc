// JSON that is written into the same bytes again and again: pieces of text leave no garbage, and are encoded once.

const INITIAL_BYTES = 16_384;
/** A UTF-16 unit takes at most three bytes. */
const UNIT_BYTES_MAX = 3;
/** Copying fewer bytes one by one takes less time than a call. */
const LOOP_BYTES_MAX = 12;
/** The largest number whose digits are written one by one. */
const SHORT_MAX = 2 ** 31 - 1;
const COMMA = 44;
const ZERO = 48;

/** Text that JSON writes as it is: most are ids and names, for which this takes half the time. */
const PLAIN = /^[ !#-[\]-~]*$/;

export class JsonBytes {
  #bytes = Buffer.allocUnsafe(INITIAL_BYTES);
  #length = 0;

  /** Any text, as it stands between the quotes of a JSON string. Of a lone surrogate, its escape is written. */
  string(value: string): void {
    this.word(PLAIN.test(value) ? value : JSON.stringify(value).slice(1, -1));
  }

  /** Text that is JSON already, or holds nothing that JSON escapes. */
  word(text: string): void {
    this.#reserve(text.length * UNIT_BYTES_MAX);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** JSON that was encoded before. It takes half the time of a text. */
  piece(piece: Uint8Array): void {
    const { length } = piece;
    this.#reserve(length);
    const bytes = this.#bytes;
    let end = this.#length;
    if (length > LOOP_BYTES_MAX) bytes.set(piece, end);
    else for (let at = 0; at < length; at++) bytes[end++] = piece[at] ?? 0;
    this.#length += length;
  }

  /** A whole number. */
  int(value: number): void {
    const isShort = value >= 0 && value <= SHORT_MAX;
    if (isShort) this.digits(value, countDigits(value));
    else this.word(String(value));
  }

  /** The last `count` digits of a whole number below 2³¹, with zeros in front. */
  digits(value: number, count: number): void {
    this.#reserve(count);
    const bytes = this.#bytes;
    let rest = value | 0;
    for (let at = this.#length + count - 1; at >= this.#length; at--) {
      const tenth = (rest / 10) | 0;
      bytes[at] = ZERO + rest - tenth * 10;
      rest = tenth;
    }
    this.#length += count;
  }

  /** Takes back the comma behind the last element of a list, if there is one. */
  dropComma(): void {
    if (this.#length > 0 && this.#bytes[this.#length - 1] === COMMA) this.#length--;
  }

  /** The bytes written so far, which are valid until more is written. */
  view(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  copy(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.view());
  }

  get length(): number {
    return this.#length;
  }

  /** Begins again behind the first `length` bytes. */
  reset(length = 0): void {
    this.#length = length;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.view());
    this.#bytes = grown;
  }
}

function countDigits(value: number): number {
  let count = 1;
  for (let above = 10; above <= value; above *= 10) count++;
  return count;
}

export function encodeText(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
