// Spreads requests over a provider's credentials: two are drawn by weight, and the less burdened one serves.

import type { Attempt } from "../core/attempt.ts";
import type { Health } from "./health.ts";

/** Latencies are compared above this floor, so that small differences don't outweigh the draw. */
const LATENCY_FLOOR_MS = 100;
const ERROR_COST = 4;
/** A single failure weighs little, and fades: a deployment that is never asked could not show that it has recovered. */
const OUTCOMES_BEFORE = 10;
/** The second takes over only when it is clearly less burdened. */
const CLEARLY = 0.8;

/** All of these attempts in the order in which to try them. `roll` returns a new number from 0 up to 1 at each call. */
export function spread(
  attempts: readonly Attempt[],
  health: Health,
  roll: () => number,
  nowMs: number,
): readonly Attempt[] {
  if (attempts.length < 2) return attempts;
  const order: Attempt[] = [];
  for (let left = attempts; left.length > 0; left = left.filter((attempt) => attempt !== order.at(-1))) {
    const drawn = draw(left, roll) ?? left[0];
    const other = draw(
      left.filter((attempt) => attempt !== drawn),
      roll,
    );
    const mean = left.reduce((sum, { credential }) => sum + credential.weight, 0) / left.length;
    const burden = (attempt: Attempt) => measureBurden(attempt, health, mean, nowMs);
    const isOther = drawn && other && burden(other) < CLEARLY * burden(drawn);
    const next = isOther ? other : drawn;
    if (next) order.push(next);
  }
  return order;
}

/** Draws one in proportion to weight. */
function draw(attempts: readonly Attempt[], roll: () => number): Attempt | undefined {
  let mark = roll() * attempts.reduce((sum, { credential }) => sum + credential.weight, 0);
  return attempts.find(({ credential }) => {
    mark -= credential.weight;
    return mark < 0;
  });
}

function measureBurden(attempt: Attempt, health: Health, meanWeight: number, nowMs: number): number {
  const deployment = health.deployment(attempt);
  const inFlight = health.key(attempt)?.inFlight ?? 0;
  const load = (inFlight * meanWeight) / attempt.credential.weight + 1;
  if (!deployment) return load * LATENCY_FLOOR_MS;
  const { good, bad } = deployment.countOutcomes(nowMs);
  const errors = bad / (good + bad + OUTCOMES_BEFORE);
  return load * ((deployment.meanWaitMs(nowMs) ?? 0) + LATENCY_FLOOR_MS) * (1 + ERROR_COST * errors);
}
