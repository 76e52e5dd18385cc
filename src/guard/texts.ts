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

/** The search of all texts, in steps. */
export class TextsSearch {
  readonly #scanner: Scanner;
  readonly #texts: readonly SearchedText[];
  readonly #wanted: ReadonlySet<string> | null;
  readonly #own: (readonly Match[])[] = [];
  readonly #found: (readonly Match[])[];
  #search: Search | null = null;
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
    const next = this.#texts[this.#found.length];
    if (next === undefined) return 0;
    if (next.known) {
      this.#take(next.text, next.known);
      return 1;
    }
    this.#search ??= this.#scanner.begin(next.text, next.before);
    if (this.#search.run(charactersMax)) {
      this.#take(next.text, this.#search.found);
      this.#search = null;
    }
    return Math.min(charactersMax, next.text.length + 1);
  }

  #take(text: string, own: readonly Match[]): void {
    const wanted = this.#wanted;
    const found = wanted === null ? own : own.filter(({ detector }) => wanted.has(detector));
    for (const { from, to, detector } of found) {
      if (!BY_CONTEXT.has(detector) || to - from > PATTERN_CHARACTERS_MAX) continue;
      this.#values ??= new Map();
      const value = text.slice(from, to);
      const known = this.#values.get(value);
      const row = { detector, text: this.#found.length, from };
      if (known === undefined && this.#values.size < VALUES_MAX) this.#values.set(value, [row]);
      else if (known?.some((other) => other.detector === detector) === false) known.push(row);
    }
    this.#found.push(found);
    if (wanted !== null) this.#own.push(own);
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
    const own = this.found[this.#text] ?? [];
    if (this.#more.length > 0) this.found[this.#text] = mergeFound(own, this.#more);
    this.#more = [];
    this.#cursor = null;
    this.#at = 0;
    this.#text++;
  }
}

/** The findings of a text by itself and the values that count again in it, each once. */
function mergeFound(own: readonly Match[], again: readonly Match[]): readonly Match[] {
  const key = ({ from, to, detector }: Match) => `${from} ${to} ${detector}`;
  const known = new Set(own.map(key));
  const more = again.filter((found) => !known.has(key(found)));
  if (more.length === 0) return own;
  return [...own, ...more].sort((one, other) => one.from - other.from || other.to - one.to);
}
