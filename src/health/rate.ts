// A provider's limits for a credential: requests and tokens per minute, and calls at the same time, counted here to avoid its
// refusals.

import type { Credential } from "../core/settings.ts";
import { SHARE_LEFT } from "./headroom.ts";

const MINUTE_MS = 60_000;
/**
 * The provider counts a call when it arrives, up to this time after it was sent, and calls may arrive out of order. So the
 * amount becomes free again this much later.
 */
const ARRIVAL_MS = 1000;
/** Waits that are shorter come from rounding. */
const ROUNDING_MS = 1e-6;

/** A request may take thousands of calls, for example embeddings from a provider that takes one text per call. */
const CALLS_AT_ONCE = 16;
/** The wait of a credential whose parallel calls are all under way: one of them may end any time. */
const FULL_MS = 1000;

/** The load that one attempt puts on its credential. */
export interface Load {
  /** The number of calls: several if one returns fewer answers than requested. */
  readonly requests: number;
  /** The tokens of the prompt and of the answer, as expected before the call. */
  readonly tokens: number;
  /** True for a line of a batch, which leaves room to single requests. Missing for those. */
  readonly isLine?: boolean;
  /** True if an open breaker doesn't stop it. Missing if that does. */
  readonly insists?: boolean;
  /** The gateway key whose calls are counted there. Missing if there was nothing to choose. */
  readonly keyId?: string;
}

/** One call, whatever its length. */
export const ONE_CALL: Load = { requests: 1, tokens: 0 };
/** The smallest request. */
export const LEAST_LOAD: Load = { requests: 1, tokens: 1 };

/**
 * An amount per minute that may be used at once or spread out, by the generic cell rate algorithm (as in ATM's traffic control,
 * ITU-T I.371): two moments are all that is kept. Times are on the monotonic clock.
 */
export class Rate {
  readonly perMinute: number;
  /** The last moment at which the whole amount was free. */
  #wholeAtMs = Number.NEGATIVE_INFINITY;
  /** The moment from which the whole amount is free again, if calls arrive immediately. */
  #freeAtMs = Number.NEGATIVE_INFINITY;

  constructor(perMinute: number) {
    this.perMinute = perMinute;
  }

