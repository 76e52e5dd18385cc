// The ledger: lets requests in by their key's allowance or the account's balance, and settles what became of them.

import type { Answer, Offer, Reads, Rows, Settlement } from "../core/demand.ts";
import type { GatewayKey } from "../core/key.ts";
import type { NanoUsd } from "../core/money.ts";
import type { RequestHead, UnsettledRecord } from "../core/record.ts";
import type { Hold } from "../core/rows.ts";
import type { BillingRules, QuotaRules } from "../core/settings.ts";
import type { Store } from "../core/store.ts";
import { NO_AMOUNTS } from "../core/units.ts";
import type { Clock } from "../core/world.ts";
import { type Counts, findLimit, type LedgerRules, makeReads, readStanding } from "./allowance.ts";
import { computeDay } from "./day.ts";

/** A request that asks to be let in. */
export interface Ask extends RequestHead {
  /** The completion's id, ours: its record will carry the same. */
  readonly id: string;
  /** The id was made for this asking: the store need not look for what it already holds of it. */
  readonly isNew?: boolean;
  readonly key: GatewayKey;
  /** The number of answers asked for. */
  readonly answers: number;
  /** The most that it may cost on each card of its plan; asked for only where something is to be held. */
  readonly offers: () => readonly Offer[];
  /** False: the model that was named has no price. */
  readonly isPayable: boolean;
  /** True: several models share the name, and any that is covered will do. */
  readonly isGroup?: boolean;
  readonly idempotency: { readonly replyId: string; readonly bodyDigest: string } | null;
  /** The time at which it came, Unix milliseconds. */
  readonly nowMs: number;
}

/** The outcome that a request is settled by, whether or not it was let in. */
export interface Ticket {
  readonly ask: Ask;
  readonly reads: Reads;
  /** It is let in by these: the rows that are read go with them. */
  readonly rules: LedgerRules;
}

export type Admitted = Extract<Answer, { kind: "granted" | "replayed" | "pending" }>;

export interface Outcome extends Pick<Settlement, "produced" | "isDue" | "giveBack"> {
  readonly record: UnsettledRecord;
  /** The folded reply, encrypted, for who asks again; null: there is none to keep. */
  readonly sealedReply: string | null;
}

export type Settled = Omit<Extract<Answer, { kind: "settled" }>, "kind">;

/** The allowance as its key's holder sees it; `limit: null` is unlimited. */
export interface Allowance {
  readonly limit: number | null;
  readonly used: number;
  readonly remaining: number | null;
  readonly resetsAtMs: number;
  /** The time at which the throttle lets the next request through; null while the allowance lasts, or without a throttle. */
  readonly nextSlotAtMs: number | null;
}

export interface Ledger {
  /** Everything that admission and settlement of one asking need. */
  ticket(ask: Ask): Ticket;
  /**
   * Lets it in, or says that the same was asked before. Throws the Faults `invalid_api_key`, `rate_limit_exceeded`,
   * `insufficient_balance`, `model_not_priced`, `idempotency_…`, `store_unavailable`. Settle whatever was granted, or failed with
   * `outcomeUnknown`.
   */
  admit(ticket: Ticket): Promise<Admitted>;
  /** Resolves when what was granted would survive a power failure. Throws the Fault `store_unavailable`. */
  durable(): Promise<void>;
  /** Settles, once; a second call for it changes nothing. Throws the Fault `store_unavailable`. */
  settle(ticket: Ticket, outcome: Outcome): Promise<Settled>;
  /** The charge for a request that was settled; 0 if its row is gone. */
  charged(id: string): Promise<NanoUsd>;
  /** Resolves what dead nodes left held: nothing is charged, places are given back. Gives their number. */
  resolveLost(): Promise<number>;
  allowance(key: GatewayKey): Promise<Allowance>;
  /** By the key's id. */
  allowances(keys: readonly GatewayKey[]): Promise<ReadonlyMap<string, Allowance>>;
}

export interface LedgerParts {
  readonly store: Store;
  readonly clock: Pick<Clock, "nowMs">;
  /** Asked for at each decision, so that a reload shows at once. */
  readonly rules: () => LedgerRules;
}

export function createLedger(parts: LedgerParts): Ledger {
  const { store } = parts;
  return {
    ticket: (ask) => ticketOf(parts, ask),
    admit: (ticket) => admit(parts, ticket),
    durable: () => store.durable(),
    settle: ({ ask, reads }, outcome) => write(parts, ask.key.accountId, reads, outcome),
    charged: async (id) => (await store.request(id))?.chargedNanoUsd ?? 0,
    resolveLost: () => resolveLost(parts),
    allowance: (key) => allowance(parts, key),
    allowances: (keys) => allowances(parts, keys),
  };
}

function ticketOf(parts: LedgerParts, ask: Ask): Ticket {
  const { id, key, idempotency, nowMs } = ask;
  const rules = parts.rules();
  const replyId = idempotency?.replyId ?? null;
  return { ask, reads: { ...makeReads(key, rules, nowMs), requestId: id, replyId }, rules };
}

