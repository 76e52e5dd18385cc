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

/** The kinds of separators, of which other characters are the first. */
export const SEPARATOR_KINDS: readonly number[] = [0, SPACE, HYPHEN, DOT, PLUS];
const KINDS = new Uint8Array(128);
for (const [code, bit] of SEPARATORS.entries()) KINDS[code] = SEPARATOR_KINDS.indexOf(bit);

/** The place of a character's kind among them. */
export function readSeparatorKind(code: number): number {
  return KINDS[code] ?? 0;
}

/** A written form, with the place of each separator. */
export interface Form {
  readonly groups: readonly number[];
  readonly separators: number;
  /** The number of its digits. */
  readonly count: number;
  readonly characters: number;
  /** The places of its digits and of its separators, from its first digit. */
  readonly digitsAt: Uint8Array;
  readonly separatorsAt: Uint8Array;
}

export function makeForm(groups: readonly number[], separators: number): Form {
  const count = groups.reduce((sum, group) => sum + group);
  const digitsAt: number[] = [];
  const separatorsAt: number[] = [];
  let at = 0;
  for (const group of groups) {
    if (at > 0) separatorsAt.push(at++);
    for (const end = at + group; at < end; at++) digitsAt.push(at);
  }
  return {
    groups,
    separators,
    count,
    characters: at,
    digitsAt: Uint8Array.from(digitsAt),
    separatorsAt: Uint8Array.from(separatorsAt),
  };
}

/** Reads a form into `digits`, and returns where it ends; -1 if it doesn't stand there as a whole. */
export function readForm(text: string, at: number, form: Form): number {
  const { digitsAt, separatorsAt, separators } = form;
  // Its end and its separators are looked at first, since most numbers fail there.
  const to = at + form.characters;
  if (!isDigit(text.charCodeAt(to - 1)) || !endsAt(text, to)) return -1;
  for (let place = 0; place < separatorsAt.length; place++) {
    const code = text.charCodeAt(at + (separatorsAt[place] ?? 0));
    if (((SEPARATORS[code] ?? 0) & separators) === 0) return -1;
  }
  for (let place = 0; place < digitsAt.length; place++) {
    const code = text.charCodeAt(at + (digitsAt[place] ?? 0));
    if (!isDigit(code)) return -1;
    digits[place] = code - 48;
  }
  return to;
}
