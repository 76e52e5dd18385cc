// Card payments: a checkout is a payment's row here, and a taking is what a refund or a dispute took of it.
import type { AuditEntry } from "../audit/audit-log.ts";
import type { Account } from "../keys/key.ts";
import type { NanoUsd } from "../money/money.ts";
import type { Funding, Movement } from "./movement.ts";

/** The field of the metadata in which Stripe keeps our id. */
export const CHECKOUT_FIELD = "poundkey_checkout";

/** Money that came is never forgotten: a checkout that is paid stays so. */
export const CHECKOUT_STATES = ["open", "expired", "failed", "paid"] as const;

export const TAKING_KINDS = ["refund", "dispute"] as const;
/** In the only order in which they follow each other: events may come in any. A warning moves no money. */
export const TAKING_STATES = ["warning", "taken", "returned"] as const;

/** A refund or a dispute as one event tells of it. */
export interface TakingStep {
  readonly kind: (typeof TAKING_KINDS)[number];
  /** The refund's or the dispute's own id: `re_…`, `dp_…`, `du_…`. */
  readonly id: string;
  readonly state: (typeof TAKING_STATES)[number];
  readonly nanoUsd: NanoUsd;
}

export interface Taking extends TakingStep {
  /** The amount that has left the account for it. Less than `nanoUsd` if others had taken the rest of the payment. */
  readonly takenNanoUsd: NanoUsd;
}

/** A card payment for an account, from before it is asked for. */
export interface Checkout {
  /** `chk_…`, by which the provider's events name it. */
  readonly id: string;
  readonly accountId: string;
  readonly createdAtMs: number;
  /** The amount that was asked for. */
  readonly nanoUsd: NanoUsd;
  readonly by: Movement["by"];
  /** The page where it is paid. Null until the provider has answered. */
  readonly page: { readonly sessionId: string; readonly url: string } | null;
  readonly state: (typeof CHECKOUT_STATES)[number];
  /** The provider's id of the payment. Null until it is paid. */
  readonly paymentId: string | null;
  /** The amount that was credited. */
  readonly paidNanoUsd: NanoUsd;
  readonly takings: readonly Taking[];
}

/** The part of an event that concerns a checkout. */
export type CheckoutStep =
  | { readonly kind: "paid"; readonly paymentId: string | null; readonly nanoUsd: NanoUsd }
  | { readonly kind: "ended"; readonly state: "expired" | "failed" }
  | TakingStep;

/** Moves the money of a step. Repeating it changes nothing. */
export interface CheckoutChange extends Pick<Funding, "accountId" | "nowMs" | "timeZone"> {
  readonly kind: "checkout";
  readonly checkoutId: string;
  readonly step: CheckoutStep;
  /** Put on record if it moves money. */
  readonly entry: AuditEntry;
}

/** The account and the checkout after a step, and whether the step changed anything. */
export interface CheckoutOutcome {
  readonly account: Account;
  readonly checkout: Checkout;
  readonly isNew: boolean;
}

/** A refund or a dispute of a payment that isn't known yet, or belongs to somebody else. */
export interface StrayTaking extends TakingStep {
  readonly paymentId: string;
  readonly atMs: number;
}

/** The checkouts of an account that nobody has paid. */
export interface UnpaidCheckouts {
  readonly inAccount: number;
  /** Those that the sender of the added one began. */
  readonly ofSender: number;
}

/** The store's methods on card payments. Each is one transaction, as in `Store`. */
export interface CheckoutStore {
  find(id: string): Promise<Checkout | null>;
  findByPayment(paymentId: string): Promise<Checkout | null>;
  setPage(checkout: Pick<Checkout, "accountId" | "id">, page: NonNullable<Checkout["page"]>): Promise<void>;
  /** Keeps a stray until its payment is known. Deletes those from before a time, and the oldest beyond a number. */
  keepStray(stray: StrayTaking, bound: { readonly beforeMs: number; readonly most: number }): Promise<void>;
  strays(paymentId: string): Promise<readonly StrayTaking[]>;
}

/** Rules for top-ups by card. */
export interface StripeRules {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** The amounts that can be paid. */
  readonly amountsUsd: readonly number[];
  /** Stands before `/v1/checkout/sessions`. */
  readonly apiBase: string;
  readonly publicUrl: string;
}

/** The addresses to which a payer comes back. */
interface ReturnUrls {
  readonly paidUrl: string;
  readonly cancelledUrl: string;
}

/** The call that opens the page of a checkout. */
export interface CheckoutPages {
  /** May be repeated with the same checkout: it then returns the same page. Throws a Fault. */
  open(
    rules: StripeRules,
    checkout: Pick<Checkout, "id" | "accountId" | "nanoUsd" | "createdAtMs">,
    urls: ReturnUrls,
  ): Promise<NonNullable<Checkout["page"]>>;
}
