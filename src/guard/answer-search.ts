// Searches a text that comes in pieces: what can't become a part of a finding any more leaves at once.
import type { GuardWords } from "../core/models/guard.ts";
import type { AllowList } from "./allow.ts";
import { Breaks } from "./breaks.ts";
import { isPair } from "./characters.ts";
import { isLocal } from "./detectors/email.ts";
import { joinFound, type Union } from "./join.ts";
import { addInOrder } from "./order.ts";
import { isInPlaceholder } from "./placeholder-form.ts";
import { type Match, TextSearch } from "./scanner.ts";
import { makeTable, type Table } from "./table.ts";
import type { TextFilter, TextPart } from "./text-filter.ts";
import { WordReader } from "./word-reader.ts";

/** The most characters of a text that wait. */
const HELD_MAX = 256;
/** As many leave at least where so many would wait. */
const STEP = 16;
/** A value begins at most so many characters before the sign by which it is found: an address's local part. */
const BEHIND_MAX = 65;
/** In a finding that must be decided, no value is looked for in the last characters that are known. */
const AHEAD_MIN = 96;
/** Characters that are kept when they have left, for words before a number, and the beginning of a run of base64. */
const KEPT = 256;
/** The known part of a text is shortened when it is longer. */
const WINDOW_MAX = 1024;

/** Is called once for each finding, in order, and returns what replaces it, or null if it stays. */
type Decide = (found: Union, value: string) => string | null;

export interface AnswerScanner {
  /**
   * `before` is what stands before the text: a field's name. An error that `decide` throws comes out of the filter, which can't
   * be used any more then.
   */
  begin(before: string, decide: Decide): TextFilter;
}

/**
 * Makes filters for texts that come in pieces. A text falls into segments at places that no value spans. Each is searched once it
 * is complete, so in segments of up to 256 characters a request's search finds the same. In a longer one a place is decided by the
 * 190 to 256 characters that follow it:
 * - A value that doesn't end within them counts by what is known of it, and is swallowed as long as it may go on. Findings within
 *   that part don't count. Such a value may be longer than a request's search allows, and a token may have no signature.
 * - A chain of findings that overlap is decided with those that begin before its last 96 characters.
 * - A private key whose head leaves no room for sixty-four characters of its body isn't found.
 */
export function createAnswerScanner(
  detectors: readonly string[],
  words: GuardWords,
  allow: readonly string[],
): AnswerScanner {
  const table = makeTable(detectors, words, allow);
  return { begin: (before, decide) => new AnswerFilter(table, before, decide) };
}

/** A finding that has been decided, and what became of it. */
interface Decision {
  readonly detectors: readonly string[];
  readonly by: string | null;
}

/** Places are counted from the text's beginning, but for those of the search, which knows a part of the text. */
class AnswerFilter implements TextFilter {
  readonly #decide: Decide;
  readonly #allowed: AllowList | null;
  readonly #breaks: Breaks;
  readonly #search: TextSearch;
  readonly #words: WordReader | null;
  #length = 0;
  /** The part of the text that is known to the search, and where it begins. */
  #window = "";
  #base = 0;
  #released = 0;
  /** The findings that haven't left, in order. */
  #found: Match[] = [];
  #decided: Decision = { detectors: [], by: null };
  #passed: TextPart[] = [];

  constructor(table: Table, before: string, decide: Decide) {
    this.#decide = decide;
    this.#allowed = table.allowed;
    this.#breaks = new Breaks(table.rows);
    this.#search = new TextSearch({ ...table, words: null }, "", before);
    this.#words = table.words && new WordReader(table.words);
  }

  push(text: string): readonly TextPart[] {
    const start = this.#length;
    let known = 0;
    this.#words?.take(text);
    for (let at = 0; at < text.length; at++) {
      const place = start + at;
      const isBreak = this.#breaks.push(text.charCodeAt(at)) && !this.#isInWord(place);
      if (!isBreak && place + 1 - this.#released <= HELD_MAX) continue;
      if (!isBreak || this.#isSuspect(place)) {
        this.#window += text.slice(known, at + 1);
        known = at + 1;
      }
      if (isBreak) this.#endSegment(place);
      else this.#cutSegment(place);
    }
    this.#length += text.length;
    this.#window += text.slice(known);
    this.#words?.readTo(this.#length - 1);
    return this.#takePassed();
  }

  end(): readonly TextPart[] {
    this.#words?.readTo(this.#length);
    this.#endSegment(this.#length);
    return this.#takePassed();
  }

  /** True if a word may go on at a place, behind which a character is known. */
  #isInWord(place: number): boolean {
    this.#words?.readTo(place);
    return this.#words !== null && this.#words.begun < place;
  }

