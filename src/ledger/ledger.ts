// The ledger: admits requests by their key's allowance or the account's balance, and settles them when they end.

import type { Admission, Answer, Claim, Offer, Reads, Settlement } from "../core/demand.ts";
import { Fault } from "../core/fault.ts";
import type { Caller, GatewayKey } from "../core/key.ts";
import type { NanoUsd } from "../core/money.ts";
import type { RequestHead, UnsettledRecord } from "../core/record.ts";
import type { Hold } from "../core/rows.ts";
import type { Store } from "../core/store.ts";
import { NO_AMOUNTS } from "../core/units.ts";
import type { Clock } from "../core/world.ts";
import { findLimit, type LedgerRules, makeReads } from "./allowance.ts";
import { decide } from "./decide.ts";
import { type Allowance, findAllowance, findAllowances } from "./standing.ts";
import { capOffer } from "./worst.ts";

/** A request for admission. */
export interface Ask extends RequestHead, Caller {
  /** The gateway's id of the completion; its record has the same. */
  readonly id: string;
  /** True if the id is new, so the store need not look for earlier rows. */
  readonly isNew?: boolean;
  /** The number of requested answers. */
  readonly answers: number;
  /** The worst-case cost on each card of the plan. Only called if something may be held. */
  readonly offers: () => readonly Offer[];
  /** The least that those may be, if making them means reading the request's files. Null if it doesn't. */
  readonly leastOffers?: (() => readonly Offer[]) | null;
  /** False if the requested model has no price. */
  readonly isPayable: boolean;
  /** True if several models share the name and any covered one will do. */
  readonly isGroup?: boolean;
  readonly idempotency: Claim | null;
  /** The most that the request may cost, markup included. Null for any amount. */
  readonly ceilingNanoUsd?: NanoUsd | null;
  /** When the request arrived, Unix milliseconds. */
  readonly nowMs: number;
}

/** A request's admission and settlement: the rows to read and the rules. */
export interface Ticket {
  readonly ask: Ask;
  readonly reads: Reads;
  /** The rules to admit by; `reads` depends on them. */
  readonly rules: LedgerRules;
}

export type Admitted = Extract<Answer, { kind: "granted" | "replayed" | "pending" }>;
export type Replayed = Extract<Answer, { kind: "replayed" }>;

export interface Outcome
  extends Pick<Settlement, "produced" | "isDue" | "giveBack" | "isUnadmitted">,
    Partial<Pick<Settlement, "place" | "note">> {
  readonly record: UnsettledRecord;
  /** The folded reply, encrypted, for repeated requests. Null if none is kept. */
  readonly sealedReply: string | null;
}

export type Settled = Omit<Extract<Answer, { kind: "settled" }>, "kind">;

export interface Ledger {
  /** Prepares the admission and settlement of a request. */
  ticket(ask: Ask): Ticket;
  /**
   * Throws the Fault with which `admit` would refuse the request whatever it costs beyond its `leastOffers`, or returns its
   * earlier answer if it is a repeat. Takes nothing, and returns null if the request may be admitted or must wait.
   */
  look(ticket: Ticket): Promise<Replayed | null>;
  /**
   * Admits the request, or returns its earlier answer if it is a repeat. Throws the Faults `invalid_api_key`,
   * `address_not_allowed`, `key_paused`, `rate_limit_exceeded`, `insufficient_balance`, `model_not_priced`,
   * `idempotency_…`, `store_unavailable`. Settle every request that is granted or fails with `outcomeUnknown`.
   */
  admit(ticket: Ticket): Promise<Admitted>;
  /** Resolves when everything granted so far would survive a power failure. Throws the Fault `store_unavailable`. */
  durable(): Promise<void>;
  /** Settles a request. A second call changes nothing. Throws the Fault `store_unavailable`. */
  settle(ticket: Ticket, outcome: Outcome): Promise<Settled>;
  /** Returns the charge for a settled request. 0 if its row is gone. */
  charged(id: string): Promise<NanoUsd>;
  /** Settles the holds of dead nodes: charges nothing and returns the places. Returns the number of holds. */
  resolveLost(): Promise<number>;
  allowance(key: GatewayKey): Promise<Allowance>;
  /** Returns the allowances by key id. */
  allowances(keys: readonly GatewayKey[]): Promise<ReadonlyMap<string, Allowance>>;
}

interface LedgerParts {
  readonly store: Store;
  readonly clock: Pick<Clock, "nowMs">;
  /** Read for each decision, so a reload applies at once. */
  readonly rules: () => LedgerRules;
}

export function createLedger(parts: LedgerParts): Ledger {
  const { store } = parts;
  return {
    ticket: (ask) => makeTicket(parts, ask),
    look: (ticket) => look(parts, ticket),
    admit: (ticket) => admit(parts, ticket),
    durable: () => store.durable(),
    settle: ({ ask, reads }, outcome) => write(parts, ask.key.accountId, reads, ask.idempotency, outcome),
    charged: async (id) => (await store.request(id))?.chargedNanoUsd ?? 0,
    resolveLost: () => resolveLost(parts),
    allowance: (key) => findAllowance(parts, key),
    allowances: (keys) => findAllowances(parts, keys),
  };
}

