// Long runs of base64: pictures, sounds, signatures.
import { isBase64 } from "./characters.ts";

/** Runs above it aren't searched. */
export const BASE64_RUN_MAX = 200;

/**
 * True if a long run stands around a place. `runFrom` is where the run begins in which the search stands. In a text that `isOpen`, a
 * run that reaches its end counts as long.
 */
export function isInLongRun(text: string, from: number, runFrom: number, isOpen: boolean): boolean {
  const first = Math.max(0, from - BASE64_RUN_MAX);
  let start = Math.min(from, runFrom);
  if (runFrom > from) {
    while (start > first && isBase64(text.charCodeAt(start - 1))) start--;
  }
  let end = from;
  while (end - start <= BASE64_RUN_MAX && isBase64(text.charCodeAt(end))) end++;
  return end - start > BASE64_RUN_MAX || (isOpen && end === text.length);
}
