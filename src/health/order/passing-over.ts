// The candidates that a conversation passes over in its order: a new one those that have far more calls under way than the
// others, fail often, or are far slower; one that goes on only those that its gateway key has filled.
import type { Attempt } from "../../core/attempt.ts";
import { type Deployment, sumOutcomes } from "../deployment.ts";
import type { Health } from "../health.ts";

const CALLS_MIN = 16;
/** Times its share by weight of all calls under way. */
const CALLS_SHARE_MAX = 2;
/** The calls under way of one gateway key from which even a conversation that goes on moves, and times the share of all. */
const KEY_CALLS_MIN = 64;
const KEY_CALLS_SHARE_MAX = 4;
/** Fewer outcomes say too little, and let one that is passed over be tried again once they fade. */
const OUTCOMES_MIN = 3;
const BAD_SHARE_MAX = 0.25;
const WAITS_MIN = 3;
/** Waits are compared above this floor, because small differences don't matter. */
const WAIT_FLOOR_MS = 100;
const WAIT_FACTOR_MAX = 4;

/** A candidate's calls in this process that are under way or about to begin. */
interface Crowd {
  readonly weight: number;
  readonly inFlight: number;
}

/** With those of the request's gateway key. */
interface KeyCrowd extends Crowd {
  readonly ofKey: number;
}

/** A candidate's recent calls in this process. */
interface Doing extends Crowd {
  readonly good: number;
  readonly bad: number;
  /** Null if unknown. */
  readonly waitMs: number | null;
}

/** Returns all candidates in the order of a new conversation, but those that are passed over last. */
export function passOver<One>(ordered: readonly One[], measure: (one: One) => Doing): readonly One[] {
  return putLast(ordered, measure, isPassedOver);
}

/** Returns all candidates in the order of a conversation that goes on, but those that its gateway key has filled last. */
export function passOverFilled<One>(
  ordered: readonly One[],
  measure: (one: One) => KeyCrowd,
): readonly One[] {
  const isFilled = (own: KeyCrowd, all: readonly KeyCrowd[]) =>
    own.ofKey >= KEY_CALLS_MIN && holdsMoreThan(KEY_CALLS_SHARE_MAX, own, all);
  return putLast(ordered, measure, isFilled);
}

function putLast<One, Measured>(
  ordered: readonly One[],
  measure: (one: One) => Measured,
  isLast: (own: Measured, all: readonly Measured[]) => boolean,
): readonly One[] {
  if (ordered.length < 2) return ordered;
  const all = ordered.map((one) => ({ one, own: measure(one) }));
  const measured = all.map(({ own }) => own);
  const { first = [], last = [] } = Object.groupBy(all, ({ own }) =>
    isLast(own, measured) ? "last" : "first",
  );
  return [...first, ...last].map(({ one }) => one);
}

/** True if more calls are under way there than this many times its share by weight of all of them. */
function holdsMoreThan(times: number, { weight, inFlight }: Crowd, all: readonly Crowd[]): boolean {
  const weights = all.reduce((sum, one) => sum + one.weight, 0);
  const calls = all.reduce((sum, one) => sum + one.inFlight, 0);
  return inFlight * weights > times * weight * calls;
}

function isPassedOver(own: Doing, all: readonly Doing[]): boolean {
  const { inFlight, good, bad } = own;
  if (inFlight >= CALLS_MIN && holdsMoreThan(CALLS_SHARE_MAX, own, all)) return true;
  if (good + bad >= OUTCOMES_MIN && bad > BAD_SHARE_MAX * (good + bad)) return true;
  const waits = all.flatMap((other) => (other === own || other.waitMs === null ? [] : [other.waitMs]));
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
  const inFlight = called.reduce(
    (sum, deployment) => sum + deployment.inFlight,
    countComing(attempts, health),
  );
  const waits = called.flatMap((deployment) => deployment.meanWaitMs(nowMs, WAITS_MIN) ?? []);
  const waitMs = waits.length === 0 ? null : waits.reduce((sum, one) => sum + one, 0) / waits.length;
  return { weight, inFlight, ...sumOutcomes(called, nowMs, payer), waitMs };
}

/** Returns the calls under way of the attempts on a model together, and those of a gateway key. */
export function measureCrowd(
  weight: number,
  attempts: readonly Attempt[],
  health: Health,
  keyId: string,
): KeyCrowd {
  const called = attempts.flatMap((attempt) => health.deployment(attempt) ?? []);
  const sum = (count: (deployment: Deployment) => number) =>
    called.reduce((calls, deployment) => calls + count(deployment), 0);
  return {
    weight,
    inFlight: sum(({ inFlight }) => inFlight) + countComing(attempts, health),
    ofKey: sum(({ callsByKey }) => callsByKey.count(keyId)) + countComing(attempts, health, keyId),
  };
}

/** Returns the calls that come to the model of these attempts: all, or those of a gateway key. */
function countComing([one]: readonly Attempt[], { coming }: Health, keyId?: string): number {
  const place = one && coming.findModel(one);
  if (place === undefined) return 0;
  return keyId === undefined ? place.calls : place.byKey.count(keyId);
}

/** Returns the calls of a credential, for any model, and those of a gateway key among them. */
export function measureCredential(attempt: Attempt, health: Health, keyId: string): KeyCrowd {
  const key = health.key(attempt);
  const coming = health.coming.findCredential(attempt);
  return {
    weight: attempt.credential.weight,
    inFlight: (key?.inFlight ?? 0) + (coming?.calls ?? 0),
    ofKey: (key?.callsByKey.count(keyId) ?? 0) + (coming?.byKey.count(keyId) ?? 0),
  };
}
