// Findings that overlap are one.
import { DETECTORS } from "./detectors.ts";
import type { Match } from "./scanner.ts";
import { type Steps, takeAll } from "./steps.ts";

/** One finding, or the union of several that overlap, with the kind of the longest. */
export interface Union extends Match {
  /** All detectors that found a part of it: the strictest of their actions counts. */
  readonly detectors: readonly string[];
}

const ORDER: ReadonlyMap<string, number> = new Map(DETECTORS.map(({ name }, at) => [name, at]));

/** Joined in less than a millisecond. */
const STEP_MATCHES = 4096;

/** Returns a detector's place in the list. Words come last. */
export function rankDetector(name: string): number {
  return ORDER.get(name) ?? ORDER.size;
}

function isKindBefore(one: Match, other: Match): boolean {
  const lengths = one.to - one.from - (other.to - other.from);
  if (lengths !== 0) return lengths > 0;
  return rankDetector(one.detector) < rankDetector(other.detector);
}

/** Joins the findings of one text, which are in order. */
export function joinFound(found: readonly Match[]): readonly Union[] {
  return takeAll(joinInSteps(found));
}

export function* joinInSteps(found: readonly Match[]): Steps<readonly Union[]> {
  const joined: Union[] = [];
  let kind: Match | null = null;
  let left = STEP_MATCHES;
  for (const one of found) {
    if (left-- === 0) {
      left = STEP_MATCHES;
      yield;
    }
    const last = joined.at(-1);
    if (last === undefined || kind === null || one.from >= last.to) {
      joined.push({ ...one, detectors: [one.detector] });
      kind = one;
      continue;
    }
    if (isKindBefore(one, kind)) kind = one;
    const detectors = last.detectors.includes(one.detector)
      ? last.detectors
      : [...last.detectors, one.detector];
    joined[joined.length - 1] = {
      from: last.from,
      to: Math.max(last.to, one.to),
      detector: kind.detector,
      detectors,
    };
  }
  return joined;
}
