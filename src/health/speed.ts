// A model's likely speed and failures now, for choosing among models.

import { boundShares } from "../core/health/shares.ts";
import { computeMedian, computeQuantiles, type FadingValues, weighValues } from "./decay.ts";
import { type Deployment, sumOutcomes } from "./deployment.ts";
import { groupValues, type PayerSpeeds, SPEED_HALF_LIFE_MS } from "./payer-speeds.ts";

/** Null speeds are unknown, so the profile's apply. */
export type Outlook = Readonly<ReturnType<typeof foresee>>;

/** The time after the last answer at which one request may find out whether a model has become faster. */
const LOOK_AFTER_MS = 60_000;
/** A prior: as if this many answers had been good. */
const OUTCOMES_BEFORE = 20;

/**
 * Returns a model's outlook for a payer from what its credentials showed. It holds until `untilMs`, unless a call begins or ends,
 * and is the same for all payers without calls there if it holds for any time.
 */
export function foresee(deployments: readonly Deployment[], nowMs: number, payer: string) {
  const speed = estimateSpeed(deployments, nowMs, payer);
  if (deployments.every((one) => one.isWell(nowMs))) return { ...speed, errorRate: 0, isOpen: false };
  const isShut = deployments.every(({ breaker }) => breaker.isOpenFor(nowMs, payer));
  return {
    ...speed,
    // A model due for another try counts as healthy: without requests it could never recover.
    errorRate: isShut ? 0 : boundErrorRate(deployments, nowMs, payer),
    isOpen: deployments.every((deployment) => deployment.waitMs(nowMs, payer) !== 0),
    untilMs: nowMs,
  };
}

/**
 * When the fresh figures have faded, a model that was slow last still counts as slow to its payer, not as fast as its profile:
 * otherwise all requests would return to it at once, time after time. Only when the payer has no request in flight there, and its
 * last answer is a minute old, does the model count as unknown, so that one request measures it.
 */
function estimateSpeed(deployments: readonly Deployment[], nowMs: number, payer: string) {
  const own = deployments.flatMap(({ speedsBy }) => speedsBy.find(payer) ?? []);
  const first = computeShared(deployments, ({ firstMs }) => firstMs, nowMs, payer);
  const speed = computeShared(deployments, (one) => one.tokensPerSecond, nowMs, payer);
  const isFaded = first === null && speed === null;
  const dueMs = isFaded ? findDueMs(own) : Number.POSITIVE_INFINITY;
  if (nowMs >= dueMs) return { firstTokenMs: null, tokensPerSecond: null, untilMs: Number.POSITIVE_INFINITY };
  const fresh = [first, speed].flatMap((median) => median?.fadedAtMs ?? []);
  const last = own.flatMap((one) => [one.lastFirstMs, one.lastTokensPerSecond]);
  return {
    firstTokenMs: first?.value ?? average(own.map((one) => one.lastFirstMs.at(nowMs))),
    tokensPerSecond: speed?.value ?? average(own.map((one) => one.lastTokensPerSecond.at(nowMs))),
    untilMs: Math.min(dueMs, ...fresh, ...last.map((values) => values.untilMs(nowMs))),
  };
}

/** Returns the median of a figure over all payers' answers, of which no other voice's are more than a quarter. */
function computeShared(
  deployments: readonly Deployment[],
  pick: (own: PayerSpeeds) => FadingValues,
  nowMs: number,
  payer: string,
) {
  const own = deployments.flatMap(({ speedsBy }) => {
    const speeds = speedsBy.find(payer);
    return speeds === undefined ? [] : [pick(speeds)];
  });
  if (own.length > 0 && deployments.every(({ speedsBy }) => !speedsBy.hasOthers(payer)))
    return computeMedian(own, SPEED_HALF_LIFE_MS, nowMs);
  const grouped = [...groupValues(deployments, pick)].filter(([one]) => one !== payer);
  const others = grouped.map(([, values]) => values);
  const weigh = (values: readonly FadingValues[]) => weighValues(values, nowMs);
  const names = grouped.map(([one]) => one);
  const shares = boundShares(weigh(own), others.map(weigh), names, payer);
  const spread = others.flatMap((values, at) => values.map(() => shares[at] ?? 1));
  const all = [...own, ...others.flat()];
  return computeMedian(all, SPEED_HALF_LIFE_MS, nowMs, [...own.map(() => 1), ...spread]);
}

/**
 * Returns the time within which this share of the answers came, without those of the other payer whose slow ones raise it most:
 * even one of many could delay everybody's second attempts. If only one other payer has had answers, there is nothing else.
 */
export function computeLeastQuantile(
  deployments: readonly Deployment[],
  share: number,
  streamed: boolean,
  nowMs: number,
  payer: string,
): number | null {
  const grouped = groupValues(deployments, ({ firstMs, wholeMs }) => (streamed ? firstMs : wholeMs));
  const compute = (leftOut: string | null) => {
    const values = [...grouped].flatMap(([one, own]) => (one === leftOut ? [] : own));
    return computeQuantiles(values, [share], nowMs)?.[0] ?? null;
  };
  const others = [...grouped.keys()].filter((one) => one !== payer);
  const times = others.flatMap((other) => compute(other) ?? []);
  return times.length === 0 ? compute(null) : Math.min(...times);
}

/** Returns the time from which a request may measure the model again. Infinity while one of the payer's is in flight there. */
function findDueMs(own: readonly PayerSpeeds[]): number {
  const times = own.map(({ inFlight, measuredAtMs }) => {
    if (inFlight > 0) return Number.POSITIVE_INFINITY;
    return measuredAtMs === null ? Number.NEGATIVE_INFINITY : measuredAtMs + LOOK_AFTER_MS;
  });
  return Math.max(...times);
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
