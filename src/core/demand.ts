// Demands on the books, what is needed to decide them, and the answers.
import type { AuditEntry } from "./audit/audit-log.ts";
import type { CheckoutChange, CheckoutOutcome } from "./books/checkout.ts";
import type { Closing, Funding } from "./books/movement.ts";
import type { Fault } from "./faults/fault.ts";
import type { Tags } from "./fields/tags-text.ts";
import type { Account, KeyProof } from "./keys/key.ts";
import type { RequestLimits, TokenLoad } from "./limits/limit.ts";
import type { AllowedTools } from "./limits/member-limits.ts";
import type { Opening } from "./limits/opening.ts";
import type { RequestHead, UnsettledRecord } from "./log/record.ts";
import type { HookCost } from "./log/trace.ts";
import type { BillLine, NanoUsd } from "./money/money.ts";
import type { Hold, Place } from "./rows.ts";
import type { BillingRules, LimitRules, QuotaRules } from "./settings.ts";
import type { ToolRight } from "./tools/tool-right.ts";

/** The maximum cost of a request on one card of its plan, for the hold. */
export interface Offer {
  /** The card's id. */
  readonly card: string;
  /** False if the model has no price: no balance can pay for it and no budget counts it. */
  readonly isPriced: boolean;
  /** The cost of all answers before any output token. */
  readonly lines: readonly BillLine[];
  /** The lines that budgets reserve: the cached prompt of a known conversation costs less. Missing if they are the same. */
  readonly reservedLines?: readonly BillLine[];
  /** The tokens of the input at worst that no earlier turn of the conversation had, per answer. Missing for none. */
  readonly unrepeatedTokens?: number;
  readonly outputUsdPerMillion: number;
  readonly choices: number;
  /** False if the client's limit only says how much may come: then it may be lowered like that of a request without one. */
  readonly isLimitMeant: boolean;
  /** The client's output limit per answer, at most the model's own. Null if there is none. */
  readonly outputTokensAsked: number | null;
  /** The model's own limit. Null if unknown. */
  readonly outputTokensMax: number | null;
}

/** The rows needed to decide a demand. The store reads them in the transaction without knowing their use. */
export interface Reads {
  readonly accountId: string;
  readonly keyId: string | null;
  /** The person whose personal key it is, and whose limits are read. Missing or null for service keys. */
  readonly memberId?: string | null;
  /** Owners whose states are read, and with `days` their meters. */
  readonly owners: readonly string[];
  readonly days: readonly string[];
  /** The request whose hold is needed, or its row if the hold is gone. */
  readonly requestId: string | null;
  /**
   * True if the id was made for this demand, so neither can exist yet. `noted` at the first settlement of a noted request: as
   * long as its meter notes it, it has neither. A repeated demand doesn't set it.
   */
  readonly isNew?: boolean | "noted";
  readonly replyId: string | null;
  readonly movementId: string | null;
  /** Missing for none. */
  readonly checkoutId?: string;
  /** New budgets, which begin with what their owner has used already. Missing for none. */
  readonly openings?: readonly Opening[];
  /** The start of the UTC day whose tags are needed. Missing for none. */
  readonly tagDayMs?: number;
}

/**
 * The claim of a request with an Idempotency-Key, made with its admission: within its gateway key, for 24 hours. A request
 * that finds it taken waits for that answer, and repeats it.
 */
export interface Claim {
  /** A digest of the Idempotency-Key and its scope. */
  readonly replyId: string;
  /** A digest of the request. Another one with the same key is refused. */
  readonly bodyDigest: string;
}

/**
 * The terms of a request that is a line of a batch: it leaves room for single requests, and its batch's cost is bound and
 * summed up as a budget of an owner that has the batch's id.
 */
export interface LineTerms {
  readonly batchId: string;
  /** The most lines of the account at once, over all nodes. */
  readonly parallelMax: number;
  /** The most that the batch may cost. Null for any amount. */
  readonly ceilingNanoUsd: NanoUsd | null;
}

/** The terms of a call of a tool. */
export interface ToolTerms extends ToolRight {
  /** The tools of the member whose key it is. Null for all. */
  readonly memberTools: AllowedTools;
}