function makeTicket(parts: LedgerParts, ask: Ask): Ticket {
  const { id, key, idempotency, nowMs } = ask;
  const rules = parts.rules();
  const replyId = idempotency?.replyId ?? null;
  return { ask, reads: { ...makeReads(key, rules, nowMs), requestId: id, replyId }, rules };
}

/** Decides the admission on rows as they are, with the cheapest offers, and drops the decision unless it is final. */
async function look({ store }: LedgerParts, ticket: Ticket): Promise<Replayed | null> {
  const { ask } = ticket;
  const demand = makeAdmission(store.node, ticket, ask.leastOffers ?? ask.offers);
  const [answer] = decide(await store.read(demand.reads), [demand]).answers;
  if (answer?.kind === "refused") throw answer.fault;
  return answer?.kind === "replayed" ? answer : null;
}

/** `admit` and `write` are not async: both run for every request, and async would cost each half a microsecond. */
function admit({ store }: LedgerParts, ticket: Ticket): Promise<Admitted> {
  return store.transact(makeAdmission(store.node, ticket, ticket.ask.offers)).then(requireAdmitted);
}

function makeAdmission(node: string, { ask, reads, rules }: Ticket, offers: Ask["offers"]): Admission {
  const { key, isNew, ceilingNanoUsd: ceiling = null } = ask;
  const { quota, billing } = rules;
  const mayHold = billing.charge === "always" || findLimit(key, quota) !== null;
  return {
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
    proof: ask.proof,
    node,
    quota,
    billing,
    answers: ask.answers,
    offers: ceiling === null ? (mayHold ? offers() : []) : capOffers(offers(), ceiling, billing.markup),
    isCapped: ceiling !== null,
    isPayable: ask.isPayable,
    isGroup: ask.isGroup ?? false,
    reads: isNew ? { ...reads, isNew } : reads,
  };
}

/** Throws the Fault `unsupported_capability` if no offer fits the ceiling. */
function capOffers(offers: readonly Offer[], ceiling: NanoUsd, markup: number): readonly Offer[] {
  const capped = offers.flatMap((offer) => capOffer(offer, ceiling, markup) ?? []);
  if (capped.length > 0) return capped;
  const message = "No model answers this request within the most that it may cost (x-poundkey-max-cost).";
  throw new Fault("unsupported_capability", message, { param: "x-poundkey-max-cost" });
}

function requireAdmitted(answer: Answer): Admitted {
  switch (answer.kind) {
    case "granted":
    case "replayed":
    case "pending":
      return answer;
    case "refused":
      throw answer.fault;
    case "settled":
    case "funded":
      throw makeAnswerError(answer);
  }
}

/** The store's answer is of the wrong kind. */
export function makeAnswerError(answer: Answer): Error {
  return new Error(`The store's answer does not match the demand: ${answer.kind}.`);
}

function write(
  { store, clock }: LedgerParts,
  accountId: string,
  reads: Reads,
  idempotency: Ask["idempotency"],
  outcome: Outcome,
): Promise<Settled> {
  const { place = null, note = null } = outcome;
  const about = { accountId, nowMs: clock.nowMs(), idempotency, reads };
  const demand = { kind: "settle", ...outcome, ...about, place, note } as const;
  return store.transact(demand).then(requireSettled);
}

function requireSettled(answer: Answer): Settled {
  if (answer.kind !== "settled") throw makeAnswerError(answer);
  return answer;
}

/** The outcome of a request lost with its node or its store: nothing is charged, and all its places are returned. */
export function makeLostOutcome(record: UnsettledRecord, answers: number): Outcome {
  const giveBack = { answers, isBounded: false, beyond: null };
  return { record, produced: false, isDue: false, giveBack, sealedReply: null };
}

const LOST_AT_ONCE = 500;

async function resolveLost(parts: LedgerParts): Promise<number> {
  const outcome = (hold: Hold) => makeLostOutcome(lostRecord(hold), hold.place.places + hold.place.slots);
  let count = 0;
  for (;;) {
    const holds = await parts.store.orphans(LOST_AT_ONCE);
    await Promise.all(
      holds.map((hold) => write(parts, hold.accountId, readsOfHold(hold), null, outcome(hold))),
    );
    count += holds.length;
    if (holds.length < LOST_AT_ONCE) return count;
  }
}

function readsOfHold({ id, accountId, keyId, place, replyId }: Hold): Reads {
  const { owner, day } = place;
  return { accountId, keyId, owners: [owner], days: [day], requestId: id, replyId, topUpId: null };
}

/** The record of a request whose node died: only the request is known, not its outcome. */
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
