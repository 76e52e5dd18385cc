// The pace of lines, between those that start lines and the gateway, which knows where each of them goes.

/** The lines at one model with one credential. */
export interface LinePace {
  /** The provider asked that no call goes there before. */
  readonly restsUntilMs: number;
  /** When it last gave anybody an answer, a 429 too. Minus infinity if it never did. */
  readonly answeredMs: number;
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

/** The requests of this process that are no lines: lines make way for them. */
export interface SingleRequests {
  /** All since the process began. */
  readonly entered: number;
  /** Those that haven't ended. */
  readonly singles: number;
  /** Those of them that the process itself works on, while others wait for a provider or a hook. */
  readonly working: number;
}
