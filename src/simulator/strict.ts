// Refusals: what can be wrong with a request or a provider, before a dialect says it in its own words.

export type Path = readonly (string | number)[];

/** What can be wrong with a request or with the provider; each dialect says in its own words and status. */
export type ProblemKind =
  | "no_key"
  | "bad_key"
  | "no_credit"
  | "forbidden"
  | "not_found"
  | "media_type"
  | "too_large"
  | "bad_json"
  | "missing"
  | "unknown"
  | "type"
  | "value"
  | "unsupported"
  | "unprocessable"
  | "rate_limit"
  | "timeout"
  | "server"
  | "unavailable"
  | "gateway_timeout"
  | "overloaded"
  | "context"
  | "filter";

export interface Problem {
  readonly kind: ProblemKind;
  readonly message: string;
  readonly path?: Path;
  /** The provider's own error code, where it has one that the kind doesn't say. */
  readonly code?: string;
  /** Instead of the dialect's own status for the kind. */
  readonly status?: number;
  /** For `rate_limit`, `unavailable` and `overloaded`. */
  readonly retryAfterSeconds?: number;
}

/** A request that a provider would refuse. */
export class Rejection extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** Refuses the request. */
export function reject(kind: ProblemKind, message: string, path: Path = [], code?: string): never {
  throw new Rejection({ kind, message, path, ...(code === undefined ? {} : { code }) });
}

/** `["messages", 0, "role"]` as OpenAI writes it: `messages[0].role`. */
export function bracketed(path: Path = []): string {
  return path
    .map((step, at) => (typeof step === "number" ? `[${step}]` : at === 0 ? step : `.${step}`))
    .join("");
}

/** `["messages", 0, "role"]` as Anthropic writes it: `messages.0.role`. */
export function dotted(path: Path = []): string {
  return path.join(".");
}

/** How many bytes base64 text stands for. */
export function base64Bytes(data: string): number {
  return Math.floor((data.replace(/=+$/, "").length * 3) / 4);
}
