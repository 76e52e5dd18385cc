// Draws the model of a group that serves a request, by the operator's weights and by how the models have been doing.

import type { Attempt } from "../core/attempt.ts";
import type { Health } from "./health.ts";

/** A single failure weighs little: the model is still asked, and its next good answers show that it is well. */
const OUTCOMES_BEFORE = 10;

export interface Sharer {
  readonly weight: number;
  /** The ways to ask it that are open now; none: it gets no share. */
  readonly attempts: readonly Attempt[];
}

/**
 * Returns one of those that may be asked now, each with the chance of its weight times the square of its share of good answers
 * lately; null: none may. `roll` returns a number from 0 up to 1.
 */
export function drawMember<Member extends Sharer>(
  members: readonly Member[],
  health: Health,
  roll: () => number,
  nowMs: number,
): Member | null {
  const open = members.filter(({ attempts }) => attempts.length > 0);
  if (open.length < 2) return open[0] ?? null;
  const shares = open.map(
    ({ weight, attempts }) => weight * (1 - computeErrors(attempts, health, nowMs)) ** 2,
  );
  let mark = roll() * shares.reduce((sum, share) => sum + share, 0);
  const drawn = open.find((_, at) => {
    mark -= shares[at] ?? 0;
    return mark < 0;
  });
  return drawn ?? open[0] ?? null;
}

/** The share of bad answers among the recent ones, as if a few good ones had come before: 0 up to 1. */
function computeErrors(attempts: readonly Attempt[], health: Health, nowMs: number): number {
  let bad = 0;
  let all = OUTCOMES_BEFORE;
  for (const attempt of attempts) {
    const outcomes = health.deployment(attempt)?.countOutcomes(nowMs);
    if (outcomes === undefined) continue;
    bad += outcomes.bad;
    all += outcomes.good + outcomes.bad;
  }
  return bad / all;
}
