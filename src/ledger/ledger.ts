// The ledger: admits requests by their key's allowance or the account's balance, and settles them when they end.
import type {
  Admission,
  AdmissionAnswer,
  Claim,
  Lacking,
  LineTerms,
  Noting,
  Offer,
  ReplayAnswer,
  SettlementAnswer,
} from "../core/demand.ts";
import type { Account, Caller, GatewayKey } from "../core/keys/key.ts";
import type { LimitState, TokenLoad } from "../core/limits/limit.ts";
import type { RequestHead } from "../core/log/record.ts";
import { findTagDay } from "../core/log/tags.ts";
import type { NanoUsd } from "../core/money/money.ts";
import { LIMIT_RULES } from "../core/settings.ts";
import { findRules, makeReads, mayBeFree } from "./allowance.ts";
import { requireAdmitted } from "./answers.ts";
import { capOffers } from "./ceiling.ts";
import { type Supplies, supply } from "./lacking.ts";
import {
  findAccountLimits,
  findKeyLimits,
  findLimitsByAccount,
  findMemberLimits,
} from "./limits/limit-state.ts";
import { addLineReads } from "./limits/lines.ts";
import { type ResetOrder, resetBudgets } from "./limits/reset-order.ts";
import { Notes } from "./notes.ts";
import type { Outcome } from "./outcome.ts";
import {
  type ListRunning,
  makeSettlement,
  resolveLost,
  type SettledTicket,
  type SettlingParts,
  settleTicket,
} from "./settling.ts";
import { type Allowance, findAllowance, findAllowances } from "./standing.ts";
import { EVERYTHING, NOTHING, type Want, Wants } from "./wants.ts";

/** A request for admission. */
export interface Ask extends RequestHead, Caller, Pick<Admission, "tool"> {
  /** The gateway's id of the completion; its record has the same. */
  readonly id: string;
  /** True if the id is new, so the store need not look for earlier rows. */
  readonly isNew?: boolean;
  /** True if `enter` has let it in. */
  readonly isEntered?: boolean;
  /** The number of requested answers. */
  readonly answers: number;
  /** The worst-case cost on each card of the plan, with what budgets reserve. Only called if something may be held. */
  offers(isReserving: boolean): readonly Offer[];
  /** The tokens that it is expected to take. Only called if a limit counts them. None if missing. */
  load?(): TokenLoad;
  /** The least that those may be, if making them means reading the request's files. Null if it doesn't. */
  readonly leastOffers?: (() => readonly Offer[]) | null;
  /** The least that counts. For a request whose answer is there already: it is refused only where nothing is left. */
  ownOffers?(): readonly Offer[];
  /** False if the requested model has no price. */
  readonly isPayable: boolean;
  /** True if several models share the name and any covered one will do. */
  readonly isGroup?: boolean;
  readonly idempotency: Claim | null;
  /** Missing but for lines of batches. */
  readonly line?: LineTerms | null;
  /** As in `Admission`. */
  readonly isWithin?: boolean;
  /** The most that the request may cost, markup included. Null for any amount. */
  readonly ceilingNanoUsd?: NanoUsd | null;
  /** When the request arrived, Unix milliseconds. */
  readonly nowMs: number;
}

/** A request's admission and settlement: the rows to read and the rules. */
export interface Ticket extends SettledTicket {
  readonly ask: Ask;
}

interface LedgerEntry {
  /** True if `look` wasn't called: the entry then refuses what `look` would refuse. */
  readonly isLooking: boolean;
  /** The end of a request whose answer is there already: it is settled at once. Null if it goes on. */
  readonly outcome: Outcome | null;
  /** True if it takes a place of the allowance, which its outcome may give back. */
  readonly takesPlaces?: boolean;
}

