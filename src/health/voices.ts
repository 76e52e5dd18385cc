// The payers that have called lately, and whose failures count as one where two must agree.
import { NOBODY, readAccount } from "../core/keys/key.ts";

/** A payer that has called within this time is one of those in use. */
export const IN_USE_MS = 3_600_000;

/** Times are on the monotonic clock. Three payers are enough to know of any payer whether another one has called since. */
export class Voices {
  #last = NOBODY;
  #lastAccount = NOBODY;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** The last call of another payer than that. */
  #otherMs = Number.NEGATIVE_INFINITY;
  /** The last call of a payer of another account. */
  #strangerMs = Number.NEGATIVE_INFINITY;

  recordCall(nowMs: number, payer: string): void {
    if (payer !== this.#last) this.#follow(payer);
    this.#lastMs = nowMs;
  }

  #follow(payer: string): void {
    const account = readAccount(payer);
    this.#otherMs = this.#lastMs;
    if (account !== this.#lastAccount) this.#strangerMs = this.#lastMs;
    this.#last = payer;
    this.#lastAccount = account;
  }

  /** True if no other payer has called within the hour. */
  isAlone(nowMs: number, payer: string): boolean {
    return nowMs - (payer === this.#last ? this.#otherMs : this.#lastMs) >= IN_USE_MS;
  }

  /** Names those who count as one: the account if several have called within the hour, else the payer. */
  nameVoice(nowMs: number, payer: string): string {
    const account = readAccount(payer);
    const strangerMs = account === this.#lastAccount ? this.#strangerMs : this.#lastMs;
    return nowMs - strangerMs < IN_USE_MS ? account : payer;
  }
}
