// The closed table of failures: status, type, who is to blame, and whether another attempt may help.

import type { RefusingLimit } from "../limits/limit.ts";
import type { FailureKind } from "./failure-kinds.ts";
import type { FaultDetails } from "./fault-details.ts";

type FaultType =
  | "invalid_request_error"
  | "insufficient_quota"
  | "permission_error"
  | "rate_limit_error"
  | "api_error";

export interface FaultRow {
  readonly status: number;
  readonly type: FaultType;
  readonly blame: "client" | "gateway" | "provider";
  /** Another provider, credential or moment may succeed, so failover continues. */
  readonly elsewhere?: true;
  /** Leads to the fallbacks that are for it, if it is a provider's. */
  readonly leadsOn?: FailureKind;
  /** Another model may succeed: selectors continue, a named model does not. */
  readonly otherModel?: true;
  /** Tells SDKs not to retry, with `x-should-retry: false`. */
  readonly final?: true;
  /** Shows the client a code of null. */
  readonly codeless?: true;
  /**
   * The consequence for a line of a batch. Without one, the line ends. `stops`: no line starts before money, time or the
   * operator has healed it. `crowded`: its turn comes again. `again`: it is tried until the window ends. `tries`: it is tried a
   * few times.
   */
  readonly line?: "stops" | "crowded" | "again" | "tries";
  /** A sentence for operators on how to let such a request pass. `{until}` is the time from which it would pass. */
  readonly wayOut?: string;
}

const bad = { status: 400, type: "invalid_request_error", blame: "client" } as const;
const denied = { status: 403, type: "permission_error", blame: "client" } as const;
const missing = { status: 404, type: "invalid_request_error", blame: "client" } as const;
const conflict = { status: 409, type: "invalid_request_error", blame: "client" } as const;
const upgrade = { status: 426, type: "invalid_request_error", blame: "client" } as const;
const limited = { status: 429, type: "rate_limit_error", blame: "client" } as const;
const theirs = { type: "api_error", blame: "provider", elsewhere: true, leadsOn: "failed" } as const;
const ours = { status: 503, type: "api_error", blame: "gateway" } as const;

