// Searches texts for the values of some detectors: one pass, in which only what can begin a value is looked at.
import type { GuardWords } from "../core/models/guard.ts";
import { AllowList } from "./allow.ts";
import type { Cursor } from "./automaton.ts";
import { isAlphanumeric, isBase64, isDigit } from "./characters.ts";
import { Context, ContextWords } from "./context.ts";
import { CONTEXT_CHARACTERS, type Detector, type Span } from "./detector.ts";
import { DETECTORS } from "./detectors.ts";
import { type Entry, makeStarts, NEXT_MAX, RUN_MAX, type Starts } from "./starts.ts";
import { WORDS_PREFIX, WordSearcher } from "./words.ts";

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
/** Runs of base64 above it aren't searched: pictures, sounds, signatures. */
const BASE64_RUN_MAX = 200;
/** Words are searched in steps of it, so that findings come nearly in order. */
const BLOCK = 1024;
const PLUS = 43;
const SLASH = 47;
const HYPHEN = 45;
const UNDERSCORE = 95;
/** In the middle of a long run of token characters no secret begins. */
const NEAR_START = 40;
/** Before every text. */
const FAR = -1_000_000;

interface Table {
  readonly rows: readonly Detector[];
  readonly starts: Starts;
  readonly context: ContextWords | null;
  readonly words: WordSearcher | null;
  readonly allowed: AllowList | null;
}

/**
 * @param detectors names of detectors, and `words:NAME`
 * @param allow patterns of values that aren't found
 */
export function createScanner(
  detectors: readonly string[],
  words: GuardWords,
  allow: readonly string[],
): Scanner {
  const names = new Set(detectors);
  const rows = DETECTORS.filter(({ name }) => names.has(name));
  const lists = [...names].filter((name) => name.startsWith(WORDS_PREFIX));
  const table: Table = {
    rows,
    starts: makeStarts(rows),
    context: rows.some((row) => row.words) ? new ContextWords(rows) : null,
    words: lists.length > 0 ? new WordSearcher(words, lists) : null,
    allowed: allow.length > 0 ? new AllowList(allow) : null,
  };
  return {
    begin: (text, before = "") => new TextSearch(table, text, before),
    search: (text, before = "") => {
      const search = new TextSearch(table, text, before);
      search.run(Number.POSITIVE_INFINITY);
      return search.found;
    },
  };
}

class TextSearch implements Search {
  readonly found: Match[] = [];
  readonly #table: Table;
  readonly #text: string;
  readonly #context: Context | null;
  readonly #cursor: Cursor | null;
  /** The place at which each detector's last value ends: it begins no other within it. */
  readonly #ends: Float64Array;
  #at = 0;
  /** Where the run of letters and digits begins that the search stands in, or -1. */
  #runFrom = -1;
  #base64From = 0;
  #tokenFrom = 0;
  /** The last place at which a word can have begun: without one nearby, no words are looked for. */
  #wordFrom: number;
  /** The detector that is asked, and where. */
  #asked = 0;
  #askedFrom = 0;
  /** A value that may go on. */
  #growing: { readonly row: Detector; readonly from: number; to: number } | null = null;

  constructor(table: Table, text: string, before: string) {
    this.#table = table;
    this.#text = text;
    this.#context = table.context && new Context(table.context, table.rows.length, text, before);
    this.#cursor = table.words?.begin() ?? null;
    this.#ends = new Float64Array(table.rows.length);
    this.#wordFrom = before === "" ? FAR : 0;
  }

