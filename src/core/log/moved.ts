// The reasons for which a turn of a conversation is served elsewhere than at the first place of its order.

/**
 * `needs`: the model can't take the request, or costs more than it may. `load`: a new conversation goes where more is free.
 * `failover`: the call to the first place failed.
 */
export const MOVE_CAUSES = [
  "limit",
  "rest",
  "breaker",
  "retired",
  "gone",
  "needs",
  "load",
  "failover",
] as const;
export type MoveCause = (typeof MOVE_CAUSES)[number];
