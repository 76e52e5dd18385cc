// Where a key stands: how much of the day's allowance is left, and when the throttle's next slot comes.

import type { Reads } from "../core/demand.ts";
import { Fault } from "../core/fault.ts";
import type { GatewayKey } from "../core/key.ts";
import type { RequestLimits } from "../core/record.ts";
import { type Meter, meterIdOf, type Slot } from "../core/rows.ts";
import type { BillingRules, QuotaRules } from "../core/settings.ts";
import { dayAfter, dayOf } from "./day.ts";

/** By what requests are let in. */
export interface LedgerRules {
  readonly quota: QuotaRules;
  readonly billing: BillingRules;
}

/** The meters and slots that a standing is read from, by `meterIdOf` and by owner. */
export interface Counts {
  readonly meters: { get(id: string): Meter | null };
  readonly slots: { get(owner: string): Slot | null };
}

export interface Standing {
  /** Requests a day. */
  readonly limit: number;
  /** The current day's; not in the store yet when nothing was taken. */
  readonly meter: Meter;
  readonly slot: Slot;
  /** Start of the next day, Unix milliseconds. */
  readonly resetsAtMs: number;
  /** When the throttle gives its next slot, perhaps in the past; null: it gives none. */
  readonly slotAtMs: number | null;
}

/** The key's requests a day; null: unlimited. */
export function limitOf(key: GatewayKey, quota: QuotaRules): number | null {
  return key.requestsPerDay === "default" ? quota.requestsPerDay : key.requestsPerDay;
}

/** Whose places the key's requests take. A key with a number of its own is counted by itself under either scope. */
function ownerOf(key: GatewayKey, quota: QuotaRules): string {
  return quota.scope === "account" && key.requestsPerDay === "default" ? key.accountId : key.id;
}

/** The rows that `standingOf` may need, whatever the key's row will turn out to say; where all is paid, no standing is asked for. */
export function readsOf(key: GatewayKey, { quota, billing }: LedgerRules, nowMs: number): Reads {
  const read = { accountId: key.accountId, keyId: key.id, requestId: null, replyId: null, topUpId: null };
  if (billing.charge === "always") return { ...read, owners: [], days: [] };
  const today = dayOf(nowMs, quota);
  const owners = quota.scope === "account" ? [key.id, key.accountId] : [key.id];
  return { ...read, owners, days: [today.name, dayAfter(today, quota).name] };
}

/**
 * The standing of a key with a limit. Where the next day's meter has begun already, the clock has been set back (or
 * another node's runs ahead): the later day stays, else the same hour would be handed out twice.
 */
export function standingOf(
  counts: Counts,
  key: GatewayKey,
  limit: number,
  quota: QuotaRules,
  nowMs: number,
): Standing {
  const owner = ownerOf(key, quota);
  const { accountId } = key;
  const today = dayOf(nowMs, quota);
  const tomorrow = dayAfter(today, quota);
  const begun = counts.meters.get(meterIdOf(owner, tomorrow.name));
  const day = begun ? tomorrow : today;
  const kept = begun ?? counts.meters.get(meterIdOf(owner, today.name));
  const slot = counts.slots.get(owner) ?? { accountId, owner, taken: null };
  // A slot taken after tomorrow was given by a clock that was wrong: it would hold the throttle back until then.
  const takenAtMs = slot.taken && slot.taken.atMs < tomorrow.endMs ? slot.taken.atMs : 0;
  const lastAtMs = Math.max(kept?.lastAtMs ?? 0, takenAtMs);
  return {
    limit,
    meter: kept ?? { accountId, owner, day: day.name, used: 0, lastAtMs: nowMs },
    slot,
    resetsAtMs: day.endMs,
    slotAtMs: quota.throttleMs > 0 ? lastAtMs + quota.throttleMs : null,
  };
}

const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const;

/** A span in words, rounded up to whole seconds and told in its two greatest units: `9 minutes 58 seconds`. */
export function inWords(spanMs: number): string {
  let seconds = Math.max(1, Math.ceil(spanMs / 1000));
  const words: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(seconds / size);
    seconds -= count * size;
    if (count > 0) words.push(`${count} ${unit}${count === 1 ? "" : "s"}`);
  }
  return words.slice(0, 2).join(" ");
}

/** The refusal for a key whose allowance is used up and whose throttle has no slot at that moment. */
export function usedUp(standing: Standing, quota: QuotaRules, nowMs: number): Fault {
  const resetAtMs = Math.min(standing.slotAtMs ?? standing.resetsAtMs, standing.resetsAtMs);
  const after =
    standing.slotAtMs === null
      ? ""
      : ` After it, one request every ${inWords(quota.throttleMs)} is let through.`;
  const message = `The day's allowance of requests (${standing.limit}) is used up.${after} The next one passes in ${inWords(resetAtMs - nowMs)}.`;
  const limits = limitsOf(standing, 0, nowMs);
  return new Fault("rate_limit_exceeded", message, { retryAfterMs: resetAtMs - nowMs, resetAtMs, limits });
}

/** What is left when `taken` more places of the allowance are. */
export function limitsOf(
  { limit, meter, resetsAtMs }: Standing,
  taken: number,
  nowMs: number,
): RequestLimits {
  return { limit, remaining: Math.max(0, limit - meter.used - taken), resetMs: resetsAtMs - nowMs };
}