  run(charactersMax: number): boolean {
    const end = Math.min(this.#text.length, this.#at + charactersMax);
    let left = this.#grow(charactersMax);
    while (left > 0 && this.#at < this.#text.length) {
      const from = this.#at;
      this.#scan(Math.min(end, from + BLOCK));
      if (this.#cursor) this.#table.words?.feed(this.#cursor, this.#text, from, this.#at, this.#addWord);
      left -= this.#at - from;
      left = this.#grow(left);
      if (this.#at >= end) break;
    }
    return this.#at >= this.#text.length && this.#growing === null;
  }

  #scan(end: number): void {
    const text = this.#text;
    while (this.#at < end && this.#growing === null) {
      if (isAlphanumeric(text.charCodeAt(this.#at))) this.#scanRun(end);
      else if (this.#runFrom !== -1) this.#endRun(this.#at);
      else this.#scanOthers(end);
    }
  }

  /** Passes a run of letters and digits, which may go on in the next step. */
  #scanRun(end: number): void {
    const text = this.#text;
    let at = this.#at;
    if (this.#runFrom === -1) this.#runFrom = at;
    while (at < end && isAlphanumeric(text.charCodeAt(at))) at++;
    this.#at = at;
    if (at < end || at === text.length) this.#endRun(at);
  }

  /** Passes other characters up to the next letter or digit, or a value that goes on. */
  #scanOthers(end: number): void {
    const { starts } = this.#table;
    let at = this.#at;
    for (; at < end && this.#growing === null; at++) {
      const code = this.#text.charCodeAt(at);
      if (isAlphanumeric(code)) break;
      if (code >= ASCII) this.#wordFrom = at;
      else {
        const entries = starts.findSigns(code, this.#text.charCodeAt(at + 1));
        if (entries !== undefined) this.#ask(entries, at);
      }
      if (code !== PLUS && code !== SLASH) this.#base64From = at + 1;
      if (code !== HYPHEN && code !== UNDERSCORE) this.#tokenFrom = at + 1;
    }
    this.#at = at;
  }

  /** Asks those for whom a value can begin where the run begins that ends here. */
  #endRun(at: number): void {
    const from = this.#runFrom;
    this.#runFrom = -1;
    const code = this.#text.charCodeAt(from);
    const length = Math.min(at - from, RUN_MAX);
    const { starts } = this.#table;
    let entries: readonly Entry[] | undefined;
    if (isDigit(code)) {
      entries = starts.findDigits(code - 48, length, this.#countDigits(at + 1), this.#isNearWord(from));
    } else {
      this.#wordFrom = from;
      entries = starts.findLetters(code, length);
    }
    if (entries !== undefined) this.#ask(entries, from);
  }

  /** The digits from here on, as far as it matters. */
  #countDigits(at: number): number {
    let count = 0;
    while (count < NEXT_MAX && isDigit(this.#text.charCodeAt(at + count))) count++;
    return count;
  }

  #isNearWord(at: number): boolean {
    return at - this.#wordFrom <= CONTEXT_CHARACTERS;
  }

  #ask(entries: readonly Entry[], from: number): void {
    if (from - this.#base64From > BASE64_RUN_MAX) return;
    const isNearStart = from - this.#tokenFrom <= NEAR_START;
    const ends = this.#ends;
    this.#askedFrom = from;
    for (let place = 0; place < entries.length; place++) {
      const entry = entries[place];
      if (entry === undefined) break;
      if (from < (ends[entry.at] ?? 0) || (entry.isNearTokenStart && !isNearStart)) continue;
      this.#asked = entry.at;
      if (entry.isAfterWord && !this.#isAfterWord()) continue;
      const span = entry.find(this.#text, from, this.#isAfterWord);
      if (span !== null) this.#take(entry, span);
    }
  }

  #take({ row, at }: Entry, { from, to }: Span): void {
    if (row.isInLongRuns !== true && this.#isInLongRun(from)) return;
    this.#ends[at] = to;
    if (row.grow) this.#growing = { row, from, to };
    else this.#add({ from, to, detector: row.name });
  }

  /** Goes on with a value that has no bound, at most for so many characters. Returns how many are left. */
  #grow(charactersMax: number): number {
    const growing = this.#growing;
    if (growing === null) return charactersMax;
    const limit = Math.min(this.#text.length, growing.to + charactersMax);
    const to = growing.row.grow?.(this.#text, growing.to, limit) ?? growing.to;
    const left = charactersMax - (to - growing.to);
    growing.to = to;
    if (to >= limit && to < this.#text.length) return 0;
    this.#growing = null;
    this.#ends[this.#table.rows.indexOf(growing.row)] = to;
    this.#add({ from: growing.from, to, detector: growing.row.name });
    return left;
  }

  readonly #isAfterWord = (): boolean =>
    this.#isNearWord(this.#askedFrom) && this.#context?.isAfterWord(this.#asked, this.#askedFrom) === true;

  readonly #addWord = (from: number, to: number, detector: string): void => this.#add({ from, to, detector });

  #add(found: Match): void {
    if (this.#table.allowed?.has(this.#text.slice(found.from, found.to))) return;
    const list = this.found;
    list.push(found);
    // A value may begin before one that was found earlier.
    for (let at = list.length - 1; at > 0; at--) {
      const before = list[at - 1];
      if (before === undefined || before.from <= found.from) break;
      list[at] = before;
      list[at - 1] = found;
    }
  }

  #isInLongRun(from: number): boolean {
    const first = Math.max(0, from - BASE64_RUN_MAX);
    // The start of the run in which the search stands is known.
    let start = Math.min(from, this.#base64From);
    if (this.#base64From > from) {
      while (start > first && isBase64(this.#text.charCodeAt(start - 1))) start--;
    }
    let end = from;
    while (end - start <= BASE64_RUN_MAX && isBase64(this.#text.charCodeAt(end))) end++;
    return end - start > BASE64_RUN_MAX;
  }
}
