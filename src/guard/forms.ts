// The written forms of numbers: groups of digits with a separator between each two.
import { endsAt, isDigit } from "./characters.ts";
import { digits } from "./checksums.ts";

/** Returns true for the code of a character that may stand between two groups. */
export type Separates = (code: number) => boolean;

export const isSpaceOrHyphen: Separates = (code) => code === 32 || code === 45;
export const isHyphen: Separates = (code) => code === 45;

/**
 * Reads groups of such lengths into `digits`, with one separator between each two, and returns where they end; -1 if they don't
 * stand there as a whole.
 */
export function readForm(text: string, at: number, groups: readonly number[], separates: Separates): number {
  let to = at;
  let count = 0;
  for (const group of groups) {
    if (count > 0 && !separates(text.charCodeAt(to++))) return -1;
    for (const end = to + group; to < end; to++) {
      const code = text.charCodeAt(to);
      if (!isDigit(code)) return -1;
      digits[count++] = code - 48;
    }
  }
  return endsAt(text, to) ? to : -1;
}
