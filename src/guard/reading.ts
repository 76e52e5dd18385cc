// The place that a text's search has reached, and where the runs began that it stands in.
import { isAlphanumeric, isDigit } from "./characters.ts";
import { CONTEXT_CHARACTERS } from "./detector.ts";
import { readSeparatorKind } from "./forms.ts";
import { KINDS, RUN_MAX, RUNS, readFirst, type Starts } from "./starts.ts";

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

  /**
   * Passes all at which nobody is asked: most of a text. Stands outside a run before and afterwards. Returns the end of the last run
   * that it saw: it stands before it if somebody may be asked there, and one that ends at `end` may go on.
   */
  pass(text: string, end: number, starts: Starts): number {
    const { askedSigns } = starts;
    let { at } = this;
    let runEnd = at;
    while (at < end) {
      const code = text.charCodeAt(at);
      if (isAlphanumeric(code)) {
        runEnd = findWordEnd(text, at, end);
        if (!this.passRun(text, at, runEnd, end, starts)) break;
        at = runEnd;
      } else {
        if (askedSigns[code] === 1) break;
        this.passSign(code, at++);
      }
    }
    this.at = at;
    return runEnd;
  }

  /** Passes a run of letters and digits. False if somebody may be asked there, or if it may go on. */
  passRun(text: string, from: number, to: number, end: number, starts: Starts): boolean {
    if (to === end || this.#isAsked(text, from, to, starts)) return false;
    if (!isDigit(text.charCodeAt(from))) this.wordFrom = from;
    return true;
  }

  /** False if no word can stand near before a place. */
  isNearWord(at: number): boolean {
    return at - this.wordFrom <= CONTEXT_CHARACTERS;
  }

  /** True if somebody may be asked at this run. */
  #isAsked(text: string, at: number, to: number, { askedLetters, askedDigits }: Starts): boolean {
    const code = text.charCodeAt(at);
    const length = Math.min(to - at, RUN_MAX);
    if (!isDigit(code)) return askedLetters[code * RUNS + length] === 1;
    if (this.isNearWord(at)) return true;
    const run = readFirst(text, at, code) * RUNS + length;
    return askedDigits[run * KINDS + readSeparatorKind(text.charCodeAt(to))] === 1;
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

export function findWordEnd(text: string, from: number, limit: number): number {
  let end = from + 1;
  while (end < limit && isAlphanumeric(text.charCodeAt(end))) end++;
  return end;
}
