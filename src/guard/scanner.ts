// Searches texts for the values of some detectors: one pass, in which only what can begin a value is looked at.
import type { GuardWords } from "../core/models/guard.ts";
import type { Cursor } from "./automaton.ts";
import { countDigits, isAlphanumeric, isDigit } from "./characters.ts";
import { Context } from "./context.ts";
import type { Span } from "./detector.ts";
import { readSeparatorKind } from "./forms.ts";
import { Growth } from "./growth.ts";
import { BASE64_RUN_MAX, isInLongRun } from "./long-runs.ts";
import { addInOrder } from "./order.ts";
import { findWordEnd, Reading } from "./reading.ts";
import { type Entry, isPossible, NEXT_MAX, RUN_MAX, readFirst } from "./starts.ts";
import { makeTable, type Table } from "./table.ts";

/** A value in a text. Positions are in UTF-16 units, `to` behind the last. */
export interface Match {
  readonly from: number;
  readonly to: number;
  /** A detector's name, or `words:NAME`. */
  readonly detector: string;
}

/** One text's search, which can be interrupted. */
export interface Search {
  /** Goes on for about so many characters. True once the text has been searched to its end. */
  run(charactersMax: number): boolean;
  /** The values found, in order, not yet joined where they overlap. Complete once `run` has returned true. */
  readonly found: readonly Match[];
}

export interface Scanner {
  /** `before` is what stands before the text: a field's name, for a value of the client's own JSON. */
  begin(text: string, before?: string): Search;
  /** The same in one go. */
  search(text: string, before?: string): readonly Match[];
}

const ASCII = 128;
/** Words are searched in steps of it, so that findings come nearly in order. */
const BLOCK = 1024;
/** In the middle of a long run of token characters no secret begins. */
const NEAR_START = 40;
/** The start of a run whose detectors have been asked. */
const ASKED = -2;

/**
 * @param detectors names of detectors, and `words:NAME`
 * @param allow patterns of values that aren't found
 */
export function createScanner(
  detectors: readonly string[],
  words: GuardWords,
  allow: readonly string[],
): Scanner {
  const table = makeTable(detectors, words, allow);
  return {
    begin: (text, before = "") => new TextSearch(table, text, before),
    search: (text, before = "") => {
      const search = new TextSearch(table, text, before);
      search.run(Number.POSITIVE_INFINITY);
      return search.found;
    },
  };
}

/**
 * The search of a text that is known as a whole (`run`), or of the part of it that is (`runTo`), which then moves on (`slide`).
 * All places are in that part.
 */
export class TextSearch implements Search {
  found: Match[] = [];
  readonly #table: Table;
  #text: string;
  /** True while more of the text may follow. */
  #isOpen = false;
  readonly #context: Context | null;
  readonly #cursor: Cursor | null;
  /** The place at which each detector's last value ends: it begins no other within it. */
  readonly #ends: Float64Array;
  readonly #reading: Reading;
  /** Where the run of letters and digits begins that the search stands in, or -1. */
  #runFrom = -1;
  /** The detector that is asked, and where. */
  #asked = 0;
  #askedFrom = 0;
  /** A value that may go on. */
  #growing: Growth | null = null;

  constructor(table: Table, text: string, before: string) {
    this.#table = table;
    this.#text = text;
    this.#context = table.context && new Context(table.context, table.rows.length, text, before);
    this.#cursor = table.words?.begin() ?? null;
    this.#ends = new Float64Array(table.rows.length);
    this.#reading = new Reading(before !== "");
  }

