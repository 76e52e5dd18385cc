// The ledger: lets requests in by their key's allowance, writes what became of them, and gives back what was not used.
import type { GatewayKey } from "../core/key.ts";
import type { RequestLimits, RequestRecord } from "../core/record.ts";
import type { BillingRules, QuotaRules } from "../core/settings.ts";
import type { Demand, Place, Rows, Store } from "../core/store.ts";
import type { Clock } from "../core/world.ts";
import { type Counts, limitOf, readsOf, standingOf } from "./allowance.ts";
import { dayOf } from "./day.ts";

export interface Ask {
  /** The completion's id, ours: its record will carry the same. */
  readonly id: string;
  readonly key: GatewayKey;
  /** When the request came, Unix milliseconds; left out: now. */
  readonly nowMs?: number;
}

/** A request was let in. Exactly one `settle` has to follow; more do no harm. */
export interface Grant {
  readonly id: string;
  readonly keyId: string;
  readonly accountId: string;
  readonly atMs: number;
  readonly place: Place;
  /** null: no allowance applies. */
  readonly limits: RequestLimits | null;
}

export interface Outcome {
  /** False when no provider produced anything: the place is given back. */
  readonly counted: boolean;
  readonly record: RequestRecord;
}

/** What a key holder is told of the allowance; `limit: null` is unlimited. */
export interface Allowance {
  readonly limit: number | null;
  readonly used: number;
  readonly remaining: number | null;
  readonly resetsAtMs: number;
  /** When the throttle lets the next request through; null while the allowance lasts, or where there is no throttle. */
  readonly nextSlotAtMs: number | null;
}

export interface Ledger {
  /** Takes a place. Throws the Faults `invalid_api_key`, `rate_limit_exceeded`, `insufficient_balance`, `store_unavailable`. */
  admit(ask: Ask): Promise<Grant>;
  /** Writes the request's row, once; a second call for it changes nothing. Throws the Fault `store_unavailable`. */
  settle(grant: Grant, outcome: Outcome): Promise<void>;
  /** Writes the row of a request that was refused before it took a place. Throws the Fault `store_unavailable`. */
  record(record: RequestRecord): Promise<void>;
  allowance(key: GatewayKey): Promise<Allowance>;
}

export interface LedgerParts {
  readonly store: Store;
  readonly clock: Pick<Clock, "nowMs">;
  /** Asked for at each decision, so that a reload shows at once. */
  readonly rules: () => { readonly quota: QuotaRules; readonly billing: BillingRules };
}

export function createLedger(parts: LedgerParts): Ledger {
  return {
    admit: (ask) => admit(parts, ask),
    settle: (grant, { counted, record }) => write(parts, record, counted ? null : grant.place),
    record: (record) => write(parts, record, null),
    allowance: (key) => allowance(parts, key),
  };
}

async function admit({ store, clock, rules }: LedgerParts, ask: Ask): Promise<Grant> {
  const { id, key, nowMs = clock.nowMs() } = ask;
  const { quota, billing } = rules();
  const reads = readsOf(key, quota, nowMs);
  const answer = await store.transact({ kind: "admit", id, keyId: key.id, nowMs, quota, billing, reads });
  switch (answer.kind) {
    case "granted":
      return {
        id,
        keyId: key.id,
        accountId: key.accountId,
        atMs: nowMs,
        place: answer.place,
        limits: answer.limits,
      };
    case "refused":
      throw answer.fault;
    case "settled":
      throw new Error("The store answered an admission as if it were a settlement.");
  }
}

async function write({ store }: LedgerParts, record: RequestRecord, giveBack: Place | null): Promise<void> {
  const metered = giveBack !== null && giveBack.kind !== "unlimited";
  const demand: Demand = {
    kind: "settle",
    record,
    giveBack,
    reads: {
      keyId: null,
      owners: metered ? [giveBack.owner] : [],
      days: metered && giveBack.kind === "allowance" ? [giveBack.day] : [],
      requestId: record.id,
    },
  };
  await store.transact(demand);
}

async function allowance({ store, clock, rules }: LedgerParts, key: GatewayKey): Promise<Allowance> {
  const nowMs = clock.nowMs();
  const { quota, billing } = rules();
  const resetsAtMs = dayOf(nowMs, quota).endMs;
  if (billing.charge === "always") return { limit: 0, used: 0, remaining: 0, resetsAtMs, nextSlotAtMs: null };
  const limit = limitOf(key, quota);
  if (limit === null) return { limit, used: 0, remaining: null, resetsAtMs, nextSlotAtMs: null };
  const counts = countsOf(await store.read(readsOf(key, quota, nowMs)));
  const standing = standingOf(counts, key, limit, quota, nowMs);
  const { used } = standing.meter;
  const throttled = used >= limit && standing.slotAtMs !== null;
  return {
    limit,
    used,
    remaining: Math.max(0, limit - used),
    resetsAtMs: standing.resetsAtMs,
    nextSlotAtMs: throttled ? Math.max(nowMs, standing.slotAtMs) : null,
  };
}

function countsOf(rows: Rows): Counts {
  return {
    meter: (id) => rows.meters.get(id) ?? null,
    slot: (owner) => rows.slots.get(owner) ?? null,
  };
}
