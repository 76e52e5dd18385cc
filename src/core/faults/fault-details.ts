// The details of a failure beside its code: what clients are shown, what the log keeps, and what decides on retries.

import type { RefusingLimit, RequestLimits } from "../limits/limit.ts";
import type { Refusal } from "../models/refusals.ts";
import type { UpstreamReport } from "./failure.ts";
import type { FieldMistake } from "./field-mistake.ts";

/** A prompt that no model has room for. */
interface Overflow {
  /** An estimate, more than `promptTokensMax`. */
  readonly promptTokens: number;
  /** The largest room for a prompt, beside the output limit that the client asked for. */
  readonly promptTokensMax: number;
  /** A sentence about the other models, or empty. */
  readonly note: string;
}

export interface FaultDetails {
  /** The offending request field, such as `messages[0].role`. */
  readonly param?: string | null;
  /** Set if the field doesn't fit its schema. Not shown: the message says the same. */
  readonly mistake?: FieldMistake;
  /** Milliseconds to wait before a retry. */
  readonly retryAfterMs?: number;
  /** The time at which the request would be accepted, in Unix milliseconds. Shown as `error.reset_at`. */
  readonly resetAtMs?: number;
  /** Milliseconds until then, however long. `retryAfterMs` is only for waits that are worth it. */
  readonly resetsInMs?: number;
  /** The limit that refused the request. Shown as `error.limit`. */
  readonly limit?: RefusingLimit;
  /** The sizes by which a prompt is too long for every model. Surfaces say so in words that their clients know. */
  readonly overflow?: Overflow;
  /** The methods that the path supports, for a 405. */
  readonly allow?: string;
  /** The rest of the allowance that refused the request. */
  readonly limits?: RequestLimits;
  /** The reason of the hook that refused. Shown as `error.reason`. */
  readonly hookReason?: string;
  /** The provider's error code, shown instead of ours. */
  readonly shownCode?: string | null;
  /** The request has more tokens than the provider takes in a minute, however long the model's context is. */
  readonly beyondMinute?: true;
  /** No connection could be made, so nothing was sent. */
  readonly unsent?: true;
  /** The model itself gave its answer up, which its prompt may have caused. It doesn't count against the model's health. */
  readonly provoked?: true;
  /** A kept connection was reset right away, which happens if the server had already closed it. */
  readonly stale?: true;
  /** The key whose secret was sent, if it may not be used, or not like this. For the log, never shown to clients. */
  readonly key?: { readonly id: string; readonly accountId: string; readonly memberId: string | null };
  /** The refusals that the server's words name. Missing if they name none. */
  readonly refuses?: readonly Refusal[];
  /** The model doesn't exist: the provider has `said` so, or its 404 is `unexplained`. */
  readonly gone?: "said" | "unexplained";
  /** The provider's HTTP status, for the log. */
  readonly upstreamStatus?: number;
  /** The provider's own words and how the connection failed, for the operator. Never shown to clients. */
  readonly upstream?: UpstreamReport;
  /** The store failed in a way that leaves open whether the demand was written. */
  readonly outcomeUnknown?: true;
  /** The reason for the gateway's operator. Never shown to clients. */
  readonly reason?: string;
  readonly cause?: unknown;
}
