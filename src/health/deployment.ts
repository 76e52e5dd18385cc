// One model with one credential: its recent speed and failures, and whether it may be called now.
import type { Fault } from "../core/faults/fault.ts";
import type { Evidence, Passage } from "../core/health/evidence.ts";
import { Breaker, type Change } from "./breaker/breaker.ts";
import type { Outcomes } from "./breaker/shared-outcomes.ts";
import { FadingCounts } from "./decay.ts";
import type { DeploymentPace } from "./line-pace.ts";
import { CallsByKey } from "./order/calls-by-key.ts";
import { type PayerSpeeds, SPEED_HALF_LIFE_MS, SpeedsByPayer } from "./payer-speeds.ts";

const REST_MS = 1000;
const REST_MAX_MS = 30_000;
/** A provider's Retry-After is obeyed up to this limit. */
const REST_ASKED_MAX_MS = 3_600_000;

/** Failures that have faded below this weight are ignored, even those of a hundred credentials together. */
const FAILURES_FORGOTTEN = 0.01;

const COUNT = 0;
const SUM = 1;

export class Deployment {
  readonly breaker = new Breaker();
  /** The speeds of its answers. */
  readonly speedsBy = new SpeedsByPayer();
  readonly #waits = new FadingCounts(2, SPEED_HALF_LIFE_MS);
  inFlight = 0;
  readonly callsByKey = new CallsByKey();
  /** Null until a line of a batch may come here. */
  lines: DeploymentPace | null = null;
  restsUntilMs = 0;
  /** When it last answered anybody, if only that it was too busy. */
  answeredMs = Number.NEGATIVE_INFINITY;
  /** The provider's last failure. */
  lastFault: Fault | null = null;
  #restsInRow = 0;

  /** The recent outcomes that a payer's choice rests on, or all of them. */
  countOutcomes(nowMs: number, payer: string | null, isServed?: boolean): Outcomes {
    return this.breaker.countOutcomes(nowMs, payer, isServed);
  }

  /** The mean wait for an answer, streamed or whole. Null if unknown, or known from fewer than these recent answers. */
  meanWaitMs(nowMs: number, answersMin = 0): number | null {
    const answers = this.#waits.at(COUNT, nowMs);
    return answers > answersMin ? this.#waits.at(SUM, nowMs) / answers : null;
  }

  /** Records how long it took until a payer's answer began, if streamed, or was complete. */
  recordWait(own: PayerSpeeds, waitMs: number, streamed: boolean, nowMs: number): void {
    own.recordWait(waitMs, streamed, nowMs);
    this.#waits.add(COUNT, nowMs);
    this.#waits.add(SUM, nowMs, waitMs);
  }

  /** Milliseconds until a payer may call it. Null if unknown. */
  waitMs(nowMs: number, payer: string): number | null {
    const restMs = Math.max(0, this.restsUntilMs - nowMs);
    const breakerMs = this.breaker.waitMs(nowMs, payer);
    return breakerMs === null ? null : Math.max(restMs, breakerMs);
  }

  /** Milliseconds until somebody may call it. Null if unknown. */
  waitForAllMs(nowMs: number): number | null {
    const breakerMs = this.breaker.waitForAllMs(nowMs);
    return breakerMs === null ? null : Math.max(0, this.restsUntilMs - nowMs, breakerMs);
  }

  /** True if none of its past failures counts any more, for any payer. */
  isWell(nowMs: number): boolean {
    if (this.breaker.isAnyOpen || this.isResting(nowMs)) return false;
    return this.breaker.countOutcomes(nowMs, null).bad < FAILURES_FORGOTTEN;
  }

  isResting(nowMs: number): boolean {
    return this.restsUntilMs > nowMs;
  }

  /** Returns for whom this closes the breaker. */
  recordSuccess(nowMs: number, payer: string, passage: Passage): Change {
    this.#restsInRow = 0;
    this.answeredMs = nowMs;
    return this.breaker.recordSuccess(nowMs, payer, passage);
  }

  /** Returns for whom this opens the breaker. */
  recordFailure(nowMs: number, payer: string, passage: Passage, fault: Fault, evidence: Evidence): Change {
    this.lastFault = fault;
    return this.breaker.recordFailure(nowMs, payer, passage, evidence);
  }

  /** Records a failed connection. It is reported, but isn't the model's fault, so the breaker doesn't count it. */
  recordUnreached(nowMs: number, fault: Fault): void {
    this.breaker.recordShared(nowMs);
    this.lastFault = fault;
  }

  /** Keeps requests away after a rate limit: for as long as the provider asked, or else longer each consecutive time. */
  rest(nowMs: number, fault: Fault): void {
    this.lastFault = fault;
    this.answeredMs = nowMs;
    const own = Math.min(REST_MS * 2 ** this.#restsInRow++, REST_MAX_MS);
    const restMs = Math.min(fault.details.retryAfterMs ?? own, REST_ASKED_MAX_MS);
    this.restsUntilMs = Math.max(this.restsUntilMs, nowMs + restMs);
  }
}

/** Says why none of these may be called: a payer learns whether its own requests are the reason. */
export function describeFailing(
  deployments: readonly (Deployment | undefined)[],
  nowMs: number,
  payer: string,
): string {
  const isOwn = (one?: Deployment) =>
    one?.breaker.isOpenFor(nowMs, payer) === true && one.breaker.readState(nowMs) === "closed";
  return deployments.length > 0 && deployments.every(isOwn)
    ? "The provider has been failing at your own requests, so these pause."
    : "The provider has been failing.";
}

/** The recent outcomes of several together that a payer's choice rests on, or all of them. */
export function sumOutcomes(
  deployments: readonly Deployment[],
  nowMs: number,
  payer: string | null,
): Outcomes {
  let good = 0;
  let bad = 0;
  // One that serves the payer shows that the model does.
  const isServed = payer !== null && deployments.some(({ breaker }) => breaker.isServed(nowMs, payer));
  for (const deployment of deployments) {
    const outcomes = deployment.countOutcomes(nowMs, payer, isServed);
    good += outcomes.good;
    bad += outcomes.bad;
  }
  return { good, bad };
}
