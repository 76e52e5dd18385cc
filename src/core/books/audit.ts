// The books as an audit sees them: each account's totals, and the counts that don't add up.
import type { Account } from "../keys/key.ts";
import type { NanoUsd } from "../money/money.ts";
import type { SystemAccount } from "./journal.ts";

/** An account's row beside the totals of its journal and its open holds. */
export interface AccountAudit
  extends Pick<Account, "id" | "balanceNanoUsd" | "heldNanoUsd" | "entries" | "receivableNanoUsd"> {
  readonly journalEntries: number;
  readonly journalBalanceNanoUsd: NanoUsd;
  readonly journalHeldNanoUsd: NanoUsd;
  /** Negative for what it owes. */
  readonly journalReceivableNanoUsd: NanoUsd;
  readonly openHoldsNanoUsd: NanoUsd;
  /** Entries whose balance doesn't follow from the one before. */
  readonly brokenEntries: number;
}

/** A count of an owner's limits that its open holds don't add up to. */
export interface LimitAudit {
  readonly accountId: string;
  readonly owner: string;
  /** The budget, or null for the requests under way. */
  readonly budget: string | null;
  /** Requests, or nano-dollars reserved. */
  readonly counted: number;
  readonly ofHolds: number;
}

/** Everything as of one moment. The totals may exceed what a number holds exactly. */
export interface Audit {
  readonly accounts: readonly AccountAudit[];
  readonly balances: bigint;
  readonly held: bigint;
  readonly system: Readonly<Record<SystemAccount, bigint>>;
  /** Entries without an account. */
  readonly strayEntries: number;
  /** Only those that are wrong. */
  readonly limits: readonly LimitAudit[];
}