/** The terms on which a request may be noted in its day's meter, instead of having a hold, if it holds nothing. */
export interface Noting {
  /** Requests that this meter still notes although they have ended. */
  readonly ended: readonly string[];
  readonly owner: string;
  readonly day: string;
  readonly nowMs: number;
}

/** Asks to admit a request. Repeated with the same id, it replaces the earlier grant. */
export interface Admission extends RequestHead, Pick<Hold, "id" | "accountId" | "keyId" | "node"> {
  readonly kind: "admit";
  /** The time of the decision in Unix milliseconds. */
  readonly nowMs: number;
  readonly quota: QuotaRules;
  readonly billing: BillingRules;
  readonly limits: LimitRules;
  /** Null for the console's own key. */
  readonly proof: KeyProof | null;
  /** The number of answers requested. Each takes a place in the allowance. A call of a tool takes none, nor a slot of the throttle. */
  readonly answers: number;
  /** The maximum cost on each card of the plan, in order. Null if nothing seemed to need it. */
  readonly offers: readonly Offer[] | null;
  /** True if the offers say what budgets reserve. */
  readonly isReserving: boolean;
  /** Null if nothing seemed to need it. */
  readonly load: TokenLoad | null;
  /** True if the offers are limited to what the request may cost: then they also bind what nobody pays for. */
  readonly isCapped?: boolean;
  /** False if the named model has no price: then the balance doesn't pay for fallbacks either. */
  readonly isPayable: boolean;
  /** True if the balance need not cover the first card because another member of the group will do. */
  readonly isGroup?: boolean;
  /**
   * True if it only enters: it then meets no limits but those on parallel requests and on requests of the minute. Its
   * admission in full, under the same id, takes their place and isn't asked about them again.
   */
  readonly isEntry?: boolean;
  /** True if an entry takes a place of the allowance, as a request does that a provider refuses. */
  readonly takesPlaces?: boolean;
  /** True if an entry is refused, too, where the admission in full surely would be. */
  readonly isLooking?: boolean;
  /** The settlement of an entry whose answer is there already: it is written with it. */
  readonly settlement?: Settlement;
  readonly idempotency: Claim | null;
  /** Missing but for lines of batches. */
  readonly line?: LineTerms;
  /** True for a call of a tool within a response: it is none of the requests in parallel. */
  readonly isWithin?: boolean;
  /** Missing or null if it must have a hold. */
  readonly noting?: Noting | null;
  /** Its key and account must allow the tool. Missing but for calls of tools. */
  readonly tool?: ToolTerms;
  readonly reads: Reads;
}

/** Places and charges returned because the provider or the gateway failed. */
export interface GiveBack {
  /** Failed answers. Their places come back within the owner's daily bound. */
  readonly answers: number;
  /** False if nothing reached a provider, so the bound doesn't apply. */
  readonly isBounded: boolean;
  /** The row to write once the bound is reached: a refused prompt then costs its estimate. */
  readonly beyond: UnsettledRecord | null;
}

/** Settles a request. Repeating it changes nothing, because the hold is gone. */
export interface Settlement {
  readonly kind: "settle";
  readonly accountId: string;
  readonly nowMs: number;
  readonly record: UnsettledRecord;
  /** True if a provider produced part of an answer: then the Idempotency-Key stays used. */
  readonly produced: boolean;
  /** True if the row's cost is charged, false if it is only recorded. */
  readonly isDue: boolean;
  /** The most that is charged of it. Missing or null for all. */
  readonly ceilingNanoUsd?: NanoUsd | null;
  readonly limits: LimitRules;
  readonly quota: QuotaRules;
  readonly giveBack: GiveBack;
  /** The encrypted reply for repeated requests. Null if it is too large or incomplete. */
  readonly sealedReply: string | null;
  readonly idempotency: Admission["idempotency"];
  /**
   * True for a line's answer that nobody has yet. If the line has ended without it, as its claim is gone, nothing is settled:
   * it then is as one of a client that has left. Missing but for these.
   */
  readonly isForLine?: true;
  /** The admission's terms, if they are known here. Only needed if the hold has been given up as lost. */
  readonly place: Place | null;
  /** A note on the journal's entry. */
  readonly note: string | null;
  /** The price of hooks' own models, which budgets count where it is above the request's own. Missing for none. */
  readonly hookCost?: HookCost | undefined;
  readonly reads: Reads;
}

