// Demands on the books, the rows they are decided on, the answers and the decisions.
import type { Fault } from "./fault.ts";
import type { Account, GatewayKey } from "./key.ts";
import type { BillLine, NanoUsd } from "./money.ts";
import type { RequestHead, RequestLimits, RequestRecord, UnsettledRecord } from "./record.ts";
import type {
  Entry,
  FirstTokenSum,
  Hold,
  KeptReply,
  Meter,
  Place,
  Slot,
  Spend,
  TopUp,
  UsageSum,
} from "./rows.ts";
import type { BillingRules, QuotaRules } from "./settings.ts";

/** The maximum cost of a request on one card of its plan, for the hold. */
export interface Offer {
  /** The card's id. */
  readonly card: string;
  /** False: the model has no price, so no balance can pay for it and no budget counts it. */
  readonly isPriced: boolean;
  /** The cost before a token of output, for all choices. */
  readonly lines: readonly BillLine[];
  readonly outputUsdPerMillion: number;
  readonly choices: number;
  /** The client had to name a limit: it says how much may come, not how much is expected. */
  readonly isLimitRequired: boolean;
  /** The client's limit of output per choice, as far as the model has room for it; null: the client named none. */
  readonly outputTokensAsked: number | null;
  /** The model's own limit; null: not known. */
  readonly outputTokensMax: number | null;
}

/** The rows that a demand is decided on: the store reads them inside the transaction, without knowing what for. */
export interface Reads {
  readonly accountId: string;
  readonly keyId: string | null;
  /** The owners whose slots are read, and with `days` their meters. */
  readonly owners: readonly string[];
  readonly days: readonly string[];
  /** The request whose hold is wanted, and its row where there is no hold. */
  readonly requestId: string | null;
  /** Its id was made for this demand, so neither can be there. A repeated demand doesn't carry it. */
  readonly isNew?: boolean;
  readonly replyId: string | null;
  readonly topUpId: string | null;
}

/** A request asks to be let in. Asked again with the same id it replaces what it was given before. */
export interface Admission extends RequestHead {
  readonly kind: "admit";
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly node: string;
  /** The one moment that the whole decision is about, Unix milliseconds. */
  readonly nowMs: number;
  readonly quota: QuotaRules;
  readonly billing: BillingRules;
  /** The number of answers asked for: each takes a place. */
  readonly answers: number;
  /** The most that it may cost on each card of its plan, in the plan's order. */
  readonly offers: readonly Offer[];
  /** False: the model that was named has no price, so the balance doesn't pay for a fallback either. */
  readonly isPayable: boolean;
  /** True: the balance need not cover the plan's first card, any other of a group will do. */
  readonly isGroup?: boolean;
  readonly idempotency: { readonly replyId: string; readonly bodyDigest: string } | null;
  readonly reads: Reads;
}

/** The places and charges that a request gets back because the provider or the gateway failed it. */
export interface GiveBack {
  /** Answers that were failed: as many places come back, within the owner's bound for the day. */
  readonly answers: number;
  /** False: no byte of the request reached a provider, so the bound doesn't apply. */
  readonly isBounded: boolean;
  /** The row to write instead once the bound is reached: a refused prompt then costs what it is estimated at. */
  readonly beyond: UnsettledRecord | null;
}

/** A request has ended. Repeating it changes nothing: its hold is gone. */
export interface Settlement {
  readonly kind: "settle";
  readonly accountId: string;
  readonly nowMs: number;
  readonly record: UnsettledRecord;
  /** True if a provider produced any part of an answer: then the request's Idempotency-Key stays used. */
  readonly produced: boolean;
  /** True if the row's cost is owed; false: it stands there to be seen. */
  readonly isDue: boolean;
  readonly giveBack: GiveBack;
  /** The folded reply, encrypted, for those who ask again; null: it is too large, or it broke off. */
  readonly sealedReply: string | null;
  readonly reads: Reads;
}

/** Money comes in. Repeating it with the same id changes nothing. */
export interface Funding {
  readonly kind: "fund";
  readonly accountId: string;
  readonly id: string;
  readonly nowMs: number;
  readonly nanoUsd: NanoUsd;
  readonly note: string | null;
  readonly reads: Reads;
}

/** Plain data, so that it can be sent to the process that owns the store. */
export type Demand = Admission | Settlement | Funding;

export interface Granted {
  readonly kind: "granted";
  readonly place: Place;
  readonly limits: RequestLimits | null;
  readonly holdNanoUsd: NanoUsd;
  /** By card, the output per choice that the hold covers; cards left out may not be called. null: nothing is held. */
  readonly outputTokens: Readonly<Record<string, number>> | null;
}

export type Answer =
  | Granted
  /** The same request was answered before. */
  | { readonly kind: "replayed"; readonly sealed: string }
  /** The same request is being answered, by the completion of that id. */
  | { readonly kind: "pending"; readonly id: string }
  /** `late`: somebody had already resolved it as lost, so nothing was charged. */
  | {
      readonly kind: "settled";
      readonly chargedNanoUsd: NanoUsd;
      readonly holdNanoUsd: NanoUsd;
      readonly writtenOffNanoUsd: NanoUsd;
      readonly late: boolean;
    }
  | { readonly kind: "funded"; readonly account: Account }
  | { readonly kind: "refused"; readonly fault: Fault };

/** Rows as read inside the transaction; what was looked for and not found is null or missing. */
export interface Rows {
  readonly accounts: ReadonlyMap<string, Account | null>;
  readonly keys: ReadonlyMap<string, GatewayKey | null>;
  /** By the key's id. */
  readonly spends: ReadonlyMap<string, Spend | null>;
  /** By `meterIdOf`. */
  readonly meters: ReadonlyMap<string, Meter | null>;
  /** By owner. */
  readonly slots: ReadonlyMap<string, Slot | null>;
  readonly holds: Pick<ReadonlyMap<string, Hold | null>, "get">;
  /** Only those whose hold is gone. */
  readonly requests: ReadonlyMap<string, RequestRecord | null>;
  readonly replies: ReadonlyMap<string, KeptReply | null>;
  readonly topUps: ReadonlyMap<string, TopUp | null>;
}

/** The ids of rows that go are told apart by account, which every key of the store begins with. */
export interface Gone {
  readonly accountId: string;
  readonly id: string;
}

/** The decision on a batch of demands: an answer for each, in order, and the rows to write before any is let go. */
export interface Decision {
  readonly answers: readonly Answer[];
  readonly accounts: readonly Account[];
  readonly spends: readonly Spend[];
  readonly meters: readonly Meter[];
  readonly slots: readonly Slot[];
  readonly holds: readonly Hold[];
  readonly holdsGone: readonly Gone[];
  readonly entries: readonly Entry[];
  readonly requests: readonly RequestRecord[];
  readonly replies: readonly KeptReply[];
  readonly repliesGone: readonly Gone[];
  readonly topUps: readonly TopUp[];
  /** Amounts that are added to the hour's row. */
  readonly usage: readonly UsageSum[];
  /** Counts that are added in the same way. */
  readonly firstTokens: readonly FirstTokenSum[];
}

/** Pure, and run again when a transaction has to be. */
export type Decide = (rows: Rows, demands: readonly Demand[]) => Decision;