  /** Milliseconds until this amount is free. More than a minute's amount is allowed once a whole minute's is free. */
  waitMs(amount: number, nowMs: number): number {
    const overMs = this.#freeAtMs + this.#toMs(amount) - MINUTE_MS;
    // Nothing has been used in the first minute, so nothing needs to become free.
    if (overMs <= this.#wholeAtMs + ROUNDING_MS) return 0;
    const waitMs = overMs + ARRIVAL_MS - nowMs;
    return waitMs > ROUNDING_MS ? waitMs : 0;
  }

  /** Returns the amount that is free now beyond the share that lines leave. */
  countAboveShare(nowMs: number): number {
    const sinceMs = Math.max(this.#wholeAtMs, nowMs - ARRIVAL_MS);
    const isUnused = this.#freeAtMs <= sinceMs;
    const freeMs = isUnused ? MINUTE_MS : sinceMs + MINUTE_MS - this.#freeAtMs;
    return (freeMs * this.perMinute) / MINUTE_MS - Math.floor(this.perMinute * SHARE_LEFT);
  }

  take(amount: number, nowMs: number): void {
    if (this.#freeAtMs + ARRIVAL_MS <= nowMs) this.#wholeAtMs = nowMs;
    this.#freeAtMs = Math.max(this.#freeAtMs, nowMs) + this.#toMs(amount);
  }

  giveBack(amount: number): void {
    this.#freeAtMs -= this.#toMs(amount);
  }

  /** Limited to a minute, so that no amount, however implausible, blocks others for longer. */
  #toMs(amount: number): number {
    return amount > 0 ? (Math.min(amount, this.perMinute) * MINUTE_MS) / this.perMinute : 0;
  }
}

/** The number of calls of one request that are made at once: the others follow as these end. */
export function limitCallsAtOnce(calls: number, parallel = CALLS_AT_ONCE): number {
  return Math.min(calls, parallel, CALLS_AT_ONCE);
}

/** The calls of a credential that are under way, and the most that there may be. */
class ParallelCalls {
  readonly limit: number;
  /** Shared with earlier configurations, whose calls may still be under way. */
  readonly #underWay: { calls: number };

  constructor(limit: number, before: ParallelCalls | null) {
    this.limit = limit;
    this.#underWay = before === null ? { calls: 0 } : before.#underWay;
  }

  /** True if a call has to end before these may be made. */
  isFull({ requests }: Load): boolean {
    return this.#underWay.calls + limitCallsAtOnce(requests, this.limit) > this.limit;
  }

  /** Returns how many more may begin beside those that lines leave. */
  countAboveShare(): number {
    return this.limit - Math.floor(this.limit * SHARE_LEFT) - this.#underWay.calls;
  }

  /** Calls begin. Returns their number at once, which `end` takes when they are over. */
  begin({ requests }: Load): number {
    const calls = limitCallsAtOnce(requests, this.limit);
    this.#underWay.calls += calls;
    return calls;
  }

  end(calls: number): void {
    this.#underWay.calls -= calls;
  }
}

/** A credential's own limits; each may be missing. */
export class CredentialLimits {
  readonly #requests: Rate | null;
  readonly #tokens: Rate | null;
  /** Null without a limit. Calls from before there was one aren't counted. */
  readonly parallel: ParallelCalls | null;

  /** Earlier use still counts if the limits are the same, and calls under way do even if the limit has changed. */
  constructor(credential: Credential, before: CredentialLimits | undefined) {
    const [requests, tokens] = before === undefined ? [] : [before.#requests, before.#tokens];
    this.#requests = renew(credential.requestsPerMinute, requests);
    this.#tokens = renew(credential.tokensPerMinute, tokens);
    const { parallel } = credential;
    this.parallel = parallel === undefined ? null : new ParallelCalls(parallel, before?.parallel ?? null);
  }

  /** Milliseconds until the load is within the limits, as far as that is known. 0 if it already is. */
  waitMs(load: Load, nowMs: number): number {
    return Math.max(this.minuteWaitMs(load, nowMs), this.isFull(load) ? FULL_MS : 0);
  }

  /** Milliseconds until the load is within the limits of the minute. */
  minuteWaitMs({ requests, tokens }: Load, nowMs: number): number {
    const requestsMs = this.#requests?.waitMs(requests, nowMs) ?? 0;
    return Math.max(requestsMs, this.#tokens?.waitMs(tokens, nowMs) ?? 0);
  }

  /** True if a call has to end before these may be made. */
  isFull(load: Load): boolean {
    return this.parallel?.isFull(load) ?? false;
  }

  /** Returns how many lines of one call may begin, so that a quarter of each limit is left to single requests. */
  countLines(nowMs: number): number {
    const requests = this.#requests?.countAboveShare(nowMs) ?? Number.POSITIVE_INFINITY;
    // Their tokens aren't known before they are planned.
    const hasTokens = (this.#tokens?.countAboveShare(nowMs) ?? 1) > 0;
    const calls = this.parallel?.countAboveShare() ?? Number.POSITIVE_INFINITY;
    return hasTokens ? Math.max(0, Math.floor(Math.min(requests + ROUNDING_MS, calls))) : 0;
  }

  take({ requests, tokens }: Load, nowMs: number): void {
    this.#requests?.take(requests, nowMs);
    this.#tokens?.take(tokens, nowMs);
  }

  /** The call was never sent. */
  giveBack({ requests, tokens }: Load): void {
    this.#requests?.giveBack(requests);
    this.#tokens?.giveBack(tokens);
  }

  /** Replaces the expected tokens by those that the provider counted. */
  correct(taken: number, counted: number, nowMs: number): void {
    this.#tokens?.giveBack(taken);
    this.#tokens?.take(counted, nowMs);
  }
}

/** The kinds of limits that some credential has. Other kinds need not be counted. */
export interface LimitKinds {
  readonly any: boolean;
  readonly tokens: boolean;
}

export function findLimitKinds(credentials: readonly Credential[]): LimitKinds {
  const tokens = credentials.some(({ tokensPerMinute }) => tokensPerMinute !== undefined);
  return {
    tokens,
    any:
      tokens || credentials.some((one) => one.requestsPerMinute !== undefined || one.parallel !== undefined),
  };
}

function renew(perMinute: number | undefined, before: Rate | null | undefined): Rate | null {
  if (perMinute === undefined) return null;
  return before?.perMinute === perMinute ? before : new Rate(perMinute);
}
