// The lists of detectors that are asked at a sign, or at a run of letters and digits, by its first character and its length.
import { isAlphanumeric, isDigit } from "./characters.ts";
import type { Detector } from "./detector.ts";
import { SEPARATOR_KINDS } from "./forms.ts";

/** Longer runs are one class: no detector tells them apart. */
export const RUN_MAX = 31;
/** As many digits behind a run's separator, or more, are one class. */
export const NEXT_MAX = 8;
export const RUNS = RUN_MAX + 1;
const NEXTS = NEXT_MAX + 1;
const ASCII = 128;
const ZERO = 48;
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
  /** True if it is only asked behind one of its words. */
  readonly isAfterWord: boolean;
}

type EntryLists = (Entry[] | undefined)[];

export interface Starts {
  /** By sign: 1 if somebody may be asked there. Small, since it is read for every sign of a text. */
  readonly askedSigns: Uint8Array;
  /** The same by a run's first letter times `RUNS`, and its length. */
  readonly askedLetters: Uint8Array;
  /** `behind` is the code behind the sign. */
  findSigns(code: number, behind: number): readonly Entry[] | undefined;
  findLetters(code: number, length: number): readonly Entry[] | undefined;
  /** `kind` is that of the separator behind the run, and `isNearWord` false if no word can stand before it. */
  findDigits(
    first: number,
    length: number,
    kind: number,
    next: number,
    isNearWord: boolean,
  ): readonly Entry[] | undefined;
}

export function makeStarts(rows: readonly Detector[]): Starts {
  const signs: EntryLists = makeTable(ASCII * (ASCII + 1));
  const letters: EntryLists = makeTable(ASCII * RUNS);
  const digits: EntryLists = makeTable(10 * RUNS * BEHIND.length);
  const wordDigits: EntryLists = makeTable(10 * RUNS * BEHIND.length);
  for (const [at, row] of rows.entries()) {
    const entry: Entry = {
      row,
      at,
      find: row.find,
      isNearTokenStart: row.isNearTokenStart === true,
      isAfterWord: false,
    };
    for (const character of row.starts) {
      const code = character.charCodeAt(0);
      if (isDigit(code)) addDigits(digits, wordDigits, entry, code - ZERO);
      else if (!isAlphanumeric(code)) addSign(signs, code, entry);
      else for (const length of row.runs ?? ALL_RUNS) add(letters, code * RUNS + length, entry);
    }
  }
  return {
    askedSigns: Uint8Array.from({ length: ASCII }, (_, code) =>
      signs.slice(code * (ASCII + 1), (code + 1) * (ASCII + 1)).some(Boolean) ? 1 : 0,
    ),
    askedLetters: Uint8Array.from(letters, (list) => (list ? 1 : 0)),
    findSigns: (code, behind) => signs[code * (ASCII + 1) + (behind < ASCII ? behind : ASCII)],
    findLetters: (code, length) => letters[code * RUNS + length],
    findDigits: (first, length, kind, next, isNearWord) =>
      (isNearWord ? wordDigits : digits)[(first * RUNS + length) * BEHIND.length + kind * NEXTS + next],
  };
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

function addDigits(digits: EntryLists, wordDigits: EntryLists, entry: Entry, first: number): void {
  const { row } = entry;
  const afterWord: Entry = { ...entry, isAfterWord: true };
  for (const length of row.runs ?? ALL_RUNS) {
    for (const { separator, next, key } of BEHIND) {
      const place = (first * RUNS + length) * BEHIND.length + key;
      const asks = row.asks?.({ first, length, separator, next }) ?? "always";
      if (asks === "always") add(digits, place, entry);
      if (asks !== "never") add(wordDigits, place, asks === "afterWord" ? afterWord : entry);
    }
  }
}
