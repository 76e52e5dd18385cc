// The candidates that a new conversation passes over in its order, because they have far more calls under way than the
// others, fail often, or are far slower.
import type { Attempt } from "../../core/models/attempt.ts";
import { sumOutcomes } from "../deployment.ts";
import type { Health } from "../health.ts";

const CALLS_MIN = 16;
/** Times its share by weight of all calls under way. */
const CALLS_SHARE_MAX = 2;
/** Fewer outcomes say too little, and let one that is passed over be tried again once they fade. */
const OUTCOMES_MIN = 10;
const BAD_SHARE_MAX = 0.25;
const WAITS_MIN = 3;
/** Waits are compared above this floor, because small differences don't matter. */
const WAIT_FLOOR_MS = 100;
const WAIT_FACTOR_MAX = 4;

/** A candidate's recent calls in this process. */
interface Doing {
  readonly weight: number;
  readonly inFlight: number;
  readonly good: number;
  readonly bad: number;
  /** Null if unknown. */
  readonly waitMs: number | null;
}

/** Returns all candidates in their order, but those that are passed over last. */
export function passOver<One>(ordered: readonly One[], measure: (one: One) => Doing): readonly One[] {
  if (ordered.length < 2) return ordered;
  const doings = ordered.map(measure);
  const isPassed = ordered.map((_, at) => isPassedOver(at, doings));
  return [...ordered.filter((_, at) => !isPassed[at]), ...ordered.filter((_, at) => isPassed[at])];
}

function isPassedOver(at: number, doings: readonly Doing[]): boolean {
  const own = doings[at];
  if (own === undefined) return false;
  const { weight, inFlight, good, bad } = own;
  const weights = doings.reduce((sum, one) => sum + one.weight, 0);
  const calls = doings.reduce((sum, one) => sum + one.inFlight, 0);
  if (inFlight >= CALLS_MIN && inFlight * weights > CALLS_SHARE_MAX * weight * calls) return true;
  if (good + bad >= OUTCOMES_MIN && bad > BAD_SHARE_MAX * (good + bad)) return true;
  const waits = doings.flatMap(({ waitMs }, other) => (other === at || waitMs === null ? [] : [waitMs]));
  if (own.waitMs === null || waits.length === 0) return false;
  const meanMs = waits.reduce((sum, waitMs) => sum + waitMs, 0) / waits.length;
  return own.waitMs > WAIT_FACTOR_MAX * Math.max(meanMs, WAIT_FLOOR_MS);
}

/** Returns how the attempts on a model have been doing together, for a payer. */
export function measureDoing(
  weight: number,
  attempts: readonly Attempt[],
  health: Health,
  nowMs: number,
  payer: string,
): Doing {
  const called = attempts.flatMap((attempt) => health.deployment(attempt) ?? []);
  const inFlight = called.reduce((sum, deployment) => sum + deployment.inFlight, 0);
  const waits = called.flatMap((deployment) => deployment.meanWaitMs(nowMs, WAITS_MIN) ?? []);
  const waitMs = waits.length === 0 ? null : waits.reduce((sum, one) => sum + one, 0) / waits.length;
  return { weight, inFlight, ...sumOutcomes(called, nowMs, payer), waitMs };
}
