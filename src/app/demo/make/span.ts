// The time that a demo's month covers.

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export interface Span {
  readonly startMs: number;
  /** The moment at which it ends. */
  readonly endMs: number;
}

/** The month begins on a day's midnight. */
export function findSpan(days: number, endMs: number): Span {
  return { startMs: Math.floor((endMs - days * DAY_MS) / DAY_MS) * DAY_MS, endMs };
}
