// The limits of a minute that a request meets one by one: parallel requests, requests, tokens.
import type { Admission } from "../../core/demand.ts";
import type { Fault } from "../../core/faults/fault.ts";
import type { Minute, TokenLoad } from "../../core/limits/limit.ts";
import { makeMinuteFault, makeParallelFault } from "./limit-faults.ts";
import type { LimitOwner } from "./limit-owners.ts";
import { findMinuteLimit } from "./lines.ts";
import { findWait, sumCounts } from "./minute.ts";
import { findUsedShare, isShared } from "./payer-shares.ts";

export type MinuteCheck = (
  owner: LimitOwner,
  minute: Minute,
  demand: Admission,
  payer: string,
) => Fault | null;

/** The checks of a request that enters. The tokens are left for the rest of its admission. */
export const ENTRY_OF_THE_MINUTE: readonly MinuteCheck[] = [refuseParallel, refuseRequests];
export const TOKENS_OF_THE_MINUTE: readonly MinuteCheck[] = [refuseTokens];
export const ALL_OF_THE_MINUTE = [...ENTRY_OF_THE_MINUTE, ...TOKENS_OF_THE_MINUTE];

function refuseParallel(owner: LimitOwner, minute: Minute, demand: Admission, payer: string): Fault | null {
  const { parallel: limit } = owner;
  const { parallel: used, tookMs } = minute;
  if (limit === null || demand.isWithin === true) return null;
  if (used >= findMinuteLimit(limit, demand))
    return makeParallelFault(owner, { limit, used, tookMs }, demand.limits);
  const share = isShared(owner) ? findUsedShare(limit, minute, payer) : null;
  return share && makeParallelFault(owner, { ...share, tookMs, of: limit }, demand.limits);
}

function refuseRequests(owner: LimitOwner, minute: Minute, demand: Admission): Fault | null {
  const { requestsPerMinute: limit } = owner;
  if (limit === null) return null;
  const { nowMs, limits } = demand;
  const most = findMinuteLimit(limit, demand);
  const used = sumCounts(minute.requests);
  if (used < most) return null;
  const waitMs = findWait(minute.requests, minute, 1, most, nowMs);
  return makeMinuteFault(owner, { counts: "requests", limit, used, waitMs, nowMs }, limits);
}

/** A limit of 0 lets nothing pass, although a request never needs more than the limit. */
function refuseTokens(owner: LimitOwner, minute: Minute, demand: Admission): Fault | null {
  const { tokensPerMinute: limit } = owner;
  if (limit === null) return null;
  const { load, nowMs, limits } = demand;
  const most = findMinuteLimit(limit, demand);
  const used = sumCounts(minute.tokens);
  const needed = Math.min(most, countTokens(owner, load));
  if (limit > 0 && used + needed <= most) return null;
  const waitMs = limit === 0 ? null : findWait(minute.tokens, minute, needed, most, nowMs);
  return makeMinuteFault(owner, { counts: "tokens", limit, used, waitMs, nowMs }, limits);
}

/** True if the owner's limits can't be checked without the request's tokens. */
export function needsLoad({ tokensPerMinute, modelLimits }: LimitOwner): boolean {
  return tokensPerMinute !== null || modelLimits?.some((limit) => limit.tokensPerMinute !== null) === true;
}

/** A request never reserves more than the limit, so that alone in its window it passes. */
export function countTokens({ tokensPerMinute: limit }: LimitOwner, load: TokenLoad | null): number {
  if (limit === null || load === null) return 0;
  return Math.min(limit, load.prompt + load.output);
}
