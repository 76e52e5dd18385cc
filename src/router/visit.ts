// Looks into the lots that can hold one of the first, by any measure, and into no others.
import type { Considered } from "./consider.ts";
import type { Bound } from "./lots.ts";

/** By what candidates are compared: the higher first, none of a lot above `most`. */
export interface Measure {
  readonly of: (one: Considered) => number;
  readonly most: (bound: Bound) => number;
  /** Whether one surely comes before all of a lot where their values are the same. */
  readonly isAhead: (one: Considered, bound: Bound) => boolean;
}

/** Not to be counted. */
export const NONE = Number.NEGATIVE_INFINITY;

export class Visit {
  /** Those that were found. */
  readonly entries: Considered[];
  readonly #look: (bound: Bound) => readonly Considered[];
  readonly #unseen: Set<Bound>;

  /** `look` gives what is in a lot. */
  constructor(
    entries: Considered[],
    bounds: readonly Bound[],
    look: (bound: Bound) => readonly Considered[],
  ) {
    this.entries = entries;
    this.#unseen = new Set(bounds);
    this.#look = look;
  }

  /** Goes on until the first so many by the measure are surely among the entries. */
  reach(count: number, measure: Measure): void {
    const first: { readonly one: Considered; readonly value: number }[] = [];
    const put = (one: Considered) => {
      const value = measure.of(one);
      if (value === NONE) return;
      let place = first.length;
      for (; place > 0; place--) {
        const before = first[place - 1];
        if (before === undefined || before.value > value) break;
        if (before.value === value && (before.one.costUsd ?? 0) <= (one.costUsd ?? 0)) break;
      }
      if (place >= count) return;
      first.splice(place, 0, { one, value });
      first.length = Math.min(first.length, count);
    };
    const isBehind = (bound: Bound, most: number) =>
      first.length === count &&
      first.every(({ one, value }) => value > most || (value === most && measure.isAhead(one, bound)));
    for (const one of this.entries) put(one);
    for (let next = this.#next(measure, isBehind); next !== null; next = this.#next(measure, isBehind)) {
      this.#unseen.delete(next);
      for (const one of this.#look(next)) {
        this.entries.push(one);
        put(one);
      }
    }
  }

  /** The most promising lot; null: none can add anything. */
  #next({ most }: Measure, isBehind: (bound: Bound, most: number) => boolean): Bound | null {
    let best: Bound | null = null;
    let highest = NONE;
    for (const bound of this.#unseen) {
      const value = most(bound);
      if (value === NONE || value < highest || (value === highest && !isCheaper(bound, best))) continue;
      if (isBehind(bound, value)) continue;
      best = bound;
      highest = value;
    }
    return best;
  }
}

function isCheaper(bound: Bound, best: Bound | null): boolean {
  return best === null || bound.costUsdMin < best.costUsdMin;
}

/** The first so many, without sorting the others. */
export function firstOf(
  entries: readonly Considered[],
  count: number,
  order: (a: Considered, b: Considered) => number,
): readonly Considered[] {
  const first: Considered[] = [];
  for (const entry of entries) {
    const last = first[count - 1];
    if (last !== undefined && order(entry, last) >= 0) continue;
    let place = Math.min(first.length, count - 1);
    for (; place > 0; place--) {
      const before = first[place - 1];
      if (before === undefined || order(before, entry) <= 0) break;
      first[place] = before;
    }
    first[place] = entry;
  }
  return first;
}
