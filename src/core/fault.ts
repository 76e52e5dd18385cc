// Failures are a closed table: status, type, who is to blame and whether another attempt may help all come from one row.
import type { RequestLimits } from "./record.ts";

export type FaultType =
  | "invalid_request_error"
  | "insufficient_quota"
  | "permission_error"
  | "rate_limit_error"
  | "api_error";

interface FaultRow {
  readonly status: number;
  readonly type: FaultType;
  readonly blame: "client" | "gateway" | "provider";
  /** Another provider, credential or moment may answer: the plan goes on. */
  readonly elsewhere?: true;
  /** Another model may still serve the request: a selector goes on, a plainly named model doesn't. */
  readonly otherModel?: true;
  /** The answer asks SDKs not to retry: `x-should-retry: false`. */
  readonly final?: true;
  /** The code shown to the client is null. */
  readonly codeless?: true;
}

const bad = { status: 400, type: "invalid_request_error", blame: "client" } as const;
const theirs = { type: "api_error", blame: "provider", elsewhere: true } as const;
const ours = { status: 503, type: "api_error", blame: "gateway" } as const;

export const FAULTS = {
  invalid_json: { ...bad, codeless: true },
  invalid_header: { ...bad },
  invalid_type: { ...bad },
  invalid_value: { ...bad },
  missing_required_parameter: { ...bad },
  unknown_parameter: { ...bad },
  decimal_above_max_value: { ...bad },
  decimal_below_min_value: { ...bad },
  integer_above_max_value: { ...bad },
  integer_below_min_value: { ...bad },
  array_above_max_length: { ...bad },
  string_above_max_length: { ...bad },
  empty_array: { ...bad },
  empty_string: { ...bad },
  object_above_max_properties: { ...bad },
  context_length_exceeded: { ...bad, otherModel: true },
  unsupported_capability: { ...bad, otherModel: true },
  /** It names what lies in the provider's account, or what no provider here can do. */
  unsupported_parameter: { ...bad },
  content_filter: { ...bad },
  /** The provider's own 400 or 422: its message and code are shown. */
  upstream_rejected: { ...bad, blame: "client" },
  no_api_key: { status: 401, type: "invalid_request_error", blame: "client", codeless: true },
  invalid_api_key: { status: 401, type: "invalid_request_error", blame: "client" },
  insufficient_balance: { status: 402, type: "insufficient_quota", blame: "client", final: true },
  model_not_priced: { status: 403, type: "permission_error", blame: "client" },
  model_not_allowed: { status: 403, type: "permission_error", blame: "client" },
  /** A signed-in browser was made to ask by another site's page. */
  cross_site_request: { status: 403, type: "permission_error", blame: "client" },
  model_not_found: { status: 404, type: "invalid_request_error", blame: "client", otherModel: true },
  not_found: { status: 404, type: "invalid_request_error", blame: "client" },
  unknown_url: { status: 404, type: "invalid_request_error", blame: "client" },
  method_not_supported: { status: 405, type: "invalid_request_error", blame: "client" },
  /** A route doesn't change what the file or the environment defines. */
  credential_configured: { status: 409, type: "invalid_request_error", blame: "client" },
  alias_configured: { status: 409, type: "invalid_request_error", blame: "client" },
  alias_exists: { status: 409, type: "invalid_request_error", blame: "client" },
  idempotency_mismatch: { status: 409, type: "invalid_request_error", blame: "client", final: true },
  idempotency_unavailable: { status: 409, type: "invalid_request_error", blame: "client", final: true },
  /** The body came too slowly. */
  request_timeout: { status: 408, type: "invalid_request_error", blame: "client" },
  request_too_large: { status: 413, type: "invalid_request_error", blame: "client", otherModel: true },
  unsupported_content_type: { status: 415, type: "invalid_request_error", blame: "client" },
  unsupported_content_encoding: { status: 415, type: "invalid_request_error", blame: "client" },
  /** A budget of the key or the account is used up. */
  budget_exceeded: { status: 429, type: "insufficient_quota", blame: "client", final: true },
  rate_limit_exceeded: { status: 429, type: "rate_limit_error", blame: "client", final: true },
  requests_per_minute_exceeded: { status: 429, type: "rate_limit_error", blame: "client" },
  too_many_parallel_requests: { status: 429, type: "rate_limit_error", blame: "client" },
  provider_busy: { ...theirs, status: 429, type: "rate_limit_error" },
  /** The client has disconnected: only the log shows this answer. */
  client_gone: { status: 499, type: "api_error", blame: "client", codeless: true },
  /** The time that the client itself allowed is over; it gets `upstream_timeout`. */
  client_timeout: { status: 504, type: "api_error", blame: "client" },
  internal_error: { status: 500, type: "api_error", blame: "gateway" },
  upstream_error: { ...theirs, status: 502 },
  upstream_auth: { ...theirs, status: 502 },
  upstream_timeout: { ...theirs, status: 504 },
  no_provider_available: { ...ours },
  store_unavailable: { ...ours },
  overloaded: { ...ours },
  shutting_down: { ...ours },
} as const satisfies Record<string, FaultRow>;

export type FaultCode = keyof typeof FAULTS;

export interface FaultDetails {
  /** The request field, as `messages[0].role`. */
  readonly param?: string | null;
  /** The wait before trying again, in milliseconds from now. */
  readonly retryAfterMs?: number;
  /** Unix milliseconds of the moment a refused request would pass: shown as `error.reset_at`. */
  readonly resetAtMs?: number;
  /** Methods that the path takes, for 405. */
  readonly allow?: string;
  /** The rest of the allowance that refused the request. */
  readonly limits?: RequestLimits;
  /** A provider's own error code, shown instead of ours. */
  readonly shownCode?: string | null;
  /** No connection to the provider came about, so no byte of the request was sent. */
  readonly unsent?: true;
  /** A connection kept from an earlier call was reset at once, as it is when the server had closed it before. */
  readonly stale?: true;
  /** The provider's HTTP status, for the log. */
  readonly upstreamStatus?: number;
  /** The store failed in such a way that the demand may have been written nevertheless. */
  readonly outcomeUnknown?: true;
  readonly cause?: unknown;
}

export class Fault extends Error {
  readonly code: FaultCode;
  readonly details: FaultDetails;

  constructor(code: FaultCode, message: string, details: FaultDetails = {}) {
    super(message, { cause: details.cause });
    this.name = "Fault";
    this.code = code;
    this.details = details;
  }

  get row(): FaultRow {
    return FAULTS[this.code];
  }
}

export interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string | null;
    readonly reset_at?: string;
  };
}

/** The error object that clients see. */
export function errorBody(fault: Fault): ErrorBody {
  const { param, shownCode, resetAtMs } = fault.details;
  const code = fault.row.codeless ? null : shownCode !== undefined ? shownCode : fault.code;
  const shown = { message: fault.message, type: fault.row.type, param: param ?? null, code };
  return {
    error: resetAtMs === undefined ? shown : { ...shown, reset_at: new Date(resetAtMs).toISOString() },
  };
}

/** Anything thrown, as a fault; what is not one is a bug of ours and shows nothing of itself. */
export function toFault(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown;
  return new Fault("internal_error", "The gateway failed to handle this request.", { cause: thrown });
}
