// Questions to the request log and to its hourly sums.
import type { Scope } from "../people/people.ts";
import type { EndingName, RequestOutcome, Transport } from "./record.ts";
import type { UsageSum } from "./usage-sum.ts";

/**
 * Rows must match every field given. The model is the one asked for, tried or used, the provider that of the model that
 * answered, or else of the one that was tried, or else of the first of the plan.
 */
export interface RequestFilter extends UsageFilter {
  readonly selector?: string | undefined;
  /** `ok`: below 400. `error`: as defined by `isError`. `hundreds`: of a class, such as 4 for 400 to 499. */
  readonly status?: number | "ok" | "error" | { readonly hundreds: number } | undefined;
  readonly ended?: EndingName | undefined;
  /** The value of `x-request-id`. */
  readonly requestId?: string | undefined;
  readonly memberId?: string | undefined;
  readonly batchId?: string | undefined;
  readonly address?: string | undefined;
  readonly session?: string | undefined;
  readonly transport?: Transport | undefined;
  /** The id of the WebSocket on which it came. */
  readonly socketId?: string | undefined;
  /** The tool server that was called. */
  readonly server?: string | undefined;
  /** The server's own name of the tool. */
  readonly tool?: string | undefined;
  /** The response of which it is a part. */
  readonly responseId?: string | undefined;
  /** A detector of the guard that found something, or `words:NAME`. */
  readonly finding?: string | undefined;
  /** The request's own trace, or the client's that it links to. */
  readonly traceId?: string | undefined;
  /** Matches either id, or part of a model's name or of the error's code. In lower case. */
  readonly text?: string | undefined;
  /** The time at which it began, from `fromMs` (inclusive) to `toMs` (exclusive). */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

export type UsageDimension =
  | "hour"
  | "accountId"
  | "keyId"
  | "model"
  | "operation"
  | "surface"
  | "member"
  | "provider"
  | "outcome"
  | "tag";

/**
 * Totals over the hours from `fromMs` (inclusive) to `toMs` (exclusive). Dimensions not grouped by are empty, or 0 for
 * the hour. By tag, a request is in the total of each of its tags, and in that with an empty one if it has none.
 */
export interface UsageQuery {
  readonly fromMs: number;
  readonly toMs: number;
  readonly groupBy: readonly UsageDimension[];
  /** Rows must match every field given. */
  readonly only?: UsageFilter;
}

/**
 * Dimensions of the sums of rows. The provider is that of the model. By finding, a request is in the total of each of its
 * findings, and only if it has some.
 */
export type RowDimension = Exclude<UsageDimension, "provider"> | "selector" | "finding";

/** Totals over the log's rows that a filter finds. Dimensions not grouped by are empty, or 0 for the hour. */
export interface RowSumsQuery {
  readonly groupBy: readonly RowDimension[];
  readonly only: RequestFilter;
}

/**
 * A sum of the log's rows. Its tag is the row's own text of tags, such as `env=prod,team=search`. Streamed answers are
 * summed apart by the bucket of their time to the first token (`findBucket`). Null for all others.
 */
export interface RowSum extends UsageSum {
  readonly bucket: number | null;
  /** `Router#fair`. Empty for requests that named a model, and in sums over all selectors. */
  readonly selector: string;
  /** Detector, action and place, such as `email report request`. Empty in sums over all findings. */
  readonly finding: string;
}

/** The keys with the most requests in a sum, and the number of all that have some. */
export interface BusiestKeys {
  readonly total: number;
  readonly keys: readonly Pick<UsageSum, "keyId" | "accountId" | "requests">[];
}

export interface UsageFilter {
  readonly accountId?: string | undefined;
  readonly keyId?: string | undefined;
  /** A few hundred at most. */
  readonly keyIds?: readonly string[] | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly operation?: string | undefined;
  readonly surface?: string | undefined;
  readonly outcome?: RequestOutcome | undefined;
  readonly memberId?: string | undefined;
  /** `team=search`, or `untagged` for requests without any. Of sums, also `other`. */
  readonly tag?: string | undefined;
  /** The rows that the viewer sees. Missing for all. */
  readonly scope?: Scope | undefined;
}

/** Rows found in a limited time. */
export interface SearchPage<Row> {
  readonly rows: readonly Row[];
  /** The time down to which all rows were looked at (Unix milliseconds). Null if nothing is left but later pages. */
  readonly scannedUntilMs: number | null;
}
