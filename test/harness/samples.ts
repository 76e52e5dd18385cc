// Keys, records, rules and effects for tests, each with the few fields that matter to a test.

import type { Decide } from "../../src/core/decision.ts";
import type { GrantAnswer, Offer } from "../../src/core/demand.ts";
import {
  ACCOUNT_DEFAULTS,
  type Account,
  type GatewayKey,
  KEY_DEFAULTS,
  type KeyProof,
} from "../../src/core/keys/key.ts";
import { type RequestRecord, UNKNOWN_ORIGIN } from "../../src/core/log/record.ts";
import type { NanoUsd } from "../../src/core/money/money.ts";
import { NO_AMOUNTS } from "../../src/core/money/units.ts";
import type { Place } from "../../src/core/rows.ts";
import type { BillingRules, LimitRules, QuotaRules } from "../../src/core/settings.ts";
import type { Store } from "../../src/core/store.ts";
import { decide } from "../../src/ledger/decide.ts";
import { type Ask, createLedger, type Ledger, type Ticket } from "../../src/ledger/ledger.ts";
import type { Outcome } from "../../src/ledger/outcome.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { topUp } from "../ledger/top-up.ts";
import { readEmptyStore } from "../suites/empty-store.ts";
import { unrecorded } from "./unrecorded.ts";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** Noon UTC. */
export const NOON = Date.UTC(2026, 10, 20, 12);

export const QUOTA: QuotaRules = {
  requestsPerDay: 200,
  throttleMs: 10 * MINUTE,
  scope: "key",
  dayStartsMinutes: 0,
  timeZone: "UTC",
  free: { models: ["*"], budgetNanoUsd: null },
};
export const BILLING: BillingRules = { charge: "beyond_allowance", markup: 1 };
export const RULES = { quota: QUOTA, billing: BILLING };

export function makeKey(id: string, fields: Partial<GatewayKey> = {}): GatewayKey {
  return {
    id,
    name: id,
    last4: "abcd",
    createdAtMs: NOON - DAY,
    ...KEY_DEFAULTS,
    ...fields,
  };
}

export function makeAccount(id: string, fields: Partial<Account> = {}): Account {
  return { id, name: id, ...ACCOUNT_DEFAULTS, createdAtMs: NOON - DAY, ...fields };
}

/** A record of a free request, or of one whose held cost is charged. */
export function makeRecord(id: string, fields: Partial<RequestRecord> = {}): RequestRecord {
  const { chargedNanoUsd = 0 } = fields;
  return {
    id,
    requestId: `req-${id}`,
    keyId: "key_a",
    accountId: "default",
    atMs: NOON,
    operation: "chat",
    surface: "openai-chat",
    modelAsked: "Sim#echo",
    modelTried: "Sim#echo",
    modelUsed: "Sim#echo",
    selector: null,
    decision: null,
    trace: null,
    attempts: 1,
    stream: false,
    status: 200,
    faultCode: null,
    amounts: { ...NO_AMOUNTS, prompt: 10, completion: 20, cached: 3, reasoning: 5 },
    costNanoUsd: chargedNanoUsd > 0 ? chargedNanoUsd : 1500,
    chargedNanoUsd,
    holdNanoUsd: chargedNanoUsd,
    usageSource: "provider",
    ended: "done",
    isLate: false,
    totalMs: 12,
    firstTokenMs: 7,
    modelPlanned: "Sim#echo",
    cachedFrom: null,
    savedNanoUsd: 0,
    markupNanoUsd: 0,
    claimedNanoUsd: null,
    mended: null,
    reasoningRemoved: null,
    cacheMarked: null,
    moved: null,
    guard: null,
    ...UNKNOWN_ORIGIN,
    ...fields,
  };
}

/** A clock that stands still until moved. */
export function standingClock(nowMs: number) {
  const clock = { atMs: nowMs, nowMs: () => clock.atMs };
  return clock;
}

/** The bytes need not be unpredictable here, only different. */
export function countingRandom() {
  let count = 0;
  return {
    bytes: (length: number) => {
      count += 1;
      return new Uint8Array(length).map((_, index) => (count * 31 + index * 7) % 256);
    },
  };
}

/** Decides at the demands' own times, as SQLite does, so that tests on PostgreSQL can choose the time. */
export const decideByDemand: Decide = (rows, demands) => decide({ ...rows, nowMs: null }, demands);

export interface RulesChanged {
  readonly quota?: Partial<QuotaRules>;
  readonly billing?: Partial<BillingRules>;
  readonly ownerLimits?: LimitRules;
  /** Stands still at noon if missing. */
  readonly clock?: { nowMs(): number };
}

/** A ledger under the default rules with a clock that stands at noon, apart from the given fields. */
export function ledgerOn(store: Store, { quota, billing, ownerLimits, clock }: RulesChanged = {}): Ledger {
  const rules = {
    quota: { ...QUOTA, ...quota },
    billing: { ...BILLING, ...billing },
    ...(ownerLimits ? { ownerLimits } : {}),
  };
  return createLedger({ store, clock: clock ?? standingClock(NOON), rules: () => rules });
}

