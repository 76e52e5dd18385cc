// Searches a request's texts in their order: what was found once counts again behind its first place, whatever words are there.
import { Automaton, type Cursor, PATTERN_CHARACTERS_MAX } from "./automaton.ts";
import { isAlphanumeric } from "./characters.ts";
import { DETECTORS } from "./detectors.ts";
import type { Match, Scanner, Search } from "./scanner.ts";

export interface SearchedText {
  readonly text: string;
  /** A field's name, for a value of the client's own JSON. */
  readonly before?: string;
  /** The findings of the same scanner from earlier, if they are remembered. */
  readonly known?: readonly Match[];
}

/** The values that count again: those that come after it are found by their own words alone. */
const VALUES_MAX = 50_000;
/** To take a value or to merge two findings takes about as long as to search so many characters. */
const VALUE_CHARACTERS = 4;
/** Only what was found by something that stands before it may be missed at another place. */
const BY_CONTEXT: ReadonlySet<string> = new Set(
  DETECTORS.filter((row) => row.words !== undefined || row.isByContext).map(({ name }) => name),
);
const BESIDE = new Uint8Array(65_536);
for (let code = 0; code < 128; code++) BESIDE[code] = isAlphanumeric(code) ? 1 : 0;

/** A value of a detector, and where it stands first. */
interface DetectedValue {
  readonly detector: string;
  readonly text: number;
  readonly from: number;
}

/** A text that has been searched, of whose findings so many are taken. */
interface TakenText {
  readonly text: string;
  readonly own: readonly Match[];
  readonly found: readonly Match[];
  at: number;
}

/** The search of all texts, in steps. */
export class TextsSearch {
  readonly #scanner: Scanner;
  readonly #texts: readonly SearchedText[];
  readonly #wanted: ReadonlySet<string> | null;
  readonly #own: (readonly Match[])[] = [];
  readonly #found: (readonly Match[])[];
  #search: Search | null = null;
  #taking: TakenText | null = null;
  /** Values by their text, with the detectors that found them, in the order of their first places. */
  #values: Map<string, DetectedValue[]> | null = null;
  #again: Again | null = null;

  /** `wanted` names the detectors whose findings count. Null for all of the scanner's. */
  constructor(scanner: Scanner, texts: readonly SearchedText[], wanted: ReadonlySet<string> | null = null) {
    this.#scanner = scanner;
    this.#texts = texts;
    this.#wanted = wanted;
    this.#found = wanted === null ? this.#own : [];
  }

  /** The scanner's findings in each text by itself, as far as it was searched: they can be remembered. */
  get own(): readonly (readonly Match[])[] {
    return this.#own;
  }

  /** The findings of each text, with the values that count again. Complete once `run` has returned true. */
  get found(): readonly (readonly Match[])[] {
    return this.#again?.found ?? this.#found;
  }

  /** Goes on for about so many characters. True once all is searched. */
  run(charactersMax: number): boolean {
    let left = charactersMax;
    while (this.#found.length < this.#texts.length) {
      if (left <= 0) return false;
      left -= this.#searchNext(left);
    }
    if (this.#values === null) return true;
    this.#again ??= new Again(this.#texts, this.#found, this.#values);
    return this.#again.run(left);
  }

  /** Searches on in the next text, and returns what that took. */
  #searchNext(charactersMax: number): number {
    if (this.#taking !== null) return this.#take(this.#taking, charactersMax);
    const next = this.#texts[this.#found.length];
    if (next === undefined) return 0;
    if (next.known) return this.#take(this.#begin(next.text, next.known), charactersMax);
    this.#search ??= this.#scanner.begin(next.text, next.before);
    if (this.#search.run(charactersMax)) {
      this.#begin(next.text, this.#search.found);
      this.#search = null;
    }
    return Math.min(charactersMax, next.text.length + 1);
  }

  #begin(text: string, own: readonly Match[]): TakenText {
    const wanted = this.#wanted;
    const found = wanted === null ? own : own.filter(({ detector }) => wanted.has(detector));
    this.#taking = { text, own, found, at: 0 };
    return this.#taking;
  }

  /** Takes the values of a text, and returns what that took. */
  #take(taking: TakenText, charactersMax: number): number {
    const { text, own, found } = taking;
    const first = taking.at;
    const end = Math.min(found.length, first + Math.ceil(charactersMax / VALUE_CHARACTERS));
    for (; taking.at < end; taking.at++) this.#add(text, found[taking.at]);
    if (end === found.length) {
      this.#found.push(found);
      if (this.#wanted !== null) this.#own.push(own);
      this.#taking = null;
    }
    return 1 + (end - first) * VALUE_CHARACTERS;
  }

