// A model that its provider may not have any more: it rests, so that requests go to others at once.
import type { ModelHealth } from "../core/health/health.ts";

const MINUTE_MS = 60_000;

/** Times are on the monotonic clock. */
export class Absence {
  /** Until when nobody but those who name it asks for it. Null if the provider has it. */
  #untilMs: number | null = null;
  #wasGone = false;
  /** True until an answer has said so. */
  isUnknown = true;
  /** The last answer that said so without words, and the account that asked. */
  #missed: { readonly accountId: string; readonly atMs: number } | null = null;

  isGone(nowMs: number): boolean {
    return this.#untilMs !== null && nowMs < this.#untilMs;
  }

  /** Null if it was never missed. */
  get state(): ModelHealth["absence"] {
    if (this.#untilMs !== null) return "gone";
    return this.#wasGone ? "back" : null;
  }

  /** Called before each call: if the rest is over, this call finds out whether it is back, and the others go on resting. */
  recordCall(nowMs: number): void {
    if (this.#untilMs !== null && nowMs >= this.#untilMs) this.#untilMs = nowMs + MINUTE_MS;
  }

  recordSuccess(): void {
    this.#untilMs = null;
    this.#missed = null;
  }

  /**
   * The provider doesn't have it: it says so, or two accounts have met a 404 within a minute. One account alone may have
   * caused its 404. Returns true if it wasn't known.
   */
  recordGone(nowMs: number, accountId: string, isSaid: boolean): boolean {
    this.isUnknown = false;
    const missed = this.#missed;
    const isConfirmed = missed !== null && missed.accountId !== accountId && nowMs - missed.atMs < MINUTE_MS;
    this.#missed = { accountId, atMs: nowMs };
    if (!isSaid && !isConfirmed) return false;
    const isNew = this.#untilMs === null;
    this.#untilMs = nowMs + MINUTE_MS;
    this.#wasGone = true;
    return isNew;
  }
}