export interface Ledger {
  /** Prepares the admission and settlement of a request. */
  ticket(ask: Ask): Ticket;
  /**
   * Throws the Fault with which `admit` would refuse the request whatever it costs beyond its `leastOffers`, or returns its
   * earlier answer if it is a repeat. Takes nothing, and returns null if the request may be admitted or must wait.
   */
  look(ticket: Ticket): Promise<ReplayAnswer | null>;
  /**
   * Admits the request, or returns its earlier answer if it is a repeat, or its key's new account. Throws the Faults `invalid_api_key`,
   * `address_not_allowed`, `key_paused`, `rate_limit_exceeded`, `insufficient_balance`, `model_not_priced`,
   * `idempotency_…`, `store_unavailable`. Settle every request that is granted or fails with `outcomeUnknown`. One that has
   * entered and is refused is returned, not thrown: its entry is undone, and there is nothing to settle.
   */
  admit(ticket: Ticket): Promise<AdmissionAnswer>;
  /**
   * Admits the request as one in parallel and one of its minute, and no more: for one that ends or waits before a provider
   * would be asked. `admit` may follow for the rest, and counts nothing twice. Throws Faults as `admit` does. Settle it in
   * the same way, unless the entry has its outcome.
   */
  enter(ticket: Ticket, entry?: LedgerEntry): Promise<AdmissionAnswer>;
  /** Resolves when everything granted so far would survive a power failure. Throws as `Store.durable`, whose promise it is. */
  durable(): Promise<void>;
  /** Settles a request. A second call changes nothing. Throws the Fault `store_unavailable`. */
  settle(ticket: Ticket, outcome: Outcome): Promise<SettlementAnswer>;
  /** Returns the charge for a settled request. 0 if its row is gone. */
  charged(id: string): Promise<NanoUsd>;
  /**
   * Settles the holds of dead nodes, and with `listRunning` this node's own that belong to no completion which it lists:
   * charges nothing and returns the places. Returns the number of holds.
   */
  resolveLost(listRunning?: ListRunning): Promise<number>;
  allowance(key: GatewayKey): Promise<Allowance>;
  /**
   * Returns the limits that are set for the key and its account, with their use. If the account's row is given and none is set,
   * nothing is read.
   */
  limits(key: GatewayKey, account?: Account): Promise<readonly LimitState[]>;
  /** Returns the limits that are set for the account, with their use. */
  accountLimits(account: Pick<Account, "id">): Promise<readonly LimitState[]>;
  /** Returns the same of each account, by its id, in one read. */
  limitsByAccount(
    accounts: readonly Pick<Account, "id">[],
  ): Promise<ReadonlyMap<string, readonly LimitState[]>>;
  /** Returns the limits of a member within an account, with their use. */
  memberLimits(of: { readonly accountId: string; readonly memberId: string }): Promise<readonly LimitState[]>;
  /** Sets what budgets have used in their running windows to 0, and returns their names. Throws the Fault `not_found`. */
  resetBudgets(order: ResetOrder): Promise<readonly string[]>;
  /** Returns the allowances by key id. */
  allowances(keys: readonly GatewayKey[]): Promise<ReadonlyMap<string, Allowance>>;
}

interface LedgerParts extends SettlingParts {
  readonly wants: Wants;
}

export function createLedger(given: Omit<LedgerParts, "wants" | "notes">): Ledger {
  const parts = { ...given, wants: new Wants(), notes: new Notes(given.store) };
  const { store } = parts;
  return {
    ticket: (ask) => makeTicket(parts, ask),
    look: (ticket) => look(parts, ticket),
    admit: (ticket) => admit(parts, ticket),
    enter: (ticket, entry) => enter(parts, ticket, entry),
    durable: () => store.durable(),
    settle: (ticket, outcome) => settleTicket(parts, ticket, outcome),
    charged: async (id) => (await store.request(id))?.chargedNanoUsd ?? 0,
    resolveLost: (listRunning) => resolveLost(parts, listRunning),
    allowance: (key) => findAllowance(parts, key),
    allowances: (keys) => findAllowances(parts, keys),
    limits: (key, account) => findKeyLimits(parts, key, account),
    memberLimits: (of) => findMemberLimits(parts, of),
    accountLimits: (account) => findAccountLimits(parts, account),
    limitsByAccount: (accounts) => findLimitsByAccount(parts, accounts),
    resetBudgets: (order) => resetBudgets(parts, order),
  };
}

function makeTicket(parts: LedgerParts, ask: Ask): Ticket {
  const { id, key, idempotency, nowMs, line = null } = ask;
  const rules = findRules(key, parts.rules());
  const rows = { requestId: id, replyId: idempotency?.replyId ?? null };
  const reads = makeReads(key, rules, nowMs, parts.store.clockAheadMs(), rows);
  return {
    ask,
    reads: line === null ? reads : addLineReads(reads, line),
    rules,
    noted: null,
    isTried: false,
  };
}

/** Decides the admission on rows as they are, with the cheapest offers, and drops the decision. */
async function look(parts: LedgerParts, ticket: Ticket): Promise<ReplayAnswer | null> {
  const { store, wants } = parts;
  const { ask } = ticket;
  const offers = findLeast(ask);
  const demand = makeAdmission(store.node, ticket, wants.of(ask.key), offers);
  const first = await store.look(demand);
  const answer =
    first.kind === "lacking"
      ? await supply(demand, first, (again) => store.look(again), makeSupplies(parts, ask, offers))
      : first;
  if (answer.kind === "refused") throw answer.fault;
  return answer.kind === "replayed" ? answer : null;
}

/** `admit` and `write` are not async: both run for every request, and async would cost each half a microsecond. */
function admit(parts: LedgerParts, ticket: Ticket): Promise<AdmissionAnswer> {
  const { store, wants } = parts;
  const { ask, rules } = ticket;
  const wanted = ask.isEntered || hasCeiling(ask) ? EVERYTHING : wants.of(ask.key);
  const offers = (ask.ceilingNanoUsd ?? null) === null ? ask : capOffers(ask, rules);
  const noting = mayHoldNothing(ask) ? parts.notes.begin(ask.key, ask.nowMs) : null;
  return decideAdmission(parts, ticket, makeAdmission(store.node, ticket, wanted, offers, noting), offers);
}

