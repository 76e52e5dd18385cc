// The numbers by which a circuit opens, and for how long.
import type { Passage } from "../../core/health/evidence.ts";

/** Failures fade by this, so that only those of the last seconds count together. */
export const HALF_LIFE_MS = 10_000;
/** Outcomes weigh on the choice among deployments for longer. */
export const OUTCOMES_HALF_LIFE_MS = 30_000;
/** Failures between successes also open it if they total nearly as many within seconds, fading by up to this, … */
const FADED = 0.5;
/** … and are at least this share of the calls. */
const SHARE_MIN = 0.5;

export interface CircuitTerms {
  /** The number of consecutive failures that open it, however far apart they are. */
  readonly inRowMax: number;
  /** True if failures between successes open it, too. */
  readonly countsShare: boolean;
  /** The time from opening to the first probe. Each failed probe doubles it, up to the maximum. */
  readonly waitMs: number;
  readonly waitMaxMs: number;
  /** If it opens again within this time after it closed, the longer waits continue. */
  readonly relapseMs: number;
  /** True if evidence that no request can have caused shuts it for everybody at once. */
  readonly sharedShuts: boolean;
}

export function probesOwn(passage: Passage): boolean {
  return passage === "own" || passage === "both";
}

/** `good` and `bad` are the faded counts of outcomes, `row` the failures since the last success. */
export function isBurst(
  { inRowMax, countsShare }: CircuitTerms,
  row: number,
  good: number,
  bad: number,
): boolean {
  if (row >= inRowMax) return true;
  return countsShare && bad >= inRowMax - FADED && bad >= SHARE_MIN * (bad + good);
}