export const FAULTS = {
  invalid_json: { ...bad, codeless: true },
  invalid_header: { ...bad },
  invalid_type: { ...bad },
  invalid_value: { ...bad },
  /** Only a batch that hasn't ended is cancelled, and only one that has is deleted. */
  batch_ended: { ...bad },
  batch_not_ended: { ...bad },
  /** A sealed item of a conversation that was changed, or is another account's. */
  invalid_encrypted_content: { ...bad },
  /** A role, token or raise would last longer than the role by which it is given. */
  beyond_own_end: { ...bad, wayOut: "Set an end that isn't later than that of your own role." },
  missing_required_parameter: { ...bad },
  /** The files of the account, or of all, would take more than is allowed, or the disk is nearly full. */
  storage_limit_exceeded: {
    ...bad,
    wayOut: "Delete files that nobody needs, or raise `files.max_bytes_per_account` or `files.max_bytes`.",
  },
  /** Nothing known on this connection or kept here has that id. Clients send their whole conversation then. */
  previous_response_not_found: { ...bad },
  invalid_stream_id: { ...bad },
  /** More lanes than a connection may have in its life. */
  websocket_stream_limit_reached: { ...bad },
  /** The connection has reached its age. Clients open another. */
  websocket_connection_limit_reached: { ...bad },
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
  context_length_exceeded: { ...bad, otherModel: true, leadsOn: "overflow" },
  unsupported_capability: { ...bad, otherModel: true },
  /** The request names something in the provider's account, or something that no provider here supports. */
  unsupported_parameter: { ...bad },
  content_filter: { ...bad, leadsOn: "filter" },
  /** A hook of the operator refused the request or the answer. */
  content_blocked: { ...bad, wayOut: "Change what the hook refuses, or the hook." },
  /** The provider's own 400 or 422. Its message and code are shown. */
  upstream_rejected: { ...bad, blame: "client", leadsOn: "refused" },
  no_api_key: {
    status: 401,
    type: "invalid_request_error",
    blame: "client",
    codeless: true,
    wayOut: "Send a key: 'Authorization: Bearer sk-…'.",
  },
  invalid_api_key: {
    status: 401,
    type: "invalid_request_error",
    blame: "client",
    wayOut: "Send the secret of a key that is neither revoked nor expired. A new one can be made under Keys.",
  },
  /** A personal key whose member may use none in its account, or the secret of an agent after its sign-in's end. */
  sign_in_required: {
    status: 401,
    type: "invalid_request_error",
    blame: "client",
    line: "stops",
    final: true,
    wayOut: "Sign in again.",
  },
  insufficient_balance: {
    status: 402,
    type: "insufficient_quota",
    blame: "client",
    line: "stops",
    final: true,
    wayOut: "Top up the account.",
  },
  model_not_priced: { ...denied, wayOut: "Give the model a price, or ask for one that has a price." },
  model_not_allowed: {
    ...denied,
    wayOut: "Ask for a model that the key may use, or add this one to its allowed models.",
  },
  /** The key may not use the tool. Only operators see this: to its clients, there is no such tool. */
  tool_not_allowed: {
    ...denied,
    wayOut: "Add the tool to `allowed_tools` of the key, its member or its account, or call another one.",
  },
  /** The operator has paused the key. */
  key_paused: { ...denied, line: "stops", wayOut: "Resume the key, or its account." },
  /** Money is due after a disputed card payment. */
  account_paused: {
    ...denied,
    line: "stops",
    final: true,
    wayOut: "Have what is due paid, or resume the account.",
  },
  /** The key is limited to other client addresses. */
  address_not_allowed: {
    ...denied,
    wayOut: "Add the address to the key's allowed addresses, or send from one of them.",
  },
  /** The role of the person or token doesn't permit it. */
  not_permitted: { ...denied },
  /** Only a demo refuses so: it is there to be looked at. */
  read_only: { ...denied, final: true, wayOut: "Start a gateway of your own." },
  /** Somebody would change their own role, its end, or whether they are let in. */
  own_grants: { ...denied, wayOut: "Ask another admin." },
  /** Another site's page made a signed-in browser send the request. */
  cross_site_request: { ...denied },
  model_not_found: {
    ...missing,
    otherModel: true,
    leadsOn: "gone",
    wayOut: "Ask for a model that is on, make an alias of this name, or turn its provider on.",
  },
  /** The provider no longer has a model whose last day is over. */
  model_ended: {
    ...missing,
    otherModel: true,
    leadsOn: "gone",
    wayOut: "Ask for the model that follows it, or have its alias name another one.",
  },
  /** No interaction with that id is kept here for its owner. */
  interaction_not_found: { ...missing, wayOut: "Ask for one that `responses.keep` still keeps." },
  not_found: { ...missing, wayOut: "Ask for something that exists." },
  batch_not_found: { ...missing },
  file_not_found: { ...missing },
  unknown_url: { ...missing },
  method_not_supported: { status: 405, type: "invalid_request_error", blame: "client" },
  /** Clients go on by HTTP at once. */
  too_many_sockets: {
    ...upgrade,
    wayOut: "Close connections that nobody needs, or raise the bound in `responses.sockets`.",
  },
  websockets_off: { ...upgrade, wayOut: "Go on by HTTP, or turn `responses.sockets.on` on." },
  /** Routes can't change settings from the file or the environment. */
  credential_configured: { ...conflict },
  alias_configured: { ...conflict },
  model_configured: { ...conflict },
  /** No list was compared, or accepted prices have no file to go to. */
  catalogue_not_writable: { ...conflict },
  /** Another list of prices was compared since the one whose changes are accepted. */
  catalogue_changed: { ...conflict },
  alias_exists: { ...conflict },
  /** A revoked key can't get another secret. */
  key_revoked: { ...conflict },
  /** Another secret of an expired key would not work either. */
  key_expired: { ...conflict },
  /** The person waits for a decision about more of the same limit already. */
  limit_request_open: { ...conflict },
  /** Somebody has decided about the request for more, or its time is over. */
  limit_request_closed: { ...conflict },
  /** A batch has lines that may still read the file. */
  file_in_use: { ...conflict, wayOut: "Cancel the batch that reads it, or wait for its end." },
  account_closed: { ...conflict },
  deactivated_by_directory: { ...conflict },
  /** The balance of an account that is to be closed, or one that is less than what is to be taken from it. */
  balance_left: { ...conflict },
  balance_too_low: { ...conflict },
  /** Two keys of an account, or two accounts, have the name that a PUT by name means. */
  name_ambiguous: { ...conflict },
  /** An account would look like another one that a rule of the sign-in names. */
  name_in_use: { ...conflict },
  /** Nodes of an older program run, which wouldn't keep what a change sets. */
  older_nodes: { ...conflict, wayOut: "Replace the nodes that it names, then do it again." },
  idempotency_mismatch: { ...conflict, final: true },
  idempotency_unavailable: { ...conflict, final: true },
  /** The body arrived too slowly. */
  request_timeout: { status: 408, type: "invalid_request_error", blame: "client" },
  request_too_large: {
    status: 413,
    type: "invalid_request_error",
    blame: "client",
    otherModel: true,
    leadsOn: "overflow",
    wayOut: "Send a smaller request, or raise server.body_limit.",
  },
  unsupported_content_type: { status: 415, type: "invalid_request_error", blame: "client" },
  unsupported_content_encoding: { status: 415, type: "invalid_request_error", blame: "client" },
  /** The key's or the account's budget is used up. */
  budget_exceeded: {
    status: 429,
    type: "insufficient_quota",
    blame: "client",
    line: "stops",
    final: true,
    wayOut: "Raise the budget, or wait{until}.",
  },
  rate_limit_exceeded: {
    ...limited,
    line: "stops",
    final: true,
    wayOut: "Top up the account, raise the key's requests per day, or wait{until}.",
  },
  /** The rest of a budget is reserved by requests in flight. */
  budget_reserved: {
    ...limited,
    line: "crowded",
    wayOut: "Wait until running requests have ended, or raise the budget.",
  },
  /** The account has as many batches that haven't ended as it may. */
  too_many_batches: {
    ...limited,
    wayOut: "Wait for a batch to end, cancel one, or raise `batches.unfinished`.",
  },
  /** A person makes or rotates personal keys too often, or changes too much in a minute. */
  too_many_changes: { ...limited, wayOut: "Use what is there already, or wait{until}." },
  /** Too many checkouts wait to be paid. */
  too_many_checkouts: { ...limited, wayOut: "Pay one of them, or wait{until}." },
  requests_per_minute_exceeded: {
    ...limited,
    line: "crowded",
    wayOut: "Send fewer requests a minute, or raise the limit.",
  },
  tokens_per_minute_exceeded: {
    ...limited,
    line: "crowded",
    wayOut: "Send fewer tokens a minute, or raise the limit.",
  },
  too_many_parallel_requests: {
    ...limited,
    line: "crowded",
    wayOut: "Send fewer requests at the same time, or raise the limit.",
  },
  provider_busy: { ...theirs, line: "again", status: 429, type: "rate_limit_error" },
  /** The client has disconnected. Only the log shows this. */
  client_gone: { status: 499, type: "api_error", blame: "client", codeless: true },
  /** The client's own time limit has passed. It is shown `upstream_timeout`. */
  client_timeout: { status: 504, type: "api_error", blame: "client" },
  internal_error: { status: 500, type: "api_error", blame: "gateway" },
  upstream_error: { ...theirs, line: "tries", status: 502 },
  upstream_auth: { ...theirs, line: "again", status: 502 },
  upstream_timeout: { ...theirs, line: "tries", status: 504 },
  /** A tool server (MCP) was not reached, failed, or is not asked at the moment. Clients get these as results of calls. */
  tool_server_unavailable: { status: 503, type: "api_error", blame: "provider" },
  tool_server_busy: { status: 429, type: "rate_limit_error", blame: "provider" },
  tool_server_auth: { status: 502, type: "api_error", blame: "provider" },
  tool_credential_missing: { ...bad },
  tool_server_error: { status: 502, type: "api_error", blame: "provider" },
  tool_timeout: { status: 504, type: "api_error", blame: "provider" },
  tool_result_too_large: { status: 502, type: "api_error", blame: "provider" },
  /** The server asks its client for something that the gateway doesn't pass on. */
  tool_input_unsupported: { status: 502, type: "api_error", blame: "provider" },
  cache_miss: { status: 504, type: "api_error", blame: "client" },
  no_provider_available: { ...ours, line: "again" },
  store_unavailable: { ...ours, line: "again" },
  overloaded: { ...ours, line: "again" },
  shutting_down: { ...ours, line: "again" },
  /** A hook could not be asked, and what it would judge doesn't pass without it. */
  hook_unavailable: { ...ours, line: "again" },
} as const satisfies Record<string, FaultRow>;

