// A key's standing: the rest of the day's allowance and the time of the throttle's next slot.

import type { Reads } from "../core/demand.ts";
import { Fault } from "../core/fault.ts";
import { HOOKS_KEY } from "../core/hook.ts";
import type { Account, GatewayKey } from "../core/key.ts";
import type { RequestLimits } from "../core/record.ts";
import { type Meter, makeMeterId, makeOwnerId, makeOwnerState, type OwnerState } from "../core/rows.ts";
import type { BillingRules, LimitRules, QuotaRules } from "../core/settings.ts";
import { computeDay, dayAfter } from "./day.ts";
import { describeDuration } from "./duration.ts";

/** The rules that decide whether a request is admitted. */
export interface LedgerRules {
  readonly quota: QuotaRules;
  readonly billing: BillingRules;
  /** Nobody has a limit by default if missing. */
  readonly ownerLimits?: LimitRules;
}

/** Returns the rules for a key's requests. The operator's own hooks are never charged. */
export function findRules(key: Pick<GatewayKey, "id">, rules: LedgerRules): LedgerRules {
  if (key.id !== HOOKS_KEY) return rules;
  return { ...rules, billing: { ...rules.billing, charge: "beyond_allowance" } };
}

/** The meters (by `makeMeterId`) and states (by `makeOwnerId`) behind a standing. */
export interface Counts {
  readonly meters: { get(id: string): Meter | null | undefined };
  readonly owners: { get(owner: string): OwnerState | null | undefined };
}

/** The owner's current day. */
export interface OpenDay {
  /** Not stored until something is taken. */
  readonly meter: Meter;
  /** Start of the next day, Unix milliseconds. */
  readonly resetsAtMs: number;
  /** Slots taken at or after this moment came from a wrong clock. */
  readonly slotsEndMs: number;
}

export interface Standing extends OpenDay {
  readonly limit: number;
  readonly state: OwnerState;
  /** The time of the throttle's next slot; may be in the past. Null without a throttle. */
  readonly slotAtMs: number | null;
}

/** The clocks of this node and of its store may differ by this much since they were last compared. */
const CLOCKS_APART_MS = 3_600_000;

/** An account's own rules for its keys' allowance. */
type AccountAllowance = Pick<Account, "requestsPerDay">;
/** The rules of an account that has none of its own. */
export const ALLOWANCE_BY_QUOTA: AccountAllowance = { requestsPerDay: "default" };

/** Returns the key's requests a day. Null if unlimited. */
export function findLimit(key: GatewayKey, account: AccountAllowance, quota: QuotaRules): number | null {
  if (key.requestsPerDay !== "default") return key.requestsPerDay;
  return account.requestsPerDay === "default" ? quota.requestsPerDay : account.requestsPerDay;
}

/**
 * Returns the key or account that the request counts against. A key with its own limit always counts by itself, and the
 * others of an account with its own together.
 */
function findOwner(key: GatewayKey, account: AccountAllowance, { scope }: QuotaRules): string {
  if (key.requestsPerDay !== "default") return key.id;
  return scope === "account" || account.requestsPerDay !== "default" ? key.accountId : key.id;
}

/** The rows that `readStanding` may need, even if the key's row or the account's has changed meanwhile. */
export function makeReads(
  key: Pick<GatewayKey, "id" | "accountId"> & Partial<Pick<GatewayKey, "memberId">>,
  { quota }: LedgerRules,
  nowMs: number,
  clockAheadMs: number | null,
): Reads {
  const read = { accountId: key.accountId, keyId: key.id, requestId: null, replyId: null, movementId: null };
  const days = listDays(nowMs, clockAheadMs, quota);
  const { memberId = null } = key;
  if (memberId === null) return { ...read, owners: [key.id, key.accountId], days };
  return { ...read, memberId, owners: [key.id, key.accountId, memberId], days };
}