/** The first secret of a key, sent from this machine. */
export const PROOF: KeyProof = { rotation: 0, address: "127.0.0.1" };

/** A request for admission at noon. Without offers, nothing can be charged for it. */
export function makeAsk(id: string, key: GatewayKey, fields: Partial<Ask> = {}): Ask {
  return {
    id,
    requestId: `req-${id}`,
    key,
    proof: PROOF,
    operation: "chat",
    surface: "openai-chat",
    modelAsked: "Sim#echo",
    modelPlanned: "Sim#echo",
    selector: null,
    stream: false,
    answers: 1,
    offers: () => [],
    isPayable: true,
    idempotency: null,
    nowMs: NOON,
    ...fields,
  };
}

/** A place in the key's day that takes nothing, apart from the given fields. */
export function makePlace(kind: Place["kind"], fields: Partial<Place> = {}): Place {
  const none = { places: 0, slots: 0, everyMs: 0, taken: null, previous: null };
  return { kind, owner: "key_a", day: "2026-11-20", ...none, giveBackMax: 200, freeNanoUsd: null, ...fields };
}

/** An offer of a model without an output limit or a price, apart from the given fields. */
export function makeOffer(fields: Partial<Offer> = {}): Offer {
  const nothing = { isPriced: true, isLimitMeant: true, lines: [], outputUsdPerMillion: 0, choices: 1 };
  return { card: "Sim#echo", ...nothing, outputTokensAsked: null, outputTokensMax: null, ...fields };
}

/** An offer whose cost is known beforehand. */
export function costing(nanoUsd: NanoUsd): Offer {
  const line = { what: "request", count: 1, usdPerMillion: nanoUsd / 1000 };
  return makeOffer({ lines: [line], outputTokensAsked: 1 });
}

/** Admits the request. Throws unless it is new. */
export async function expectGrant(ledger: Ledger, ticket: Ticket): Promise<GrantAnswer> {
  const admitted = await ledger.admit(ticket);
  if (admitted.kind !== "granted") throw new Error(`It was not let in but ${admitted.kind}.`);
  return admitted;
}

/** The outcome of a ticket's request. */
export function makeOutcome({ ask }: Ticket, fields: Partial<RequestRecord> = {}, counted = true): Outcome {
  const { id, key, nowMs: atMs } = ask;
  const record = makeRecord(id, { keyId: key.id, accountId: key.accountId, atMs, ...fields });
  return { record, ...(counted ? PRODUCED : FAILED), sealedReply: null };
}

/** The provider sent the whole answer, or failed. */
export const PRODUCED = {
  produced: true,
  isDue: true,
  giveBack: { answers: 0, isBounded: true, beyond: null },
} as const;
export const FAILED = {
  produced: false,
  isDue: false,
  giveBack: { answers: 1, isBounded: true, beyond: null },
} as const;

/** A store in memory with these keys. */
export async function openMemoryStore(...keys: readonly GatewayKey[]): Promise<Store> {
  const store = await openSqliteStore({ path: ":memory:", image: readEmptyStore(), decide });
  for (const key of keys) await unrecorded(store).addKey(key, `digest of ${key.id}`);
  return store;
}

export async function addKey(store: Store, id: string, accountId = "default"): Promise<GatewayKey> {
  const known = await store.key(id);
  if (known !== null) return known;
  if ((await store.account(accountId)) === null) await unrecorded(store).addAccount(makeAccount(accountId));
  const key = makeKey(id, { accountId });
  await unrecorded(store).addKey(key, `digest of ${id}`);
  return key;
}

/** Adds money to an account, each time as a separate top-up. */
export async function give(store: Store, accountId: string, nanoUsd: NanoUsd): Promise<Account> {
  const id = `top-up ${crypto.randomUUID()}`;
  return topUp(store, { accountId, id, nanoUsd, note: null, entry: null, nowMs: NOON });
}

/** Writes a row as in production: admitted, settled, and charged, with the money added to its account first. */
export async function writeRecord(store: Store, record: RequestRecord): Promise<void> {
  const { id, keyId, accountId, atMs, chargedNanoUsd } = record;
  const key = await addKey(store, keyId, accountId);
  if (chargedNanoUsd > 0) await give(store, accountId, chargedNanoUsd);
  const charge = chargedNanoUsd > 0 ? "always" : "beyond_allowance";
  const rules = { quota: { requestsPerDay: null }, billing: { charge }, clock: standingClock(atMs) } as const;
  const ledger = ledgerOn(store, rules);
  const ticket = ledger.ticket(makeAsk(id, key, { offers: () => [costing(chargedNanoUsd)], nowMs: atMs }));
  await expectGrant(ledger, ticket);
  await ledger.settle(ticket, { ...PRODUCED, record, sealedReply: null });
}