  #add(text: string, found: Match | undefined): void {
    if (found === undefined) return;
    const { from, to, detector } = found;
    if (!BY_CONTEXT.has(detector) || to - from > PATTERN_CHARACTERS_MAX) return;
    this.#values ??= new Map();
    const value = text.slice(from, to);
    const known = this.#values.get(value);
    const row = { detector, text: this.#found.length, from };
    if (known === undefined && this.#values.size < VALUES_MAX) this.#values.set(value, [row]);
    else if (known?.some((other) => other.detector === detector) === false) known.push(row);
  }
}

/** The values as patterns, looked for in all texts. */
class Again {
  readonly found: (readonly Match[])[];
  readonly #texts: readonly SearchedText[];
  readonly #values: DetectedValue[][] = [];
  readonly #automaton = new Automaton({ beside: BESIDE, folds: null, hasWideSpaces: false });
  readonly #left: Iterator<[string, DetectedValue[]]>;
  #isBuilt = false;
  #text = 0;
  #at = 0;
  #cursor: Cursor | null = null;
  #more: Match[] = [];
  #merge: Merge | null = null;

  constructor(
    texts: readonly SearchedText[],
    found: readonly (readonly Match[])[],
    values: ReadonlyMap<string, DetectedValue[]>,
  ) {
    this.#texts = texts;
    this.found = [...found];
    this.#left = values.entries();
  }

  run(charactersMax: number): boolean {
    let left = charactersMax;
    if (!this.#isBuilt) left = this.#build(left);
    while (left > 0 && this.#text < this.#texts.length) {
      if (this.#merge !== null) {
        left -= this.#runMerge(this.#merge, left);
        continue;
      }
      const { text } = this.#texts[this.#text] ?? { text: "" };
      this.#cursor ??= this.#automaton.begin();
      const to = Math.min(text.length, this.#at + left);
      this.#automaton.feed(this.#cursor, text, this.#at, to, this.#tell);
      left -= to - this.#at + 1;
      this.#at = to;
      if (to === text.length) this.#endText();
    }
    return this.#text === this.#texts.length;
  }

  /** Adds values, then links them. Returns how many characters are left. */
  #build(charactersMax: number): number {
    let left = charactersMax;
    for (; left > 0; ) {
      const { value: entry, done } = this.#left.next();
      if (done || entry === undefined) break;
      const [text, values] = entry;
      this.#automaton.add(text, this.#values.push(values) - 1);
      left -= text.length;
    }
    if (left <= 0) return 0;
    this.#isBuilt = this.#automaton.link(left);
    return this.#isBuilt ? left : 0;
  }

  readonly #tell = (pattern: number, from: number, to: number): void => {
    for (const value of this.#values[pattern] ?? []) {
      const isBehind = value.text < this.#text || (value.text === this.#text && value.from < from);
      if (isBehind) this.#more.push({ from, to, detector: value.detector });
    }
  };

  #endText(): void {
    if (this.#more.length > 0) this.#merge = new Merge(this.found[this.#text] ?? [], this.#more);
    else this.#text++;
    this.#more = [];
    this.#cursor = null;
    this.#at = 0;
  }

  /** Returns what that took. */
  #runMerge(merge: Merge, charactersMax: number): number {
    const count = Math.ceil(charactersMax / VALUE_CHARACTERS);
    if (merge.run(count)) {
      this.found[this.#text++] = merge.merged;
      this.#merge = null;
    }
    return count * VALUE_CHARACTERS;
  }
}

/** The findings of a text by itself and the values that count again in it, each once and in order. */
class Merge {
  readonly merged: Match[] = [];
  readonly #own: readonly Match[];
  readonly #again: readonly Match[];
  #ownAt = 0;
  #againAt = 0;

  /** Those that count again may be out of order where values overlap, and so may the text's own. */
  constructor(own: readonly Match[], again: readonly Match[]) {
    this.#own = own;
    this.#again = again;
  }

  /** Takes so many. True once all are. */
  run(count: number): boolean {
    for (let left = count; left > 0; left--) {
      const own = this.#own[this.#ownAt];
      const again = this.#again[this.#againAt];
      if (own !== undefined && (again === undefined || own.from <= again.from)) {
        this.#ownAt++;
        this.#add(own);
      } else if (again !== undefined) {
        this.#againAt++;
        this.#add(again);
      } else return true;
    }
    return false;
  }

  /** The longest of those that begin at the same place stands first. */
  #add(found: Match): void {
    const { merged } = this;
    let at = merged.length;
    for (; at > 0; at--) {
      const before = merged[at - 1];
      if (before === undefined || !isBehind(before, found)) break;
    }
    for (let place = at; place > 0; place--) {
      const before = merged[place - 1];
      if (before === undefined || before.from !== found.from || before.to !== found.to) break;
      if (before.detector === found.detector) return;
    }
    merged.splice(at, 0, found);
  }
}

/** True for one that stands behind the other. */
function isBehind(one: Match, other: Match): boolean {
  return one.from > other.from || (one.from === other.from && one.to < other.to);
}
