// A key's standing: the rest of the day's allowance and the time of the throttle's next slot.

import type { Reads } from "../core/demand.ts";
import { Fault } from "../core/fault.ts";
import type { GatewayKey } from "../core/key.ts";
import type { RequestLimits } from "../core/record.ts";
import { type Meter, makeMeterId, type Slot } from "../core/rows.ts";
import type { BillingRules, QuotaRules } from "../core/settings.ts";
import { computeDay, dayAfter } from "./day.ts";
import { formatDuration } from "./duration.ts";

/** The rules that decide whether a request is admitted. */
export interface LedgerRules {
  readonly quota: QuotaRules;
  readonly billing: BillingRules;
}

/** The meters (by `makeMeterId`) and slots (by owner) behind a standing. */
export interface Counts {
  readonly meters: { get(id: string): Meter | null | undefined };
  readonly slots: { get(owner: string): Slot | null | undefined };
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
  readonly slot: Slot;
  /** The time of the throttle's next slot; may be in the past. Null without a throttle. */
  readonly slotAtMs: number | null;
}

/** Returns the key's requests a day. Null if unlimited. */
export function findLimit(key: GatewayKey, quota: QuotaRules): number | null {
  return key.requestsPerDay === "default" ? quota.requestsPerDay : key.requestsPerDay;
}

/** Returns the key or account that the request counts against. A key with its own limit always counts by itself. */
function findOwner(key: GatewayKey, quota: QuotaRules): string {
  return quota.scope === "account" && key.requestsPerDay === "default" ? key.accountId : key.id;
}

/** The rows that `readStanding` may need, even if the key's row has changed meanwhile. */
export function makeReads(key: GatewayKey, { quota }: LedgerRules, nowMs: number): Reads {
  const read = { accountId: key.accountId, keyId: key.id, requestId: null, replyId: null, topUpId: null };
  const today = computeDay(nowMs, quota);
  const owners = quota.scope === "account" ? [key.id, key.accountId] : [key.id];
  return { ...read, owners, days: [today.name, dayAfter(today, quota).name] };
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
export function openDay(counts: Counts, key: GatewayKey, quota: QuotaRules, nowMs: number): OpenDay {
  const owner = findOwner(key, quota);
  const today = computeDay(nowMs, quota);
  const tomorrow = dayAfter(today, quota);
  const begun = counts.meters.get(makeMeterId(owner, tomorrow.name));
  const day = begun ? tomorrow : today;
  const kept = begun ?? counts.meters.get(makeMeterId(owner, today.name));
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
  limit: number,
  quota: QuotaRules,
  nowMs: number,
): Standing {
  const open = openDay(counts, key, quota, nowMs);
  const { accountId, owner, lastAtMs } = open.meter;
  const slot = counts.slots.get(owner) ?? { accountId, owner, taken: null };
  // A slot beyond tomorrow would block the throttle until then.
  const takenAtMs = slot.taken && slot.taken.atMs < open.slotsEndMs ? slot.taken.atMs : 0;
  const usedAtMs = open.meter.used > 0 ? lastAtMs : 0;
  const slotAtMs = quota.throttleMs > 0 ? Math.max(usedAtMs, takenAtMs) + quota.throttleMs : null;
  return { ...open, limit, slot, slotAtMs };
}

/** The refusal if the allowance is used up and the throttle has no free slot. */
export function makeUsedUpFault(standing: Standing, quota: QuotaRules, nowMs: number): Fault {
  const resetAtMs = Math.min(standing.slotAtMs ?? standing.resetsAtMs, standing.resetsAtMs);
  const after =
    standing.slotAtMs === null
      ? ""
      : ` Beyond it, one request is allowed every ${formatDuration(quota.throttleMs)}.`;
  const message = `The daily request allowance (${standing.limit}) is used up.${after} Try again in ${formatDuration(resetAtMs - nowMs)}.`;
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
