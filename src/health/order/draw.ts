// Draws the model of a group that serves a request, and the order of a provider's credentials: by weight, and by how they have been doing.
import type { Attempt } from "../../core/attempt.ts";
import { sumOutcomes } from "../deployment.ts";
import type { Health } from "../health.ts";

/** A single failure weighs little and fades, because a deployment that is never called can't show that it has recovered. */
const OUTCOMES_BEFORE = 10;

/** Draws one in proportion to its weight. Each call of `roll` returns a new number from 0 up to 1. */
function draw<One>(all: readonly One[], weigh: (one: One) => number, roll: () => number): One | undefined {
  const weights = all.map(weigh);
  let mark = roll() * weights.reduce((sum, weight) => sum + weight, 0);
  return all.find((_, at) => {
    mark -= weights[at] ?? 0;
    return mark < 0;
  });
}

interface Sharer {
  readonly weight: number;
  /** The ways to call it that are open now. If there are none, it gets no share. */
  readonly attempts: readonly Attempt[];
}

/**
 * Returns one of those that may be called now, or null if none may. The chance of each is its weight times the square of its
 * recent share of good answers. `roll` returns a number from 0 up to 1.
 */
export function drawMember<Member extends Sharer>(
  members: readonly Member[],
  health: Health,
  roll: () => number,
  nowMs: number,
  payer: string,
): Member | null {
  const open = members.filter(({ attempts }) => attempts.length > 0);
  if (open.length < 2) return open[0] ?? null;
  const weigh = ({ weight, attempts }: Member) =>
    weight * (1 - computeErrors(attempts, health, nowMs, payer)) ** 2;
  return draw(open, weigh, roll) ?? open[0] ?? null;
}

/** The share of bad answers among the recent ones and a few assumed good ones, from 0 up to 1. */
function computeErrors(attempts: readonly Attempt[], health: Health, nowMs: number, payer: string): number {
  const called = attempts.flatMap((attempt) => health.deployment(attempt) ?? []);
  const { good, bad } = sumOutcomes(called, nowMs, payer);
  return bad / (good + bad + OUTCOMES_BEFORE);
}

/** Latencies are compared above this floor, so that small differences don't outweigh the draw. */
const LATENCY_FLOOR_MS = 100;
const ERROR_COST = 4;
/** The second is only preferred if its load is clearly lower. */
const CLEARLY = 0.8;

/** Returns all of these attempts in the order to try them. Each call of `roll` returns a new number from 0 up to 1. */
export function spread(
  attempts: readonly Attempt[],
  health: Health,
  roll: () => number,
  nowMs: number,
  payer: string,
): readonly Attempt[] {
  if (attempts.length < 2) return attempts;
  const order: Attempt[] = [];
  for (let left = attempts; left.length > 0; left = left.filter((attempt) => attempt !== order.at(-1))) {
    const drawn = draw(left, readWeight, roll) ?? left[0];
    const others = left.filter((attempt) => attempt !== drawn);
    const other = draw(others, readWeight, roll);
    const mean = left.reduce((sum, attempt) => sum + readWeight(attempt), 0) / left.length;
    const burden = (attempt: Attempt) => measureBurden(attempt, health, mean, nowMs, payer);
    const isOther = drawn && other && burden(other) < CLEARLY * burden(drawn);
    const next = isOther ? other : drawn;
    if (next) order.push(next);
  }
  return order;
}

function readWeight({ credential }: Attempt): number {
  return credential.weight;
}

function measureBurden(
  attempt: Attempt,
  health: Health,
  meanWeight: number,
  nowMs: number,
  payer: string,
): number {
  const deployment = health.deployment(attempt);
  const inFlight = health.key(attempt)?.inFlight ?? 0;
  const load = (inFlight * meanWeight) / attempt.credential.weight + 1;
  if (!deployment) return load * LATENCY_FLOOR_MS;
  const { good, bad } = deployment.countOutcomes(nowMs, payer);
  const errors = bad / (good + bad + OUTCOMES_BEFORE);
  return load * ((deployment.meanWaitMs(nowMs) ?? 0) + LATENCY_FLOOR_MS) * (1 + ERROR_COST * errors);
}
