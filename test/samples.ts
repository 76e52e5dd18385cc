// Keys, records, rules and effects for tests, each with the few fields that a test is about.
import type { GatewayKey } from "../src/core/key.ts";
import type { RequestRecord } from "../src/core/record.ts";
import type { BillingRules, QuotaRules } from "../src/core/settings.ts";
import type { Store } from "../src/core/store.ts";
import { createLedger, type Ledger } from "../src/ledger/ledger.ts";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** Noon of a day, UTC. */
export const NOON = Date.UTC(2026, 10, 20, 12);

export const QUOTA: QuotaRules = {
  requestsPerDay: 200,
  throttleMs: 10 * MINUTE,
  scope: "key",
  dayStartsMinutes: 0,
  timeZone: "UTC",
};
export const BILLING: BillingRules = { charge: "beyond_allowance", markup: 1 };

export function keyOf(id: string, fields: Partial<GatewayKey> = {}): GatewayKey {
  return {
    id,
    name: id,
    accountId: "default",
    last4: "abcd",
    createdAtMs: NOON - DAY,
    expiresAtMs: null,
    revokedAtMs: null,
    allowedModels: null,
    requestsPerDay: "default",
    spendLimitNanoUsd: null,
    ...fields,
  };
}

export function recordOf(id: string, fields: Partial<RequestRecord> = {}): RequestRecord {
  return {
    id,
    requestId: `req-${id}`,
    keyId: "key_a",
    accountId: "default",
    atMs: NOON,
    modelAsked: "Sim#echo",
    modelUsed: "Sim#echo",
    selector: null,
    attempts: 1,
    stream: false,
    status: 200,
    faultCode: null,
    tokens: { prompt: 10, completion: 20, cached: 3, cacheWrite: 0, reasoning: 5, searches: 0 },
    costNanoUsd: 1500,
    chargedNanoUsd: 0,
    usageSource: "provider",
    ended: "done",
    totalMs: 12,
    firstTokenMs: 7,
    ...fields,
  };
}

/** A clock that stands until it is moved. */
export function standingClock(nowMs: number) {
  const clock = { atMs: nowMs, nowMs: () => clock.atMs };
  return clock;
}

/** Unpredictable bytes are not what these tests are about, different ones are. */
export function countingRandom() {
  let count = 0;
  return {
    bytes: (length: number) => {
      count += 1;
      return new Uint8Array(length).map((_, index) => (count * 31 + index * 7) % 256);
    },
  };
}

/** A ledger under the usual rules, at noon for good. */
export function ledgerOn(store: Store): Ledger {
  return createLedger({
    store,
    clock: standingClock(NOON),
    rules: () => ({ quota: QUOTA, billing: BILLING }),
  });
}