export type FaultCode = keyof typeof FAULTS;

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
    readonly limit?: ShownLimit;
    readonly reason?: string;
  };
}

/** The limit that refused a request, as clients see it. */
interface ShownLimit extends Omit<RefusingLimit, "resetsAtMs"> {
  readonly reserved: number;
  readonly resets_at: string | null;
}

/** The error object shown to clients. */
export function errorBody(fault: Fault): ErrorBody {
  const { param, shownCode, resetAtMs, limit, hookReason } = fault.details;
  const code = fault.row.codeless ? null : shownCode !== undefined ? shownCode : fault.code;
  return {
    error: {
      message: fault.message,
      type: fault.row.type,
      param: param ?? null,
      code,
      ...(resetAtMs === undefined ? {} : { reset_at: formatTime(resetAtMs) }),
      ...(limit ? { limit: showLimit(limit) } : {}),
      ...(hookReason === undefined ? {} : { reason: hookReason }),
    },
  };
}

/** Returns a limit as clients see it. */
export function showLimit({ resetsAtMs = null, reserved = 0, ...limit }: RefusingLimit): ShownLimit {
  return { ...limit, reserved, resets_at: resetsAtMs === null ? null : formatTime(resetsAtMs) };
}

function formatTime(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** Converts anything thrown to a fault. An unexpected error is our bug, and none of its text is shown. */
export function toFault(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown;
  return new Fault("internal_error", "The gateway failed to handle this request.", { cause: thrown });
}
