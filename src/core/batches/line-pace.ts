// The pace of lines, between those that start lines and the gateway, which knows where each of them goes.

/** The lines at one model with one credential. */
export interface LinePace {
  /** Returns how many more lines may go there now. `nowMs` is on the monotonic clock. */
  countRoom(nowMs: number): number;
}

/** Takes note of where a line goes. */
export interface LinePlacing {
  /** It may go to any of these, and so may the lines after it that ask for the same. Empty if any number may start. */
  plan(paces: readonly LinePace[]): void;
  /** It has gone to one of them, which counts it from now on. */
  place(): void;
}

/** For lines that are estimated, and never sent. */
export const NOWHERE: LinePlacing = { plan: () => {}, place: () => {} };
