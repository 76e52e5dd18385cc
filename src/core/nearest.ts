// The known words nearest to one that isn't known: for "did you mean" in errors.

/** A longer word is no typing mistake, and comparing it would cost time. */
const CHARACTERS_MAX = 120;
const DISTANCE_MAX = 8;

/**
 * Up to `count` of the candidates that differ from `text` by at most a third of its characters, or two (upper and lower case
 * are the same), nearest first. Bounded work, whatever the text.
 */
export function nearest(text: string, candidates: Iterable<string>, count: number): string[] {
  if (text.length === 0 || text.length > CHARACTERS_MAX) return [];
  const word = text.toLowerCase();
  const limit = Math.min(DISTANCE_MAX, Math.max(word.length < 4 ? 1 : 2, Math.floor(word.length / 3)));
  const found: { candidate: string; distance: number }[] = [];
  for (const candidate of candidates) {
    const distance = editDistance(word, candidate.toLowerCase(), limit);
    if (distance <= limit) found.push({ candidate, distance });
  }
  found.sort((one, other) => one.distance - other.distance || (one.candidate < other.candidate ? -1 : 1));
  return found.slice(0, count).map(({ candidate }) => candidate);
}

/** Letters to insert, remove or change to make one word of the other; anything above `limit` is given as `limit + 1`. */
function editDistance(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) > limit) return limit + 1;
  let above = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row += 1) {
    const line = new Array<number>(other.length + 1).fill(limit + 1);
    line[0] = row;
    const last = Math.min(other.length, row + limit);
    let least = row;
    for (let at = Math.max(1, row - limit); at <= last; at += 1) {
      const changed = (above[at - 1] ?? 0) + (one[row - 1] === other[at - 1] ? 0 : 1);
      line[at] = Math.min(changed, (above[at] ?? limit) + 1, (line[at - 1] ?? limit) + 1);
      least = Math.min(least, line[at] ?? least);
    }
    if (least > limit) return limit + 1;
    above = line;
  }
  return Math.min(above[other.length] ?? limit + 1, limit + 1);
}
