// A key's standing: the rest of the day's allowance and the time of the throttle's next slot.

import type { Reads } from "../../../src/core/demand.ts";
import { Fault } from "../../../src/core/faults/fault.ts";
import type { Account, GatewayKey } from "../../../src/core/keys/key.ts";
import type { RequestLimits } from "../../../src/core/limits/limit.ts";
import { HOOKS_KEY } from "../../../src/core/models/hook.ts";
import { type Meter, makeOwnerState, type OwnerState } from "../../../src/core/rows.ts";
import type { BillingRules, LimitRules, QuotaRules } from "../../../src/core/settings.ts";
import { describeDuration } from "../../../src/ledger/duration.ts";
import { computeDay, dayAfter } from "../../../src/ledger/limits/day.ts";
import { makeMeterId, makeOwnerId } from "./ids.ts";

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
  /** The same, with what a person's key took by itself that day: one with its own limit, or at a node of before 1.3. */
  readonly counted: Meter;
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

/**
 * Returns the key or account that the request counts against. A key with its own limit always counts by itself. Of the
 * others, those that people make count together, because a person could make another key once one is used up, and so do all
 * of an account with a limit of its own.
 */
function findOwner(key: GatewayKey, account: AccountAllowance, { scope }: QuotaRules): string {
  if (key.requestsPerDay !== "default") return key.id;
  const isShared = key.memberId !== null || scope === "account" || account.requestsPerDay !== "default";
  return isShared ? key.accountId : key.id;
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
  const nothing = { used: 0, givenBack: 0, freeSpentNanoUsd: 0, freeHeldNanoUsd: 0, noted: null };
  return { accountId, owner, day, lastAtMs, ...nothing };
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
  const meter = kept ?? makeMeter({ accountId, owner, day: day.name, lastAtMs: nowMs });
  return {
    meter,
    counted: isOfPerson(key, owner)
      ? addOwn(meter, counts.meters.get(makeMeterId(accountId, key.id, day.name)))
      : meter,
    resetsAtMs: day.endMs,
    slotsEndMs: tomorrow.endMs,
  };
}

/** True for a person's key that shares its account's allowance: what it took by itself before stays used. */
function isOfPerson({ id, memberId }: Pick<GatewayKey, "id" | "memberId">, owner: string): boolean {
  return memberId !== null && owner !== id;
}

/** Adds what a key took by itself to what its account's keys took together. */
function addOwn(meter: Meter, own: Meter | null | undefined): Meter {
  if (!own) return meter;
  return {
    ...meter,
    used: meter.used + own.used,
    lastAtMs: own.used > 0 ? Math.max(meter.used > 0 ? meter.lastAtMs : 0, own.lastAtMs) : meter.lastAtMs,
    freeSpentNanoUsd: meter.freeSpentNanoUsd + own.freeSpentNanoUsd,
    freeHeldNanoUsd: meter.freeHeldNanoUsd + own.freeHeldNanoUsd,
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
  const { accountId, owner } = open.meter;
  const state = counts.owners.get(makeOwnerId(accountId, owner)) ?? makeOwnerState(accountId, owner);
  const own = isOfPerson(key, owner) ? counts.owners.get(makeOwnerId(accountId, key.id)) : null;
  const takenAtMs = Math.max(readSlot(state, open), readSlot(own, open));
  const usedAtMs = open.counted.used > 0 ? open.counted.lastAtMs : 0;
  const slotAtMs = quota.throttleMs > 0 ? Math.max(usedAtMs, takenAtMs) + quota.throttleMs : null;
  return { ...open, limit, state, slotAtMs };
}

/** Returns the last slot taken, or 0. One beyond tomorrow would block the throttle until then. */
function readSlot(state: OwnerState | null | undefined, { slotsEndMs }: OpenDay): number {
  const atMs = state?.taken?.atMs ?? 0;
  return atMs < slotsEndMs ? atMs : 0;
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
  { limit, counted, resetsAtMs }: Standing,
  taken: number,
  nowMs: number,
): RequestLimits {
  return { limit, remaining: Math.max(0, limit - counted.used - taken), resetMs: resetsAtMs - nowMs };
}