  #isSuspect(place: number): boolean {
    const isLong = place - this.#base > WINDOW_MAX * 4;
    return (
      isLong || this.#breaks.isSuspect || this.#words?.hasFound === true || this.#search.growing !== null
    );
  }

  /** Decides on all that stands before a place that no value spans. */
  #endSegment(place: number): void {
    if (this.#isSuspect(place)) {
      this.#slide();
      this.#search.runTo(place - this.#base, false);
      this.#collect();
    }
    this.#release(place, false);
    this.#breaks.begin();
  }

  /** Decides on the first characters of a segment that is too long. */
  #cutSegment(place: number): void {
    this.#words?.readTo(place);
    this.#slide();
    const to = this.#keepPair(this.#released + STEP);
    const last = place - AHEAD_MIN;
    let searched = 0;
    for (let end = to; end > searched; end = Math.min(last, this.#findCut(to))) {
      searched = end;
      this.#search.runTo(this.#findSearched(end - this.#base), true);
      this.#collect();
    }
    this.#release(Math.min(to, this.#words?.begun ?? to), true);
  }

  /** A place that doesn't part a pair of surrogates. */
  #keepPair(place: number): number {
    const at = place - this.#base;
    return isPair(this.#window.charCodeAt(at - 1), this.#window.charCodeAt(at)) ? place - 1 : place;
  }

  /** Where the finding ends that a place parts, or the place itself. */
  #findCut(place: number): number {
    const cut = joinFound(this.#listFound()).find(({ from, to }) => from < place && place < to);
    return cut?.to ?? place;
  }

  /** The place up to which a search finds all values that begin before `to`. */
  #findSearched(to: number): number {
    let end = to;
    while (end < to + BEHIND_MAX && isLocal(this.#window.charCodeAt(end - 1))) end++;
    return end;
  }

  #slide(): void {
    let dropped = 0;
    this.#search.skip(this.#breaks.from - this.#base);
    if (this.#window.length > WINDOW_MAX) {
      dropped = Math.max(0, this.#released - this.#base - KEPT);
      this.#window = this.#window.slice(dropped);
      this.#base += dropped;
    }
    this.#search.slide(this.#window, dropped);
  }

  #collect(): void {
    for (const { from, to, detector } of this.#search.takeFound()) {
      addInOrder(this.#found, { from: from + this.#base, to: to + this.#base, detector });
    }
    for (const found of this.#words?.takeFound() ?? []) {
      if (!this.#allowed?.has(this.#read(found.from, found.to))) addInOrder(this.#found, found);
    }
  }

  /** The value that goes on behind the known text belongs to what is found, as far as it is known. */
  #listFound(): readonly Match[] {
    const { growing } = this.#search;
    if (growing === null) return this.#found;
    const list = [...this.#found];
    const from = growing.from + this.#base;
    const to = this.#keepPair(growing.to + this.#base);
    if (!this.#allowed?.has(this.#read(from, to))) addInOrder(list, { from, to, detector: growing.detector });
    return list;
  }

  /** Lets go what stands before a place, with the findings that begin before it if it `isCut` there. */
  #release(place: number, isCut: boolean): void {
    let to = place;
    const list = this.#listFound();
    if (list.length > 0) {
      for (const union of joinFound(list)) {
        if (union.to > place && !(isCut && union.from < place)) {
          to = Math.min(to, union.from);
          break;
        }
        this.#pass(union);
      }
      this.#found = this.#found.filter((found) => found.to > this.#released);
    }
    this.#leave(to);
  }

  #pass(union: Union): void {
    const from = Math.max(union.from, this.#released);
    if (union.to <= from) return;
    this.#leave(from);
    if (isInPlaceholder(this.#window, from - this.#base, union.to - this.#base)) return;
    const { detectors, by } = this.#decided;
    if (from > union.from && union.detectors.every((name) => detectors.includes(name))) {
      // The rest of what was decided before it was known to its end.
      this.#passed.push({ length: union.to - from, by: by === null ? null : "" });
    } else {
      const replaced = this.#decide({ ...union, from }, this.#read(from, union.to));
      this.#decided = { detectors: union.detectors, by: replaced };
      this.#passed.push({ length: union.to - from, by: replaced });
    }
    this.#released = union.to;
  }

  /** Lets the text go up to a place as it is. */
  #leave(to: number): void {
    if (to <= this.#released) return;
    this.#passed.push({ length: to - this.#released, by: null });
    this.#released = to;
  }

  #read(from: number, to: number): string {
    return this.#window.slice(Math.max(0, from - this.#base), to - this.#base);
  }

  /** Returns what has passed. Neighbours that stay as they are leave as one. */
  #takePassed(): readonly TextPart[] {
    if (this.#passed.length < 2) return this.#passed.splice(0);
    const passed: TextPart[] = [];
    for (const one of this.#passed) {
      const last = passed.at(-1);
      if (one.by === null && last?.by === null)
        passed[passed.length - 1] = { length: last.length + one.length, by: null };
      else passed.push(one);
    }
    this.#passed = [];
    return passed;
  }
}