  run(charactersMax: number): boolean {
    const end = Math.min(this.#text.length, this.#reading.at + charactersMax);
    let left = this.#grow(charactersMax);
    while (left > 0 && this.#reading.at < this.#text.length) {
      const from = this.#reading.at;
      this.#scan(Math.min(end, from + BLOCK));
      if (this.#cursor)
        this.#table.words?.feed(this.#cursor, this.#text, from, this.#reading.at, this.#addWord);
      left -= this.#reading.at - from;
      left = this.#grow(left);
      if (this.#reading.at >= end) break;
    }
    return this.#reading.at >= this.#text.length && this.#growing === null;
  }

  /** Forgets the first characters of the text that was known, and knows this one from there on. */
  slide(text: string, dropped: number): void {
    this.#text = text;
    if (dropped > 0) {
      this.#reading.slide(dropped);
      if (this.#runFrom >= 0) this.#runFrom -= dropped;
      for (let row = 0; row < this.#ends.length; row++) this.#ends[row] = (this.#ends[row] ?? 0) - dropped;
      this.#growing?.slide(dropped);
    }
    this.#context?.slide(text, dropped);
  }

  /** Goes on at a place before which no value stands. */
  skip(to: number): void {
    if (to <= this.#reading.at) return;
    this.#reading.skip(to);
    this.#runFrom = -1;
  }

  /** Searches up to a place, looking at all that is known. `isOpen`: more may follow what is known. */
  runTo(end: number, isOpen: boolean): void {
    this.#isOpen = isOpen;
    for (;;) {
      if (this.#growing) this.#growOpen(this.#growing);
      if (this.#growing !== null || this.#reading.at >= end) break;
      this.#scan(end);
    }
  }

  /** Returns what was found since it was asked last. */
  takeFound(): readonly Match[] {
    const { found } = this;
    if (found.length > 0) this.found = [];
    return found;
  }

  /** The value that goes on behind what is known, as far as it is known. */
  get growing(): Match | null {
    return this.#growing;
  }

  #growOpen(growing: Growth): void {
    if (growing.growOpen(this.#text, this.#isOpen)) {
      this.#endGrowth(growing);
    } else if (growing.to > this.#reading.at) {
      // All that stands within such a long value is a part of it.
      this.#reading.at = growing.to;
      this.#runFrom = isAlphanumeric(this.#text.charCodeAt(growing.to - 1)) ? ASKED : -1;
    }
  }

  #endGrowth({ row, from, to, detector }: Growth): void {
    this.#growing = null;
    this.#ends[row] = to;
    this.#add({ from, to, detector });
  }

  #scan(end: number): void {
    const text = this.#text;
    while (this.#reading.at < end && this.#growing === null) {
      if (this.#runFrom === -1 && this.#passTo(end)) continue;
      if (this.#reading.at === end) break;
      if (isAlphanumeric(text.charCodeAt(this.#reading.at))) this.#scanRun(end);
      else if (this.#runFrom !== -1) this.#endRun(this.#reading.at);
      else this.#scanOthers(end);
    }
  }

  /** Passes all at which nobody is asked, and the run behind it. False if that is none, or may go on. */
  #passTo(end: number): boolean {
    const reading = this.#reading;
    const runEnd = reading.pass(this.#text, end, this.#table.starts);
    if (runEnd <= reading.at || runEnd === end) return false;
    this.#runFrom = reading.at;
    reading.at = runEnd;
    this.#endRun(runEnd);
    return true;
  }

  /** Passes a run of letters and digits, which may go on in the next step. The length of a long one isn't waited for. */
  #scanRun(end: number): void {
    const text = this.#text;
    let at = this.#reading.at;
    if (this.#runFrom === -1) this.#runFrom = at;
    while (at < end && isAlphanumeric(text.charCodeAt(at))) at++;
    this.#reading.at = at;
    const isKnown = at < end || at === text.length;
    if (isKnown || (this.#runFrom >= 0 && at - this.#runFrom >= RUN_MAX)) this.#endRun(at);
    if (!isKnown && this.#runFrom === -1) this.#runFrom = ASKED;
  }

  /** Passes signs, and asks whether a value begins at one. Ends at a run that may be asked, or once a value has begun that goes on. */
  #scanOthers(end: number): void {
    const { starts } = this.#table;
    const reading = this.#reading;
    let at = reading.at;
    while (at < end && this.#growing === null) {
      const code = this.#text.charCodeAt(at);
      if (isAlphanumeric(code)) {
        const to = findWordEnd(this.#text, at, end);
        if (!reading.passRun(this.#text, at, to, end, starts)) break;
        at = to;
        continue;
      }
      if (code < ASCII) {
        const entries = starts.findSigns(code, this.#text.charCodeAt(at + 1));
        if (entries !== undefined) this.#ask(entries, at);
      }
      reading.passSign(code, at++);
    }
    this.#reading.at = at;
  }

  /** Asks those for whom a value can begin where the run begins that ends here. */
  #endRun(at: number): void {
    const from = this.#runFrom;
    this.#runFrom = -1;
    if (from === ASKED) return;
    const code = this.#text.charCodeAt(from);
    const length = Math.min(at - from, RUN_MAX);
    const { starts } = this.#table;
    let entries: readonly Entry[] | undefined;
    if (isDigit(code)) {
      const kind = readSeparatorKind(this.#text.charCodeAt(at));
      // Digits count only behind a separator.
      const next = kind === 0 ? 0 : countDigits(this.#text, at + 1, NEXT_MAX);
      const first = readFirst(this.#text, from, code);
      entries = starts.findDigits(first, length, kind, next, this.#reading.isNearWord(from));
    } else {
      this.#reading.wordFrom = from;
      entries = starts.findLetters(code, length);
    }
    if (entries !== undefined) this.#ask(entries, from);
  }

  #ask(entries: readonly Entry[], from: number): void {
    if (from - this.#reading.base64From > BASE64_RUN_MAX) return;
    const isNearStart = from - this.#reading.tokenFrom <= NEAR_START;
    const ends = this.#ends;
    this.#askedFrom = from;
    for (let place = 0; place < entries.length; place++) {
      const entry = entries[place];
      if (entry === undefined) break;
      if (from < (ends[entry.at] ?? 0) || (entry.isNearTokenStart && !isNearStart)) continue;
      if (entry.isLimited && !isPossible(entry, this.#text, from)) continue;
      this.#asked = entry.at;
      if (entry.isAfterWord && !this.#isAfterWord()) continue;
      this.#findAt(entry, from);
    }
  }

  #findAt(entry: Entry, from: number): void {
    const cut = this.#isOpen ? entry.row.cut?.begin?.(this.#text, from) : undefined;
    const span = cut ?? entry.find(this.#text, from, this.#isAfterWord);
    if (span !== null) this.#take(entry, span, span === cut);
  }

  #take({ row, at }: Entry, { from, to }: Span, isCut: boolean): void {
    if (row.isInLongRuns !== true && isInLongRun(this.#text, from, this.#reading.base64From, this.#isOpen))
      return;
    this.#ends[at] = to;
    const goOn =
      (isCut || (this.#isOpen && to === this.#text.length) ? row.cut?.goOn : undefined) ?? row.grow;
    if (goOn) this.#growing = new Growth(row.name, at, goOn, from, to);
    else this.#add({ from, to, detector: row.name });
  }

  /** Goes on with a value that has no bound, at most for so many characters. Returns how many are left. */
  #grow(charactersMax: number): number {
    const growing = this.#growing;
    if (growing === null) return charactersMax;
    const left = growing.grow(this.#text, charactersMax);
    if (left > 0 || growing.to >= this.#text.length) this.#endGrowth(growing);
    return left;
  }

  readonly #isAfterWord = (): boolean =>
    this.#reading.isNearWord(this.#askedFrom) &&
    this.#context?.isAfterWord(this.#asked, this.#askedFrom) === true;

  readonly #addWord = (from: number, to: number, detector: string): void => this.#add({ from, to, detector });

  #add(match: Match): void {
    if (this.#table.allowed?.has(this.#text.slice(Math.max(0, match.from), match.to))) return;
    addInOrder(this.found, match);
  }
}