/** This and `write` are no async functions: they are on every request's way, and each would cost it half a microsecond. */
function admit({ store }: LedgerParts, { ask, reads, rules }: Ticket): Promise<Admitted> {
  const { key, offers, isNew } = ask;
  const { quota, billing } = rules;
  const mayHold = billing.charge === "always" || findLimit(key, quota) !== null;
  const answer = store.transact({
    kind: "admit",
    id: ask.id,
    requestId: ask.requestId,
    operation: ask.operation,
    surface: ask.surface,
    modelAsked: ask.modelAsked,
    selector: ask.selector,
    stream: ask.stream,
    idempotency: ask.idempotency,
    nowMs: ask.nowMs,
    accountId: key.accountId,
    keyId: key.id,
    node: store.node,
    quota,
    billing,
    answers: ask.answers,
    offers: mayHold ? offers() : [],
    isPayable: ask.isPayable,
    isGroup: ask.isGroup ?? false,
    reads: isNew ? { ...reads, isNew } : reads,
  });
  return answer.then(admittedBy);
}

function admittedBy(answer: Answer): Admitted {
  switch (answer.kind) {
    case "granted":
    case "replayed":
    case "pending":
      return answer;
    case "refused":
      throw answer.fault;
    case "settled":
    case "funded":
      throw misanswered(answer);
  }
}

/** The store answered something else than it was asked. */
export function misanswered(answer: Answer): Error {
  return new Error(`The store's answer does not fit the question: ${answer.kind}.`);
}

function write(
  { store, clock }: LedgerParts,
  accountId: string,
  reads: Reads,
  outcome: Outcome,
): Promise<Settled> {
  const demand = { kind: "settle", accountId, nowMs: clock.nowMs(), ...outcome, reads } as const;
  return store.transact(demand).then(settledBy);
}

function settledBy(answer: Answer): Settled {
  if (answer.kind !== "settled") throw misanswered(answer);
  return answer;
}

/** The outcome of a request that was lost with its node or its store: nothing is charged, and all its places come back. */
export function lostOutcome(record: UnsettledRecord, answers: number): Outcome {
  const giveBack = { answers, isBounded: false, beyond: null };
  return { record, produced: false, isDue: false, giveBack, sealedReply: null };
}

const LOST_AT_ONCE = 500;

async function resolveLost(parts: LedgerParts): Promise<number> {
  const outcome = (hold: Hold) => lostOutcome(lostRecord(hold), hold.place.places + hold.place.slots);
  let count = 0;
  for (;;) {
    const holds = await parts.store.orphans(LOST_AT_ONCE);
    await Promise.all(holds.map((hold) => write(parts, hold.accountId, readsOfHold(hold), outcome(hold))));
    count += holds.length;
    if (holds.length < LOST_AT_ONCE) return count;
  }
}

function readsOfHold({ id, accountId, keyId, place, replyId }: Hold): Reads {
  const { owner, day } = place;
  return { accountId, keyId, owners: [owner], days: [day], requestId: id, replyId, topUpId: null };
}

/** The row of a request whose node died: what it asked for is known, what became of it is not. */
function lostRecord(hold: Hold): UnsettledRecord {
  const { id, keyId, accountId, atMs, requestId, operation, surface, modelAsked, selector, stream } = hold;
  return {
    id,
    keyId,
    accountId,
    atMs,
    ...{ requestId, operation, surface, modelAsked, selector, stream },
    modelTried: null,
    modelUsed: null,
    decision: null,
    trace: null,
    attempts: 0,
    status: 500,
    faultCode: "internal_error",
    amounts: NO_AMOUNTS,
    costNanoUsd: 0,
    usageSource: "none",
    ended: "lost",
    totalMs: 0,
    firstTokenMs: null,
  };
}

async function allowance({ store, clock, rules }: LedgerParts, key: GatewayKey): Promise<Allowance> {
  const nowMs = clock.nowMs();
  const { quota, billing } = rules();
  const rows = isCounted(key, quota, billing)
    ? await store.read(makeReads(key, { quota, billing }, nowMs))
    : null;
  return allowanceOf(key, rows, quota, billing, nowMs);
}

/** One look-up for all keys of an account. */
async function allowances(
  { store, clock, rules }: LedgerParts,
  keys: readonly GatewayKey[],
): Promise<ReadonlyMap<string, Allowance>> {
  const nowMs = clock.nowMs();
  const { quota, billing } = rules();
  const found = new Map<string, Allowance>();
  for (const ofAccount of Map.groupBy(keys, ({ accountId }) => accountId).values()) {
    const counted = ofAccount.filter((key) => isCounted(key, quota, billing));
    const [read, ...others] = counted.map((key) => makeReads(key, { quota, billing }, nowMs));
    const owners = [...new Set([read, ...others].flatMap((one) => one?.owners ?? []))];
    const rows = read ? await store.read({ ...read, keyId: null, owners }) : null;
    for (const key of ofAccount) found.set(key.id, allowanceOf(key, rows, quota, billing, nowMs));
  }
  return found;
}

function isCounted(key: GatewayKey, quota: QuotaRules, { charge }: BillingRules): boolean {
  return charge !== "always" && findLimit(key, quota) !== null;
}

const NOTHING_COUNTED: Counts = { meters: new Map(), slots: new Map() };

function allowanceOf(
  key: GatewayKey,
  rows: Rows | null,
  quota: QuotaRules,
  billing: BillingRules,
  nowMs: number,
): Allowance {
  const resetsAtMs = computeDay(nowMs, quota).endMs;
  if (billing.charge === "always") return { limit: 0, used: 0, remaining: 0, resetsAtMs, nextSlotAtMs: null };
  const limit = findLimit(key, quota);
  if (limit === null) return { limit, used: 0, remaining: null, resetsAtMs, nextSlotAtMs: null };
  const standing = readStanding(rows ?? NOTHING_COUNTED, key, limit, quota, nowMs);
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
