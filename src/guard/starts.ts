// The lists of detectors that are asked at a sign, or at a run of letters and digits, by its first character and its length.
import { endsAt, isAlphanumeric, isDigit, markAscii } from "./characters.ts";
import type { Detector, DigitRun } from "./detector.ts";
import { SEPARATOR_KINDS } from "./forms.ts";

/** Longer runs are one class: no detector tells them apart. */
export const RUN_MAX = 31;
/** As many digits behind a run's separator, or more, are one class. */
export const NEXT_MAX = 8;
export const RUNS = RUN_MAX + 1;
const NEXTS = NEXT_MAX + 1;
export const KINDS = SEPARATOR_KINDS.length;
const ASCII = 128;
const ZERO = 48;
/** The digits, and two zeros, which begin more than others do. */
const FIRSTS = 11;
const TWO_ZEROS = 10;

/** The place among the firsts of a run that begins with this digit. */
export function readFirst(text: string, at: number, code: number): number {
  return code === ZERO && text.charCodeAt(at + 1) === ZERO ? TWO_ZEROS : code - ZERO;
}

const ALL_RUNS: readonly number[] = Array.from({ length: RUNS }, (_, length) => length);

/** All that may stand behind a run of digits. */
const BEHIND = SEPARATOR_KINDS.flatMap((separator, kind) =>
  Array.from({ length: NEXTS }, (_, next) => ({ separator, next, key: kind * NEXTS + next })),
);

/** A detector with its place in the list. */
export interface Entry {
  readonly row: Detector;
  readonly at: number;
  /** The row's own, here because all entries have the same shape, which makes the call cheap. */
  readonly find: Detector["find"];
  readonly isNearTokenStart: boolean;
  /** 1 for each character that may stand before a sign, the nearest first. Null for any. */
  readonly leads: readonly Uint8Array[] | null;
  /** True if `leads` or `characters` says more. */
  readonly isLimited: boolean;
  /** The characters of the number, of which the last is a digit; 0 if they aren't known. */
  readonly characters: number;
  /** True if it is only asked behind one of its words. */
  readonly isAfterWord: boolean;
}

type EntryLists = (Entry[] | undefined)[];

export interface Starts {
  /** By sign: 1 if somebody may be asked there. Small, since it is read for every sign of a text. */
  readonly askedSigns: Uint8Array;
  /** The same by a run's first letter times `RUNS`, and its length. */
  readonly askedLetters: Uint8Array;
  /** The same of digits without a word nearby: by the first times `RUNS` and the length, times `KINDS` and the separator's kind. */
  readonly askedDigits: Uint8Array;
  /** `behind` is the code behind the sign. */
  findSigns(code: number, behind: number): readonly Entry[] | undefined;
  findLetters(code: number, length: number): readonly Entry[] | undefined;
  /** `first` may be `TWO_ZEROS`. `kind` is that of the separator behind the run, and `isNearWord` false if no word can stand before it. */
  findDigits(
    first: number,
    length: number,
    kind: number,
    next: number,
    isNearWord: boolean,
  ): readonly Entry[] | undefined;
}

interface StartLists {
  readonly signs: EntryLists;
  readonly letters: EntryLists;
  readonly digits: EntryLists;
  readonly wordDigits: EntryLists;
}

export function makeStarts(rows: readonly Detector[]): Starts {
  const lists: StartLists = {
    signs: makeTable(ASCII * (ASCII + 1)),
    letters: makeTable(ASCII * RUNS),
    digits: makeTable(FIRSTS * RUNS * BEHIND.length),
    wordDigits: makeTable(FIRSTS * RUNS * BEHIND.length),
  };
  for (const [at, row] of rows.entries()) addRow(lists, new Variants(row, at));
  return readLists(lists);
}

