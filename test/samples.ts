// Keys, records, rules and effects for tests, each with the few fields that a test is about.

import type { Granted, Offer } from "../src/core/demand.ts";
import type { Account, GatewayKey } from "../src/core/key.ts";
import type { NanoUsd } from "../src/core/money.ts";
import type { RequestRecord } from "../src/core/record.ts";
import type { Place } from "../src/core/rows.ts";
import type { BillingRules, QuotaRules } from "../src/core/settings.ts";
import type { Store } from "../src/core/store.ts";
import { NO_AMOUNTS } from "../src/core/units.ts";
import { decide } from "../src/ledger/decide.ts";
import { topUp } from "../src/ledger/fund.ts";
import { type Ask, createLedger, type Ledger, type Outcome, type Ticket } from "../src/ledger/ledger.ts";
import { openSqliteStore } from "../src/store/sqlite/store.ts";

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
  free: { models: ["*"], budgetNanoUsd: null },
};
export const BILLING: BillingRules = { charge: "beyond_allowance", markup: 1 };
export const RULES = { quota: QUOTA, billing: BILLING };

export function makeKey(id: string, fields: Partial<GatewayKey> = {}): GatewayKey {
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
    keepsResponses: true,
    ...fields,
  };
}

export function makeAccount(id: string, fields: Partial<Account> = {}): Account {
  const nothing = { balanceNanoUsd: 0, heldNanoUsd: 0, entries: 0, keptCharacters: 0 };
  return { id, name: id, ...nothing, createdAtMs: NOON - DAY, ...fields };
}

/** Free, or of a cost that was held for and is charged. */
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

export interface RulesChanged {
  readonly quota?: Partial<QuotaRules>;
  readonly billing?: Partial<BillingRules>;
  /** Noon for good, unless given. */
  readonly clock?: { nowMs(): number };
}

/** A ledger under the usual rules, at noon for good, but for what is given. */
export function ledgerOn(store: Store, { quota, billing, clock }: RulesChanged = {}): Ledger {
  const rules = { quota: { ...QUOTA, ...quota }, billing: { ...BILLING, ...billing } };
  return createLedger({ store, clock: clock ?? standingClock(NOON), rules: () => rules });
}

/** A request that asks to be let in at noon; without offers nothing can be charged for it. */
export function makeAsk(id: string, key: GatewayKey, fields: Partial<Ask> = {}): Ask {
  return {
    id,
    requestId: `req-${id}`,
    key,
    operation: "chat",
    surface: "openai-chat",
    modelAsked: "Sim#echo",
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

/** A place that takes nothing, of a day of the key's own. */
export function makePlace(kind: Place["kind"], fields: Partial<Place> = {}): Place {
  const none = { places: 0, slots: 0, everyMs: 0, taken: null, previous: null };
  return { kind, owner: "key_a", day: "2026-11-20", ...none, giveBackMax: 200, freeNanoUsd: null, ...fields };
}

/** An offer of a model without an output limit and without a price, but for the given fields. */
export function makeOffer(fields: Partial<Offer> = {}): Offer {
  const nothing = { isPriced: true, isLimitRequired: false, lines: [], outputUsdPerMillion: 0, choices: 1 };
  return { card: "Sim#echo", ...nothing, outputTokensAsked: null, outputTokensMax: null, ...fields };
}

/** A request's cost that is known before it is made. */
export function costing(nanoUsd: NanoUsd): Offer {
  const line = { what: "request", count: 1, usdPerMillion: nanoUsd / 1000 };
  return makeOffer({ lines: [line], outputTokensAsked: 1 });
}

/** Lets it in; throws unless it is a new one. */
export async function expectGrant(ledger: Ledger, ticket: Ticket): Promise<Granted> {
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

/** A provider gave the whole answer, or failed it. */
export const PRODUCED = {
  ...{ produced: true, isDue: true },
  giveBack: { answers: 0, isBounded: true, beyond: null },
} as const;
export const FAILED = {
  ...{ produced: false, isDue: false },
  giveBack: { answers: 1, isBounded: true, beyond: null },
} as const;

/** A key of the account, both made unless they are there. */
/** A store in memory with these keys. */
export async function openMemoryStore(...keys: readonly GatewayKey[]): Promise<Store> {
  const store = await openSqliteStore({ path: ":memory:", decide });
  for (const key of keys) await store.addKey(key, `digest of ${key.id}`);
  return store;
}

export async function addKey(store: Store, id: string, accountId = "default"): Promise<GatewayKey> {
  const known = await store.key(id);
  if (known !== null) return known;
  if ((await store.account(accountId)) === null) await store.addAccount(makeAccount(accountId));
  const key = makeKey(id, { accountId });
  await store.addKey(key, `digest of ${id}`);
  return key;
}

/** Adds money to an account, each time as a separate top-up. */
export async function give(store: Store, accountId: string, nanoUsd: NanoUsd): Promise<Account> {
  const id = `top-up ${crypto.randomUUID()}`;
  return topUp(store, { accountId, id, nanoUsd, note: null, nowMs: NOON });
}

/** Writes a row as it comes about: let in, settled, and charged what it says, for which its account gets the money. */
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
