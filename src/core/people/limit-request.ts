// Requests for more: somebody asks for a higher limit of theirs in an account until a time, and somebody else decides.
import type { AskedLimit } from "../limits/member-limits.ts";
import type { Actor, Scope } from "./people.ts";

export const REQUEST_STATES = ["open", "granted", "refused"] as const;

export interface LimitRequest extends AskedLimit {
  /** `lrq_…` */
  readonly id: string;
  readonly accountId: string;
  readonly memberId: string;
  /** Added to the limit: nano-dollars for a budget, else requests or tokens. */
  readonly amount: number;
  readonly reason: string;
  readonly createdAtMs: number;
  /** The end of what is added, Unix milliseconds. A request that is still open by then has ended too. */
  readonly untilMs: number;
  readonly state: (typeof REQUEST_STATES)[number];
  /** Null while it is open. */
  readonly decidedAtMs: number | null;
  readonly deciderKind: Actor["kind"] | null;
  readonly deciderId: string | null;
  /** The decider's words. */
  readonly note: string | null;
}

/** A request with the names of the people in it, as they are now. Empty if unknown. */
export interface NamedLimitRequest {
  readonly request: LimitRequest;
  readonly memberName: string;
  readonly deciderName: string;
}

export interface LimitRequestFilter {
  readonly accountId?: string | undefined;
  readonly memberId?: string | undefined;
  readonly states?: readonly LimitRequest["state"][] | undefined;
  /** Unix milliseconds: only those whose end is later, or not. */
  readonly endsAfterMs?: number | undefined;
  readonly endsByMs?: number | undefined;
  readonly scope: Scope;
}

/** The store's methods on requests for more. Each is one transaction, as in `Store`. */
export interface LimitRequestStore {
  /** Newest first, up to this many, after the position. */
  list(
    filter: LimitRequestFilter,
    page: { readonly limit: number; readonly after: { atMs: number; id: string } | null },
  ): Promise<readonly NamedLimitRequest[]>;
  find(id: string, scope: Scope): Promise<NamedLimitRequest | null>;
  /** Erases the texts of a person's requests. */
  forgetTexts(memberId: string): Promise<void>;
}
