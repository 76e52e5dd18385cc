// The written forms of numbers: groups of digits with a separator between each two.
import { endsAt, isDigit } from "./characters.ts";
import { digits } from "./checksums.ts";

/** Returns true for the code of a character that may stand between two groups. */
type Separates = (code: number) => boolean;

export const isSpaceOrHyphen: Separates = (code) => code === 32 || code === 45;
export const isHyphen: Separates = (code) => code === 45;

/** A written form, with the place of each separator. */
export interface Form {
  readonly groups: readonly number[];
  readonly separates: Separates;
  /** The number of its digits. */
  readonly count: number;
  readonly characters: number;
}

export function makeForm(groups: readonly number[], separates: Separates): Form {
  const count = groups.reduce((sum, group) => sum + group);
  return { groups, separates, count, characters: count + groups.length - 1 };
}

/** Reads a form into `digits`, and returns where it ends; -1 if it doesn't stand there as a whole. */
export function readForm(text: string, at: number, { groups, separates, characters }: Form): number {
  // Its end and its separators are looked at first, since most numbers fail there.
  const to = at + characters;
  if (!isDigit(text.charCodeAt(to - 1)) || !endsAt(text, to)) return -1;
  let place = at;
  for (let group = 0; group < groups.length - 1; group++) {
    place += groups[group] ?? 0;
    if (!separates(text.charCodeAt(place++))) return -1;
  }
  return readGroups(text, at, groups) ? to : -1;
}

function readGroups(text: string, at: number, groups: readonly number[]): boolean {
  let place = at;
  let count = 0;
  for (const group of groups) {
    for (const end = place + group; place < end; place++) {
      const code = text.charCodeAt(place);
      if (!isDigit(code)) return false;
      digits[count++] = code - 48;
    }
    place++;
  }
  return true;
}
