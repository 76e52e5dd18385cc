// When a server's list is asked for again, and how long what it last said is shown meanwhile. Time is an argument.

const FRESH_MS = 60_000;
/** The longest that a list is shown while its server fails to give another. */
const SHOWN_MS = 600_000;
/** The time after a failure in which the server isn't asked again, and no list waits for it. */
const PAUSE_MS = 10_000;

export interface ListTimes {
  /** The time at which the list was taken. Null if there is none. */
  readonly takenAtMs: number | null;
  /** The time at which asking last failed, if it has failed since. */
  readonly failedAtMs: number | null;
  /** True if the server has said that its list has changed. */
  readonly isOutdated: boolean;
}

interface ListPlan {
  /** True if the list that is there may be shown at once. */
  readonly canShow: boolean;
  readonly mustAsk: boolean;
}

export function planList({ takenAtMs, failedAtMs, isOutdated }: ListTimes, nowMs: number): ListPlan {
  const isPaused = failedAtMs !== null && nowMs - failedAtMs < PAUSE_MS;
  if (takenAtMs === null) return { canShow: false, mustAsk: !isPaused };
  const ageMs = nowMs - takenAtMs;
  const isFresh = ageMs < FRESH_MS && !isOutdated;
  return { canShow: ageMs < SHOWN_MS, mustAsk: !isFresh && !isPaused };
}
