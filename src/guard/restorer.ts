// Puts the values of a request's placeholders back into a text that comes in pieces.
import { CODE_ALPHABET, CODE_CHARACTERS } from "./placeholder-form.ts";
import type { TextFilter, TextPart } from "./text-filter.ts";

const ASCII = 128;
const UNDERSCORE = 95;
const BACKSLASH = 92;
/** In small letters: what may stand around a placeholder, and goes with it. */
const BRACKETS = [
  { open: "<", close: ">" },
  { open: "&lt;", close: "&gt;" },
  { open: "\\u003c", close: "\\u003e" },
  { open: "%3c", close: "%3e" },
] as const;
/** By code unit: 1 for a character of codes, in any case. */
const OF_CODE = new Uint8Array(ASCII);
for (const character of CODE_ALPHABET + CODE_ALPHABET.toLowerCase()) OF_CODE[character.charCodeAt(0)] = 1;

/** Instead of a position: there is no such thing at this place, or there may be if the text goes on. */
const NONE = -1;
const OPEN = -2;

/** A placeholder with its brackets. Without one, `to` is NONE or OPEN. */
interface Placeholder {
  readonly to: number;
  readonly value: string;
}

const NO_PLACEHOLDER: Placeholder = { to: NONE, value: "" };
const OPEN_PLACEHOLDER: Placeholder = { to: OPEN, value: "" };

/** The placeholders of one request. */
export class Restorer {
  /** By code unit: 1 for a character with which a placeholder can begin. */
  readonly starts = new Uint8Array(ASCII);
  readonly #values: ReadonlyMap<string, string>;
  /** By the code of a first character, in any case: marks in small letters, and brackets. */
  readonly #marks: string[][] = [];
  readonly #brackets: (typeof BRACKETS)[number][] = [];

  /** `values` has them by name, and must not change any more. */
  constructor(values: ReadonlyMap<string, string>) {
    this.#values = values;
    const marks = new Set<string>();
    for (const name of values.keys()) marks.add(name.slice(0, -CODE_CHARACTERS - 1));
    for (const mark of marks) {
      const small = mark.toLowerCase();
      for (const code of [mark.charCodeAt(0), small.charCodeAt(0)]) {
        this.#marks[code] = [...(this.#marks[code] ?? []), small];
        this.starts[code] = 1;
      }
    }
    for (const pair of BRACKETS) {
      const code = pair.open.charCodeAt(0);
      this.#brackets[code] = pair;
      this.starts[code] = 1;
    }
  }

  begin(): TextFilter {
    return this.#values.size === 0 ? UNCHANGED : new RestoredText(this);
  }

  /** Returns the placeholder that begins at that place. */
  find(text: string, at: number): Placeholder {
    const pair = this.#brackets[text.charCodeAt(at)];
    if (pair === undefined) return this.#findName(text, at);
    const inner = matchFolded(text, at, pair.open);
    if (inner < 0) return inner === OPEN ? OPEN_PLACEHOLDER : NO_PLACEHOLDER;
    const found = this.#findName(text, inner);
    return found.to < 0 ? found : { to: matchFolded(text, found.to, pair.close), value: found.value };
  }

  #findName(text: string, at: number): Placeholder {
    if (at === text.length) return OPEN_PLACEHOLDER;
    let found = NO_PLACEHOLDER;
    for (const mark of this.#marks[text.charCodeAt(at)] ?? []) {
      const to = findCode(text, matchFolded(text, at, mark));
      if (to === OPEN) found = OPEN_PLACEHOLDER;
      if (to < 0) continue;
      // All of it is ASCII, of which no other letters are the capitals.
      const name = `${mark}_${text.slice(to - CODE_CHARACTERS, to)}`.toUpperCase();
      const value = this.#values.get(name);
      return value === undefined ? NO_PLACEHOLDER : { to, value };
    }
    return found;
  }
}

const NOTHING: readonly TextPart[] = [];
const UNCHANGED: TextFilter = {
  push: ({ length }) => (length === 0 ? NOTHING : [{ length, by: null }]),
  end: () => NOTHING,
};

class RestoredText implements TextFilter {
  readonly #restorer: Restorer;
  /** The end of the text, as far as it may still become a placeholder. */
  #held = "";

  constructor(restorer: Restorer) {
    this.#restorer = restorer;
  }

  push(text: string): readonly TextPart[] {
    return this.#pass(this.#held + text, false);
  }

  end(): readonly TextPart[] {
    return this.#pass(this.#held, true);
  }

  #pass(text: string, isWhole: boolean): readonly TextPart[] {
    const { starts } = this.#restorer;
    const passed: TextPart[] = [];
    let from = 0;
    let at = 0;
    while (at < text.length) {
      const { to, value } =
        starts[text.charCodeAt(at)] === 1 ? this.#restorer.find(text, at) : NO_PLACEHOLDER;
      if (to === OPEN && !isWhole) break;
      if (to < 0) {
        at++;
        continue;
      }
      if (at > from) passed.push({ length: at - from, by: null });
      passed.push({ length: to - at, by: value });
      at = to;
      from = to;
    }
    if (at > from) passed.push({ length: at - from, by: null });
    this.#held = text.slice(at);
    return passed;
  }
}

/** Returns the position behind a part that is in small letters, in any case. */
function matchFolded(text: string, at: number, part: string): number {
  for (let index = 0; index < part.length; index++) {
    if (at + index === text.length) return OPEN;
    const code = text.charCodeAt(at + index);
    const wanted = part.charCodeAt(index);
    if (code !== wanted && toLower(code) !== wanted) return NONE;
  }
  return at + part.length;
}

/** Returns the position behind the separator and the code that follow a mark. `mark` is the position behind it. */
function findCode(text: string, mark: number): number {
  if (mark < 0) return mark;
  const from = text.charCodeAt(mark) === BACKSLASH ? mark + 1 : mark;
  if (from === text.length) return OPEN;
  if (text.charCodeAt(from) !== UNDERSCORE) return NONE;
  const to = from + 1 + CODE_CHARACTERS;
  for (let at = from + 1; at < to; at++) {
    if (at === text.length) return OPEN;
    if (OF_CODE[text.charCodeAt(at)] !== 1) return NONE;
  }
  return to;
}

function toLower(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}