/** Returns the names of today and tomorrow, or of the days that may be by the store's clock. */
function listDays(nowMs: number, clockAheadMs: number | null, quota: QuotaRules): readonly string[] {
  const apartMs = clockAheadMs === null ? 0 : CLOCKS_APART_MS;
  const storeMs = nowMs + (clockAheadMs ?? 0);
  const first = computeDay(storeMs - apartMs, quota);
  const second = dayAfter(first, quota);
  const isOver = storeMs + apartMs >= first.endMs;
  return isOver ? [first.name, second.name, dayAfter(second, quota).name] : [first.name, second.name];
}

/** True if the days of `makeReads` are those of this moment. */
export function coversMoment(nowMs: number, { days }: Pick<Reads, "days">, quota: QuotaRules): boolean {
  const today = computeDay(nowMs, quota);
  return days.includes(today.name) && days.includes(dayAfter(today, quota).name);
}

/** Returns an unused meter. */
export function makeMeter(given: Pick<Meter, "accountId" | "owner" | "day" | "lastAtMs">): Meter {
  const { accountId, owner, day, lastAtMs } = given;
  return { accountId, owner, day, used: 0, lastAtMs, givenBack: 0, freeSpentNanoUsd: 0, freeHeldNanoUsd: 0 };
}

/**
 * Returns the current day of the key's owner. If tomorrow's meter exists already, the clock was set back (or another
 * node's runs ahead): the later day stays, or the same hour would be granted twice.
 */
export function openDay(
  counts: Counts,
  key: GatewayKey,
  account: AccountAllowance,
  quota: QuotaRules,
  nowMs: number,
): OpenDay {
  const owner = findOwner(key, account, quota);
  const today = computeDay(nowMs, quota);
  const tomorrow = dayAfter(today, quota);
  const begun = counts.meters.get(makeMeterId(key.accountId, owner, tomorrow.name));
  const day = begun ? tomorrow : today;
  const kept = begun ?? counts.meters.get(makeMeterId(key.accountId, owner, today.name));
  const { accountId } = key;
  return {
    meter: kept ?? makeMeter({ accountId, owner, day: day.name, lastAtMs: nowMs }),
    resetsAtMs: day.endMs,
    slotsEndMs: tomorrow.endMs,
  };
}

export function readStanding(
  counts: Counts,
  key: GatewayKey,
  account: AccountAllowance,
  limit: number,
  quota: QuotaRules,
  nowMs: number,
): Standing {
  const open = openDay(counts, key, account, quota, nowMs);
  const { accountId, owner, lastAtMs } = open.meter;
  const state = counts.owners.get(makeOwnerId(accountId, owner)) ?? makeOwnerState(accountId, owner);
  // A slot beyond tomorrow would block the throttle until then.
  const { taken } = state;
  const takenAtMs = taken && taken.atMs < open.slotsEndMs ? taken.atMs : 0;
  const usedAtMs = open.meter.used > 0 ? lastAtMs : 0;
  const slotAtMs = quota.throttleMs > 0 ? Math.max(usedAtMs, takenAtMs) + quota.throttleMs : null;
  return { ...open, limit, state, slotAtMs };
}

/** The refusal if the allowance is used up and the throttle has no free slot. A balance may pay for the request instead. */
export function makeUsedUpFault(
  standing: Standing,
  quota: QuotaRules,
  nowMs: number,
  isPayable: boolean,
): Fault {
  const resetAtMs = Math.min(standing.slotAtMs ?? standing.resetsAtMs, standing.resetsAtMs);
  const after =
    standing.slotAtMs === null
      ? ""
      : ` Beyond it, one request is allowed every ${describeDuration(quota.throttleMs)}.`;
  const help = isPayable ? ", or top up the account: its balance then pays" : "";
  const message = `The daily request allowance (${standing.limit}) is used up.${after} Try again in ${describeDuration(resetAtMs - nowMs)}${help}.`;
  const limits = listLimits(standing, 0, nowMs);
  return new Fault("rate_limit_exceeded", message, { retryAfterMs: resetAtMs - nowMs, resetAtMs, limits });
}

/** Returns the allowance that remains once `taken` more places are used. */
export function listLimits(
  { limit, meter, resetsAtMs }: Standing,
  taken: number,
  nowMs: number,
): RequestLimits {
  return { limit, remaining: Math.max(0, limit - meter.used - taken), resetMs: resetsAtMs - nowMs };
}
