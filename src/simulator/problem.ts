// Problems with a request or a provider, which each dialect renders with its own message and status.

export type Path = readonly (string | number)[];

/** The kinds of problem, with the status that most providers use. */
export const COMMON_STATUS = {
  no_key: 401,
  bad_key: 401,
  no_credit: 402,
  forbidden: 403,
  not_found: 404,
  media_type: 400,
  too_large: 413,
  bad_json: 400,
  missing: 400,
  unknown: 400,
  type: 400,
  value: 400,
  unsupported: 400,
  unprocessable: 422,
  rate_limit: 429,
  timeout: 408,
  server: 500,
  unavailable: 503,
  gateway_timeout: 504,
  overloaded: 503,
  context: 400,
  filter: 400,
};
export type ProblemKind = keyof typeof COMMON_STATUS;

export interface Problem {
  readonly kind: ProblemKind;
  readonly message: string;
  readonly path?: Path;
  /** The provider's own error code, if it is more specific than the kind's. */
  readonly code?: string;
  /** Overrides the dialect's status for the kind. */
  readonly status?: number;
  /** For `rate_limit`, `unavailable` and `overloaded`. */
  readonly retryAfterSeconds?: number;
}

/** Thrown for a request that a provider would refuse. */
export class Rejection extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** Throws a Rejection. */
export function reject(kind: ProblemKind, message: string, path: Path = [], code?: string): never {
  throw new Rejection({ kind, message, path, ...(code === undefined ? {} : { code }) });
}

/** Formats `["messages", 0, "role"]` like OpenAI: `messages[0].role`. */
export function formatBracketedPath(path: Path = []): string {
  return path
    .map((step, at) => (typeof step === "number" ? `[${step}]` : at === 0 ? step : `.${step}`))
    .join("");
}

/** Formats `["messages", 0, "role"]` like Anthropic: `messages.0.role`. */
export function formatDottedPath(path: Path = []): string {
  return path.join(".");
}
