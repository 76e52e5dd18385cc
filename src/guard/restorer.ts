// Puts the values of a request's placeholders back into a text that comes in pieces.
import { CODE_ALPHABET, CODE_CHARACTERS } from "./placeholders.ts";
import type { Passed, TextFilter } from "./text-filter.ts";

const CODES = 128;
const UNDERSCORE = 95;
const BACKSLASH = 92;
const CASE_BIT = 32;
/** In small letters: pairs that may stand around a placeholder, and go with it. */
const BRACKETS = [
  { open: "<", close: ">" },
  { open: "&lt;", close: "&gt;" },
  { open: "\\u003c", close: "\\u003e" },
  { open: "%3c", close: "%3e" },
] as const;
/** By code unit: 1 for a character of codes, in any case. */
const IS_OF_CODE = new Uint8Array(CODES);
for (const character of CODE_ALPHABET + CODE_ALPHABET.toLowerCase()) IS_OF_CODE[character.charCodeAt(0)] = 1;
const EMPTY: readonly Passed[] = [];
/** Nothing of the kind begins at a place, or perhaps, if the text goes on. */
const NONE = -1;
const OPEN = -2;

/** A placeholder's end, and its value; or a number below 0. */
type Found = number | { readonly to: number; readonly value: string };

/** A letter or digit of marks, by those that may follow it. */
interface MarkNode {
  readonly next: Map<number, MarkNode>;
  isEnd: boolean;
}

/** The placeholders of one request. */
export class Restorer {
  readonly #values: ReadonlyMap<string, string>;
  readonly #marks: MarkNode = { next: new Map(), isEnd: false };
  /** By code unit: 1 for a character with which a placeholder or its bracket may begin. */
  readonly #starts = new Uint8Array(CODES);

  /** `values` has them by name, and may not change any more. */
  constructor(values: ReadonlyMap<string, string>) {
    this.#values = values;
    const marks = new Set<string>();
    for (const name of values.keys()) marks.add(name.slice(0, -CODE_CHARACTERS - 1));
    for (const mark of marks) this.#addMark(mark);
    if (marks.size > 0) for (const { open } of BRACKETS) this.#starts[open.charCodeAt(0)] = 1;
  }

  begin(): TextFilter {
    return this.#values.size === 0 ? UNCHANGED : new RestoredText(this);
  }

  /** True if a placeholder, or a bracket around it, may begin with such a character. */
  mayBegin(code: number): boolean {
    return code < CODES && this.#starts[code] === 1;
  }

  /** Finds the placeholder that begins at that place, with the brackets around it. */
  find(text: string, at: number): Found {
    const code = text.charCodeAt(at);
    for (const { open, close } of BRACKETS) {
      if (code !== open.charCodeAt(0)) continue;
      const inner = matchFolded(text, at, open);
      if (inner < 0) return inner;
      const name = this.#findName(text, inner);
      if (typeof name === "number") return name;
      const to = matchFolded(text, name.to, close);
      return to < 0 ? to : { to, value: name.value };
    }
    return this.#findName(text, at);
  }

  #addMark(mark: string): void {
    let node = this.#marks;
    for (let at = 0; at < mark.length; at++) {
      const code = mark.charCodeAt(at);
      node = node.next.getOrInsertComputed(code, () => ({ next: new Map(), isEnd: false }));
    }
    node.isEnd = true;
    const first = mark.charCodeAt(0);
    this.#starts[first] = 1;
    this.#starts[toLower(first)] = 1;
  }

  #findName(text: string, from: number): Found {
    let node = this.#marks;
    let at = from;
    for (; at < text.length; at++) {
      const next = node.next.get(toUpper(text.charCodeAt(at)));
      if (next === undefined) break;
      node = next;
    }
    if (at === text.length) return OPEN;
    if (!node.isEnd) return NONE;
    const mark = text.slice(from, at);
    if (text.charCodeAt(at) === BACKSLASH && ++at === text.length) return OPEN;
    if (text.charCodeAt(at) !== UNDERSCORE) return NONE;
    return this.#findCode(mark, text, at + 1);
  }

  #findCode(mark: string, text: string, from: number): Found {
    const to = from + CODE_CHARACTERS;
    const end = Math.min(text.length, to);
    for (let at = from; at < end; at++) if (!isOfCode(text.charCodeAt(at))) return NONE;
    if (end < to) return OPEN;
    // All of them are ASCII, where no other letter has these capitals.
    const value = this.#values.get(`${mark}_${text.slice(from, to)}`.toUpperCase());
    return value === undefined ? NONE : { to, value };
  }
}

const UNCHANGED: TextFilter = {
  push: (text) => (text === "" ? EMPTY : [{ length: text.length, by: null }]),
  end: () => EMPTY,
};

class RestoredText implements TextFilter {
  readonly #restorer: Restorer;
  /** What may still become a placeholder. */
  #held = "";

  constructor(restorer: Restorer) {
    this.#restorer = restorer;
  }

  push(text: string): readonly Passed[] {
    return this.#pass(this.#held + text, false);
  }

  end(): readonly Passed[] {
    return this.#pass(this.#held, true);
  }

  #pass(text: string, isWhole: boolean): readonly Passed[] {
    const restorer = this.#restorer;
    const passed: Passed[] = [];
    let from = 0;
    let at = 0;
    const passTo = (to: number) => {
      if (to > from) passed.push({ length: to - from, by: null });
      from = to;
    };
    while (at < text.length) {
      const found = restorer.mayBegin(text.charCodeAt(at)) ? restorer.find(text, at) : NONE;
      if (found === OPEN && !isWhole) break;
      if (typeof found === "number") {
        at++;
        continue;
      }
      passTo(at);
      passed.push({ length: found.to - at, by: found.value });
      at = found.to;
      from = at;
    }
    passTo(at);
    this.#held = text.slice(at);
    return passed;
  }
}

/** Returns the position behind the part, which is in small letters, or NONE, or OPEN if the text ends within it. */
function matchFolded(text: string, at: number, part: string): number {
  for (let index = 0; index < part.length; index++) {
    if (at + index >= text.length) return OPEN;
    const code = text.charCodeAt(at + index);
    if (code !== part.charCodeAt(index) && toLower(code) !== part.charCodeAt(index)) return NONE;
  }
  return at + part.length;
}

function toUpper(code: number): number {
  return code >= 97 && code <= 122 ? code - CASE_BIT : code;
}

function toLower(code: number): number {
  return code >= 65 && code <= 90 ? code + CASE_BIT : code;
}

function isOfCode(code: number): boolean {
  return code < CODES && IS_OF_CODE[code] === 1;
}
