// Stops calls to a server that fails: for 10 s after five failures in a row, doubling to a minute. Time is an argument.

const FAILURES_MAX = 5;
const FIRST_MS = 10_000;
const LONGEST_MS = 60_000;

export class ToolBreaker {
  #failures = 0;
  /** The time from which a call may be tried again. Null while calls pass. */
  #openUntilMs: number | null = null;
  #pauseMs = FIRST_MS;
  #isTrying = false;

  /** Returns how long no call may be sent, or 0. Then the caller sends one, and reports how it ended. */
  enter(nowMs: number): number {
    if (this.#openUntilMs === null) return 0;
    const waitMs = this.#openUntilMs - nowMs;
    if (waitMs > 0) return waitMs;
    if (this.#isTrying) return this.#pauseMs;
    this.#isTrying = true;
    return 0;
  }

  isOpen(): boolean {
    return this.#openUntilMs !== null;
  }

  recordSuccess(): void {
    this.#failures = 0;
    this.#openUntilMs = null;
    this.#pauseMs = FIRST_MS;
    this.#isTrying = false;
  }

  /** The server, which had failed, has answered something else: a call may be tried at once. */
  recordReturn(nowMs: number): void {
    if (this.#openUntilMs !== null) this.#openUntilMs = Math.min(this.#openUntilMs, nowMs);
  }

  /** The call says nothing about the server: its client left before the answer. */
  recordNothing(): void {
    this.#isTrying = false;
  }

  recordFailure(nowMs: number): void {
    this.#failures++;
    const isTried = this.#isTrying;
    // Calls that were under way when it stopped the others don't make the pause longer.
    if (!isTried && (this.#openUntilMs !== null || this.#failures < FAILURES_MAX)) return;
    if (isTried) this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_MS);
    this.#isTrying = false;
    this.#openUntilMs = nowMs + this.#pauseMs;
  }
}