/** Sets what the budgets of a key, a member or an account have used in their running windows to 0. Costs stay what they were. */
export interface Reset extends Pick<Admission, "accountId" | "quota" | "limits" | "nowMs" | "reads"> {
  readonly kind: "reset";
  /** Without a key or a member, the account's own budgets are meant. */
  readonly keyId: string | null;
  readonly memberId: string | null;
  /** Unique: the id of the event that records it. */
  readonly id: string;
  /** The person or program behind it and the reason, for the event. */
  readonly by: string;
  readonly reason: string;
  /** Put on record if there was a budget to reset. Null if nobody asked for it by hand. */
  readonly entry: AuditEntry | null;
  /** The amounts that another gateway has spent of them meanwhile, by their names: they are added instead, without an event. */
  readonly added?: Readonly<Record<string, NanoUsd>>;
}

/** Removes noted requests that have ended from their meter. */
export interface Unnoting extends Pick<Settlement, "accountId" | "nowMs" | "reads"> {
  readonly kind: "unnote";
  readonly owner: string;
  readonly day: string;
  readonly ids: readonly string[];
}

interface OnReads {
  readonly reads: Reads;
}

/** Plain data, so it can be sent to the process that owns the store. */
export type Demand =
  | Admission
  | Settlement
  | Unnoting
  | Reset
  | ((Funding | Closing | CheckoutChange) & OnReads);

/** The parts of a demand that a decision lacks: it is made again with them. */
export interface Lacking {
  readonly kind: "lacking";
  readonly offers: boolean;
  /** Offers with what budgets reserve. */
  readonly reserved: boolean;
  readonly load: boolean;
  readonly openings: readonly Opening[];
}

export interface GrantAnswer {
  readonly kind: "granted";
  readonly place: Place;
  /** The day's allowance, or else the limit on requests per minute that is nearest to its end. Null for neither. */
  readonly limits: RequestLimits | null;
  /** The limit on tokens per minute that is nearest to its end. Missing for none. */
  readonly tokenLimits?: RequestLimits;
  readonly holdNanoUsd: NanoUsd;
  /**
   * The output tokens per answer that the hold covers, by card. Cards not listed must not be called. Null if nothing is
   * held.
   */
  readonly outputTokens: Readonly<Record<string, number>> | null;
  /** The tags of the key and, where it has none of the name, of its account. Missing for none. */
  readonly tags?: Tags;
  /** True if it is noted and has no hold. */
  readonly isNoted?: true;
  /** Only if the admission brought its settlement. */
  readonly settled?: SettlementAnswer;
}

export interface SettlementAnswer {
  readonly chargedNanoUsd: NanoUsd;
  readonly holdNanoUsd: NanoUsd;
  readonly writtenOffNanoUsd: NanoUsd;
  /** True if the request had been given up as lost, and this made its row what it was. */
  readonly late: boolean;
}

export type Answer =
  | GrantAnswer
  /** An identical request was answered before. */
  | { readonly kind: "replayed"; readonly sealed: string }
  /** An identical request is being answered by the completion with this id. */
  | { readonly kind: "pending"; readonly id: string }
  | ({ readonly kind: "settled" } & SettlementAnswer)
  /** The line that it answers has ended without it, so nothing was settled. */
  | { readonly kind: "unread" }
  | { readonly kind: "unnoted" }
  | { readonly kind: "funded"; readonly account: Account }
  | ({ readonly kind: "checkout" } & CheckoutOutcome)
  /** The key belongs to another account by now, so nothing was decided: ask again for that one. */
  | { readonly kind: "moved"; readonly accountId: string }
  /** With the names of the budgets. */
  | { readonly kind: "reset"; readonly budgets: readonly string[] }
  | Lacking
  | RefusalAnswer;

export interface RefusalAnswer {
  readonly kind: "refused";
  readonly fault: Fault;
  /** True if nothing was decided: if the request had entered, it still is. Otherwise a refusal undoes its entry. */
  readonly isUndecided?: true;
}

/** A refusal is only among them if it undoes the request's entry. */
export type AdmissionAnswer = Extract<
  Answer,
  { kind: "granted" | "replayed" | "pending" | "moved" | "refused" }
>;
export type ReplayAnswer = Extract<Answer, { kind: "replayed" }>;