/** True if a request may hold nothing but places of its day: no reply, and no count of its batch or response. */
function mayHoldNothing({ idempotency, line = null, isWithin = false, tool }: Ask): boolean {
  return idempotency === null && line === null && !isWithin && tool === undefined;
}

/** True for a line of a batch with a ceiling, from which each of its lines is held. Others need what their key's requests need. */
function hasCeiling({ line = null }: Pick<Ask, "line">): boolean {
  return line !== null && line.ceilingNanoUsd !== null;
}

/** The part of an `Ask` that is only made if something may be held. */
type AskOffers = Pick<Ask, "offers">;

const NO_OFFERS: AskOffers = { offers: () => [] };

function findLeast(ask: Ask): AskOffers {
  return ask.leastOffers ? { offers: ask.leastOffers } : ask;
}

function findOwn(ask: Ask): AskOffers | null {
  return ask.ownOffers ? { offers: () => ask.ownOffers?.() ?? [] } : null;
}

const ENTRY: LedgerEntry = { isLooking: false, outcome: null };

function enter(
  parts: LedgerParts,
  ticket: Ticket,
  { isLooking, outcome, takesPlaces = false } = ENTRY,
): Promise<AdmissionAnswer> {
  const { store, wants } = parts;
  const { ask } = ticket;
  const offers = (outcome && findOwn(ask)) ?? findLeast(ask);
  const wanted = isLooking ? wants.of(ask.key) : NOTHING;
  const demand = makeAdmission(store.node, ticket, wanted, isLooking ? offers : NO_OFFERS);
  const settlement = outcome && makeSettlement(parts, ask.key.accountId, ticket, ask, outcome);
  // Its key or account may have tags.
  const reads = outcome ? { ...demand.reads, tagDayMs: findTagDay(outcome.record.atMs) } : demand.reads;
  const entry = {
    reads,
    idempotency: null,
    isEntry: true,
    isLooking,
    takesPlaces,
    ...(settlement && { settlement }),
  };
  return decideAdmission(parts, ticket, { ...demand, ...entry }, offers);
}

function decideAdmission(
  parts: LedgerParts,
  ticket: Ticket,
  demand: Admission,
  offers: AskOffers,
): Promise<AdmissionAnswer> {
  const { ask } = ticket;
  return parts.store.transact(demand).then((answer) => {
    parts.notes.keep(demand, answer.kind === "granted" ? answer : null);
    // It has a hold then: the time in which it may be noted has passed on.
    if (answer.kind === "lacking")
      return decideSupplied(parts, ask, { ...demand, noting: null }, answer, offers);
    const admitted = requireAdmitted(answer, ask.isEntered ?? false);
    if (admitted.kind === "granted" && admitted.isNoted === true) ticket.noted = admitted.place;
    return admitted;
  });
}

async function decideSupplied(
  parts: LedgerParts,
  ask: Ask,
  demand: Admission,
  lacking: Lacking,
  offers: AskOffers,
): Promise<AdmissionAnswer> {
  const { store } = parts;
  const supplies = makeSupplies(parts, ask, offers);
  const supplied = await supply(demand, lacking, (again) => store.transact(again), supplies);
  return requireAdmitted(supplied, ask.isEntered ?? false);
}

function makeSupplies({ wants }: LedgerParts, ask: Ask, offering: AskOffers): Supplies {
  return {
    offers: (isReserving) => offering.offers(isReserving),
    load: () => estimate(ask),
    learn: (lacking) => wants.learn(ask.key, lacking),
  };
}

const NO_LOAD: TokenLoad = { prompt: 0, output: 0 };

const estimate = (ask: Ask): TokenLoad => ask.load?.() ?? NO_LOAD;

function makeAdmission(
  node: string,
  { ask, reads, rules }: Ticket,
  wanted: Want,
  offering: AskOffers,
  noting: Noting | null = null,
): Admission {
  const { key, isNew, ceilingNanoUsd = null } = ask;
  const { quota, billing, ownerLimits: limits = LIMIT_RULES } = rules;
  const isCapped = ceilingNanoUsd !== null;
  const isUnbound = billing.charge !== "always" && mayBeFree(key, quota);
  return {
    kind: "admit",
    id: ask.id,
    requestId: ask.requestId,
    operation: ask.operation,
    surface: ask.surface,
    modelAsked: ask.modelAsked,
    modelPlanned: ask.modelPlanned,
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
    limits,
    answers: ask.answers,
    offers:
      isUnbound && !isCapped && !wanted.offers && !wanted.reserved ? null : offering.offers(wanted.reserved),
    isCapped,
    isReserving: wanted.reserved,
    load: wanted.load ? estimate(ask) : null,
    isPayable: ask.isPayable,
    isGroup: ask.isGroup ?? false,
    ...(ask.line && { line: ask.line }),
    ...(ask.isWithin && { isWithin: true }),
    noting,
    ...(ask.tool && { tool: ask.tool }),
    reads: isNew ? { ...reads, isNew } : reads,
  };
}
