// A model's likely speed and failures now, for choosing among models.

import { computeMedian, type FadingValues } from "./decay.ts";
import { type Deployment, SPEED_HALF_LIFE_MS, sumOutcomes } from "./deployment.ts";

/** Null speeds are unknown, so the profile's apply. */
export type Outlook = Readonly<ReturnType<typeof foresee>>;

/** The time after the last answer at which one request may find out whether a model has become faster. */
const LOOK_AFTER_MS = 60_000;
/** A prior: as if this many answers had been good. */
const OUTCOMES_BEFORE = 20;

/**
 * Returns a model's outlook for a payer from what its credentials showed. It holds until `untilMs`, unless a call begins or ends,
 * and is the same for all payers if it holds for any time.
 */
export function foresee(deployments: readonly Deployment[], nowMs: number, payer: string) {
  const speed = estimateSpeed(deployments, nowMs);
  if (deployments.every((one) => one.isWell(nowMs))) return { ...speed, errorRate: 0, isOpen: false };
  const isShut = deployments.every(({ breaker }) => breaker.isOpenFor(payer));
  return {
    ...speed,
    // A model due for another try counts as healthy: without requests it could never recover.
    errorRate: isShut ? 0 : boundErrorRate(deployments, nowMs, payer),
    isOpen: deployments.every((deployment) => deployment.waitMs(nowMs, payer) !== 0),
    untilMs: nowMs,
  };
}

/**
 * When the fresh figures have faded, a model that was slow last still counts as slow, not as fast as its profile:
 * otherwise all requests would return to it at once, time after time. Only when it has no request in flight, and its
 * last answer is a minute old, does it count as unknown, so that one request measures it.
 */
function estimateSpeed(deployments: readonly Deployment[], nowMs: number) {
  const over = (values: readonly FadingValues[]) => computeMedian(values, SPEED_HALF_LIFE_MS, nowMs);
  const first = over(deployments.map(({ firstMs }) => firstMs));
  const speed = over(deployments.map((deployment) => deployment.tokensPerSecond));
  const isFaded = first === null && speed === null;
  if (isFaded && isDue(deployments, nowMs))
    return { firstTokenMs: null, tokensPerSecond: null, untilMs: Number.POSITIVE_INFINITY };
  const fresh = [first, speed].flatMap((median) => median?.fadedAtMs ?? []);
  const last = deployments.flatMap((one) => [one.lastFirstMs, one.lastTokensPerSecond]);
  return {
    firstTokenMs: first?.value ?? average(deployments.map((one) => one.lastFirstMs.at(nowMs))),
    tokensPerSecond: speed?.value ?? average(deployments.map((one) => one.lastTokensPerSecond.at(nowMs))),
    untilMs: isFaded ? nowMs : Math.min(...fresh, ...last.map((values) => values.untilMs(nowMs))),
  };
}

function isDue(deployments: readonly Deployment[], nowMs: number): boolean {
  return deployments.every(
    ({ inFlight, measuredAtMs }) =>
      inFlight === 0 && (measuredAtMs === null || nowMs - measuredAtMs >= LOOK_AFTER_MS),
  );
}

function average(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0) / known.length;
}

/**
 * A lower bound of the error rate, fading with time. Some failures are chance, about the square root of the number
 * counted, so a single one never drives out a good model.
 */
function boundErrorRate(deployments: readonly Deployment[], nowMs: number, payer: string): number {
  const { good, bad } = sumOutcomes(deployments, nowMs, payer);
  return Math.max(0, bad - Math.sqrt(bad)) / (good + bad + OUTCOMES_BEFORE);
}
