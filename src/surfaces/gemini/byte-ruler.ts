// Converts places in a text from characters to bytes of its UTF-8, which Google's APIs count.

/** The characters between two marks: no place is further from one. */
const STRIDE = 1024;

/** Measures a text that arrives in pieces. Each character is counted once, and again only near a place. */
export class ByteRuler {
  #text = "";
  /** The bytes before every `STRIDE` characters. */
  readonly #marks: number[] = [0];

  add(piece: string): void {
    this.#text += piece;
  }

  /** Returns the bytes before a place, which is a number of characters. */
  measure(place: number): number {
    const end = Math.min(place, this.#text.length);
    const mark = Math.floor(end / STRIDE);
    for (let at = this.#marks.length; at <= mark; at++)
      this.#marks.push((this.#marks[at - 1] ?? 0) + this.#count((at - 1) * STRIDE, at * STRIDE));
    return (this.#marks[mark] ?? 0) + this.#count(mark * STRIDE, end);
  }

  /** A pair of surrogates that is cut in the middle counts half on either side. */
  #count(from: number, to: number): number {
    if (from === to) return 0;
    const text = this.#text;
    let bytes = Buffer.byteLength(text.slice(from, to));
    if (cutsPair(text, from)) bytes -= 1;
    if (cutsPair(text, to)) bytes -= 1;
    return bytes;
  }
}

/** True between the two characters of a pair. Alone, each would be counted as three bytes. */
function cutsPair(text: string, place: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, place - 1), place + 1));
}
