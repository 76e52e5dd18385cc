// Cache marks that the gateway sets for clients that set none: when, and for how long a marked prompt is kept.

/** `off` sets none, `conversations` marks what is likely to go on, `auto` every request. */
export const CACHE_MARK_MODES = ["off", "conversations", "auto"] as const;
export type CacheMarkMode = (typeof CACHE_MARK_MODES)[number];

/** The operator's word for a provider. */
export interface MarkRules {
  /** Missing for the default. */
  readonly cacheMarks?: CacheMarkMode;
}

export const DEFAULT_MARKS: CacheMarkMode = "conversations";

/** The times for which Anthropic keeps a marked prompt. */
export const MARK_TIMES = ["5m", "1h"] as const;
export type MarkTime = (typeof MARK_TIMES)[number];

/** `resting` for a request that isn't marked because marks have cost more than they saved. */
export type PlannedMarks = MarkTime | "resting";