function readLists({ signs, letters, digits, wordDigits }: StartLists): Starts {
  return {
    askedSigns: Uint8Array.from({ length: ASCII }, (_, code) =>
      signs.slice(code * (ASCII + 1), (code + 1) * (ASCII + 1)).some(Boolean) ? 1 : 0,
    ),
    askedLetters: Uint8Array.from(letters, (list) => (list ? 1 : 0)),
    askedDigits: Uint8Array.from({ length: FIRSTS * RUNS * KINDS }, (_, key) =>
      digits.slice(key * NEXTS, (key + 1) * NEXTS).some(Boolean) ? 1 : 0,
    ),
    findSigns: (code, behind) => signs[code * (ASCII + 1) + (behind < ASCII ? behind : ASCII)],
    findLetters: (code, length) => letters[code * RUNS + length],
    findDigits: (first, length, kind, next, isNearWord) =>
      (isNearWord ? wordDigits : digits)[(first * RUNS + length) * BEHIND.length + kind * NEXTS + next],
  };
}

function addRow(lists: StartLists, variants: Variants): void {
  const { starts, runs = ALL_RUNS } = variants.row;
  const entry = variants.find(0, false);
  for (const character of starts) {
    const code = character.charCodeAt(0);
    if (isDigit(code)) addDigits(lists, variants, { first: code - ZERO, hasTwoZeros: false });
    else if (!isAlphanumeric(code)) addSign(lists.signs, code, entry);
    else for (const length of runs) add(lists.letters, code * RUNS + length, entry);
  }
  if (starts.includes("0")) addDigits(lists, variants, { first: 0, hasTwoZeros: true });
}

/** The few different entries of a row. */
class Variants {
  readonly row: Detector;
  readonly #at: number;
  readonly #leads: readonly Uint8Array[] | null;
  readonly #known = new Map<string, Entry>();

  constructor(row: Detector, at: number) {
    this.row = row;
    this.#at = at;
    this.#leads = row.leads?.map((characters) => markAscii(characters)) ?? null;
  }

  find(characters: number, isAfterWord: boolean): Entry {
    return this.#known.getOrInsertComputed(`${characters} ${isAfterWord}`, () => ({
      row: this.row,
      at: this.#at,
      find: this.row.find,
      isNearTokenStart: this.row.isNearTokenStart === true,
      leads: this.#leads,
      characters,
      isLimited: characters > 0 || this.#leads !== null,
      isAfterWord,
    }));
  }
}

function makeTable(count: number): EntryLists {
  return Array.from({ length: count }, () => undefined);
}

function add(lists: EntryLists, key: number, entry: Entry): void {
  const list = lists[key];
  if (list) list.push(entry);
  else lists[key] = [entry];
}

/** The last place of each sign is for other characters behind it, and for the text's end. */
function addSign(signs: EntryLists, code: number, entry: Entry): void {
  const { follows } = entry.row;
  for (let behind = 0; behind <= ASCII; behind++) {
    if (follows === undefined || (behind < ASCII && follows.includes(String.fromCharCode(behind)))) {
      add(signs, code * (ASCII + 1) + behind, entry);
    }
  }
}

function addDigits(
  { digits, wordDigits }: StartLists,
  variants: Variants,
  begun: Pick<DigitRun, "first" | "hasTwoZeros">,
): void {
  const { row } = variants;
  const first = begun.hasTwoZeros ? TWO_ZEROS : begun.first;
  for (const length of row.runs ?? ALL_RUNS) {
    for (const { separator, next, key } of BEHIND) {
      const run = { ...begun, length, separator, next };
      const asks = row.asks?.(run) ?? "always";
      const characters = row.measure?.(run) ?? 0;
      const place = (first * RUNS + length) * BEHIND.length + key;
      if (asks === "always") add(digits, place, variants.find(characters, false));
      if (asks !== "never") add(wordDigits, place, variants.find(characters, asks === "afterWord"));
    }
  }
}

/** Refuses cheaply what stands behind other signs, or has another length. */
export function isPossible({ leads, characters }: Entry, text: string, from: number): boolean {
  if (characters > 0) {
    const to = from + characters;
    return isDigit(text.charCodeAt(to - 1)) && endsAt(text, to);
  }
  if (leads === null) return true;
  for (let place = 0; place < leads.length; place++)
    if (leads[place]?.[text.charCodeAt(from - 1 - place)] !== 1) return false;
  return true;
}
