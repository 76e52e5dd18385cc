// The place that a text's search has reached, and where the runs began that it stands in.
import { isAlphanumeric, isDigit, isLetter } from "./characters.ts";
import { RUN_MAX, RUNS, type Starts } from "./starts.ts";

const ASCII = 128;
const PLUS = 43;
const SLASH = 47;
const HYPHEN = 45;
const UNDERSCORE = 95;
/** Before every text. */
const FAR = -1_000_000;

export class Reading {
  at = 0;
  base64From = 0;
  /** The start of a run of letters, digits, `_` and `-`. */
  tokenFrom = 0;
  /** The last place at which a word can have begun: without one nearby, no words are looked for. */
  wordFrom: number;

  /** `isAfterName`: a field's name stands before the text. */
  constructor(isAfterName: boolean) {
    this.wordFrom = isAfterName ? 0 : FAR;
  }

  /** Passes all at which nobody is asked: most of a text. Stands outside a run before and afterwards. */
  pass(text: string, end: number, { askedSigns, askedLetters }: Starts): void {
    let { at } = this;
    while (at < end) {
      const code = text.charCodeAt(at);
      if (isLetter(code)) {
        const to = findWordEnd(text, at, end);
        if (to === end || askedLetters[code * RUNS + Math.min(to - at, RUN_MAX)] === 1) break;
        this.wordFrom = at;
        at = to;
      } else {
        if (isDigit(code) || askedSigns[code] === 1) break;
        this.passSign(code, at++);
      }
    }
    this.at = at;
  }

  passSign(code: number, at: number): void {
    if (code >= ASCII) this.wordFrom = at;
    if (code !== PLUS && code !== SLASH) this.base64From = at + 1;
    if (code !== HYPHEN && code !== UNDERSCORE) this.tokenFrom = at + 1;
  }

  /** Goes on at a place before which no value stands. */
  skip(to: number): void {
    this.at = to;
    this.base64From = to;
    this.tokenFrom = to;
    this.wordFrom = to;
  }

  /** The first characters of the text that was known are forgotten. */
  slide(dropped: number): void {
    this.at -= dropped;
    this.base64From -= dropped;
    this.tokenFrom -= dropped;
    this.wordFrom -= dropped;
  }
}

function findWordEnd(text: string, from: number, limit: number): number {
  let end = from + 1;
  while (end < limit && isAlphanumeric(text.charCodeAt(end))) end++;
  return end;
}
