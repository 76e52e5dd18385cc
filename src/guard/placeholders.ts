// Placeholders: names that stand for the values of one request, the same in each request of the account.
import { DETECTORS } from "./detectors.ts";
import type { Union } from "./join.ts";
import { CODE_ALPHABET, CODE_CHARACTERS, isInPlaceholder } from "./placeholder-form.ts";
import { type Steps, takeAll } from "./steps.ts";
import { WORDS_PREFIX } from "./words.ts";

/** 40 bits. */
const CODE_HEX_DIGITS = 10;
const VALUES_MAX = 50_000;
/** Named in less than a millisecond. */
const STEP_VALUES = 256;
const MARKS: ReadonlyMap<string, string> = new Map(DETECTORS.map(({ name, mark }) => [name, mark]));

export class TooManyValues extends Error {
  constructor() {
    super(`A request may hold at most ${VALUES_MAX} different values.`);
  }
}

/** Returns the word that stands for a detector's values: `EMAIL`, `SECRET`, of `words:customers` `CUSTOMERS`. */
function findMark(detector: string): string {
  return MARKS.get(detector) ?? detector.slice(WORDS_PREFIX.length).toUpperCase();
}

/** Says who may stand beside a placeholder: a name of who speaks may hold no brackets. */
type PlaceholderForm = "text" | "name";

export function writePlaceholder(name: string, writing: PlaceholderForm): string {
  return writing === "name" ? name : `<${name}>`;
}

/** Returns what stands for a masked value, for good. */
export function writeMask(detector: string, writing: PlaceholderForm): string {
  const mark = findMark(detector);
  return writing === "name" ? mark : `[${mark}]`;
}

/** One request's placeholders: codes under the account's key, and the values that they stand for. */
export class Placeholders {
  readonly #key: string | Uint8Array;
  readonly #names = new Map<string, string>();
  readonly #codes = new Set<string>();
  readonly #values = new Map<string, string>();

  constructor(key: string | Uint8Array) {
    this.#key = key;
  }

  /** The values by name. */
  get values(): ReadonlyMap<string, string> {
    return this.#values;
  }

  /** Returns a value's name, without brackets: `EMAIL_3K9P0QRT`. Throws TooManyValues above 50,000 different values. */
  name(detector: string, value: string): string {
    const held = `${detector}\0${value}`;
    const known = this.#names.get(held);
    if (known !== undefined) return known;
    if (this.#names.size >= VALUES_MAX) throw new TooManyValues();
    const name = `${findMark(detector)}_${this.#findCode(detector, value)}`;
    this.#names.set(held, name);
    this.#values.set(name, value);
    return name;
  }

  /** Counts on while an earlier value of the request has the code. */
  #findCode(detector: string, value: string): string {
    for (let counter = 0; ; counter++) {
      const code = this.#makeCode(detector, value, counter);
      if (this.#codes.has(code)) continue;
      this.#codes.add(code);
      return code;
    }
  }

  #makeCode(detector: string, value: string, counter: number): string {
    // UTF-16 tells halves of surrogates apart. The parts before the value hold no NUL.
    const hashed = `${detector}\0${counter}\0${value}`;
    const digest = new Bun.CryptoHasher("sha256", this.#key).update(hashed, "utf16le").digest("hex");
    return writeCode(Number.parseInt(digest.slice(0, CODE_HEX_DIGITS), 16));
  }
}

/** Writes 40 bits. */
function writeCode(bits: number): string {
  let code = "";
  for (let left = bits; code.length < CODE_CHARACTERS; left = Math.floor(left / CODE_ALPHABET.length)) {
    code = CODE_ALPHABET.charAt(left % CODE_ALPHABET.length) + code;
  }
  return code;
}

/** Returns what replaces a finding, or null for one that stays. */
type WriteFound = (one: Union, value: string) => string | null;

/**
 * Ends with the text with its findings replaced. A finding within a placeholder stays: a word may be its mark, and the whole of it
 * may look like a secret.
 */
export function* hideInSteps(text: string, found: readonly Union[], write: WriteFound): Steps<string> {
  let hidden = "";
  let copied = 0;
  for (let at = 0; at < found.length; at++) {
    if (at > 0 && at % STEP_VALUES === 0) yield;
    const one = found[at];
    if (one === undefined) break;
    if (isInPlaceholder(text, one.from, one.to)) continue;
    const by = write(one, text.slice(one.from, one.to));
    if (by === null) continue;
    hidden += text.slice(copied, one.from) + by;
    copied = one.to;
  }
  return copied === 0 ? text : hidden + text.slice(copied);
}

/** The same in one go. */
export function hideText(text: string, found: readonly Union[], write: WriteFound): string {
  return takeAll(hideInSteps(text, found, write));
}
