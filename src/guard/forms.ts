// The written forms of numbers: groups of digits with a separator between each two.
import { endsAt, isDigit } from "./characters.ts";
import { digits } from "./checksums.ts";

/** The characters that may stand between two groups, as bits. */
export const SPACE = 1;
export const HYPHEN = 2;
export const DOT = 4;
export const PLUS = 8;
const SEPARATORS = new Uint8Array(128);
for (const [character, bit] of [
  [" ", SPACE],
  ["-", HYPHEN],
  [".", DOT],
  ["+", PLUS],
] as const) {
  SEPARATORS[character.charCodeAt(0)] = bit;
}

/** A written form, with the place of each separator. */
export interface Form {
  readonly groups: readonly number[];
  readonly separators: number;
  /** The number of its digits. */
  readonly count: number;
  readonly characters: number;
}

export function makeForm(groups: readonly number[], separators: number): Form {
  const count = groups.reduce((sum, group) => sum + group);
  return { groups, separators, count, characters: count + groups.length - 1 };
}

/** Reads a form into `digits`, and returns where it ends; -1 if it doesn't stand there as a whole. */
export function readForm(text: string, at: number, { groups, separators, characters }: Form): number {
  // Its end and its separators are looked at first, since most numbers fail there.
  const to = at + characters;
  if (!isDigit(text.charCodeAt(to - 1)) || !endsAt(text, to)) return -1;
  let place = at;
  for (let group = 0; group < groups.length - 1; group++) {
    place += groups[group] ?? 0;
    if (((SEPARATORS[text.charCodeAt(place++)] ?? 0) & separators) === 0) return -1;
  }
  return readGroups(text, at, groups) ? to : -1;
}

function readGroups(text: string, at: number, groups: readonly number[]): boolean {
  let place = at;
  let count = 0;
  for (let group = 0; group < groups.length; group++) {
    for (const end = place + (groups[group] ?? 0); place < end; place++) {
      const code = text.charCodeAt(place);
      if (!isDigit(code)) return false;
      digits[count++] = code - 48;
    }
    place++;
  }
  return true;
}
