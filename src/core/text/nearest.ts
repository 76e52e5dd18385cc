// Finds the closest known words for "did you mean" in errors.
import { distance } from "fastest-levenshtein";

/** Longer texts are not typos, and comparing them would take time. */
const CHARACTERS_MAX = 120;
const DISTANCE_MAX = 8;

/**
 * Returns up to `count` candidates that differ from `text` in at most a third of its characters, or in two, nearest
 * first. Ignores case. The work is bounded for any text.
 */
export function findNearest(text: string, candidates: Iterable<string>, count: number): string[] {
  if (text.length === 0 || text.length > CHARACTERS_MAX) return [];
  const word = text.toLowerCase();
  const limit = Math.min(DISTANCE_MAX, Math.max(word.length < 4 ? 1 : 2, Math.floor(word.length / 3)));
  const found: { candidate: string; edits: number }[] = [];
  for (const candidate of candidates) {
    const other = candidate.toLowerCase();
    // Most candidates are ruled out by their length alone, and comparing long ones would be slow.
    if (Math.abs(other.length - word.length) > limit) continue;
    const edits = distance(word, other);
    if (edits <= limit) found.push({ candidate, edits });
  }
  found.sort((one, other) => one.edits - other.edits || (one.candidate < other.candidate ? -1 : 1));
  return found.slice(0, count).map(({ candidate }) => candidate);
}

/** Returns `; did you mean CANDIDATE?`, or nothing if none is near. */
export function suggest(text: string, candidates: Iterable<string>, prefix = ""): string {
  const [near] = findNearest(text, candidates, 1);
  return near === undefined ? "" : `; did you mean ${prefix}${near}?`;
}

/** Returns the candidate that differs from `text` in the fewest characters, `editsMax` at most. Null if there is none. */
export function findWithin(text: string, candidates: Iterable<string>, editsMax: number): string | null {
  let found: string | null = null;
  let least = editsMax + 1;
  for (const candidate of candidates) {
    // Comparing texts of very different lengths would take time for nothing.
    if (Math.abs(candidate.length - text.length) >= least) continue;
    const edits = distance(text, candidate);
    if (edits < least) [found, least] = [candidate, edits];
  }
  return found;
}
