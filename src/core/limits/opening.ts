// Budgets that open within their window, and the sums that they begin with.
import type { NanoUsd } from "../money/money.ts";

/** A budget that opens within its window, with the sums of what its owner has used there. */
export interface Opening {
  readonly owner: string;
  /** The key whose requests are summed. Null for all of the account. */
  readonly keyId: string | null;
  /** The member the requests of whose keys are summed. Missing for none. */
  readonly memberId?: string;
  /** The start of the window, in Unix milliseconds. */
  readonly fromMs: number;
}

/** A member has budgets in each account of its keys. */
export function makeOpeningId(accountId: string, { owner, fromMs }: Opening): string {
  return `${accountId} ${owner} ${fromMs}`;
}

/** The price of an owner's requests to one model, answered or not. */
export interface ModelSum {
  /** Empty if none was called. */
  readonly model: string;
  readonly costNanoUsd: NanoUsd;
}
