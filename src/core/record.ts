// The row that every request leaves: log line and bill at once.
import type { NanoUsd } from "./money.ts";
import type { Amounts } from "./units.ts";

/** The source of the token counts: the provider's report, our estimate of what was produced, or nothing was. */
export const USAGE_SOURCES = ["provider", "estimate", "none"] as const;
export type UsageSource = (typeof USAGE_SOURCES)[number];

/** The ways in which a request ends. `refused`: before any upstream was called; `lost`: its node died. */
export const ENDINGS = [
  "done",
  "client_gone",
  "upstream_failed",
  "broken_off",
  "timeout",
  "refused",
  "lost",
] as const;
export type Ended = (typeof ENDINGS)[number];

/** The part of a request that is known from its beginning: its hold has it, and its row. */
export interface RequestHead {
  /** The value of `x-request-id`. */
  readonly requestId: string;
  /** The operation that was asked for, such as `chat`. */
  readonly operation: string;
  /** The surface that it was asked at, such as `openai-chat`. */
  readonly surface: string;
  readonly modelAsked: string;
  readonly selector: string | null;
  readonly stream: boolean;
}

export interface RequestRecord extends RequestHead {
  /** The completion's id, ours: `chatcmpl-…`. */
  readonly id: string;
  readonly keyId: string;
  readonly accountId: string;
  readonly atMs: number;
  /** The card that was asked last; null when none was. */
  readonly modelTried: string | null;
  /** The card that answered; null when none did. */
  readonly modelUsed: string | null;
  /** The selector's reasons for its choice, as JSON (`KeptDecision`); null: the client named the model. */
  readonly decision: string | null;
  /** The course of the request and the parts of its cost, as JSON (`Trace`); null where nobody knows. */
  readonly trace: string | null;
  readonly attempts: number;
  /** The HTTP status that the client was given. */
  readonly status: number;
  readonly faultCode: string | null;
  readonly amounts: Amounts;
  /** The card's price of these tokens, markup included, even when free. */
  readonly costNanoUsd: NanoUsd;
  /** The charge to the balance. */
  readonly chargedNanoUsd: NanoUsd;
  /** The hold on the balance while it ran. */
  readonly holdNanoUsd: NanoUsd;
  readonly usageSource: UsageSource;
  readonly ended: Ended;
  readonly totalMs: number;
  readonly firstTokenMs: number | null;
}

/** A request's row before its settlement has decided who pays. */
export type UnsettledRecord = Omit<RequestRecord, "chargedNanoUsd" | "holdNanoUsd">;

/** True if it counts as failed: its client got an error, and did not just leave. */
export function isError(status: number): boolean {
  return status >= 400 && status !== CLIENT_GONE;
}

const CLIENT_GONE = 499;

/** The values of the rate-limit headers. */
export interface RequestLimits {
  readonly limit: number;
  readonly remaining: number;
  /** From the decision to the start of the next day, in milliseconds. */
  readonly resetMs: number;
}
