// A payer's standing at a breaker that is open for everybody: those who are served go on, and all others have calls of their own.

import { IN_USE_MS } from "../../core/keys/payer.ts";

/** A good outcome shows for this long that the payer is served. */
const SERVED_MS = 60_000;
/** The calls of a payer that may be out until the first of them ends. */
const FIRST_CALLS = 4;

/** The time from a failure to the first test. Each failed test doubles it, up to the maximum. */
export interface Waits {
  readonly waitMs: number;
  readonly waitMaxMs: number;
}

/** Times are on the monotonic clock. */
export class Standing {
  #isGood = false;
  /** The end of its newest call. */
  #newestMs = Number.NEGATIVE_INFINITY;
  /** Answers to it that are coming in. */
  #coming = 0;
  /** The wait between its tests. 0 if its newest call didn't fail. */
  #waitMs = 0;
  #testAtMs = 0;
  #isTesting = false;
  /** Its calls that have a place. */
  out = 0;
  /** The calls with a place among those of payers that have failed. */
  outFailed = 0;
  /** Those who share the places that it has. */
  voice = "";

  /** True if it goes on as if the breaker were closed. */
  isServed(nowMs: number): boolean {
    return this.#coming > 0 || (this.#isGood && nowMs - this.#newestMs <= SERVED_MS);
  }

  hasFailed(nowMs: number): boolean {
    return this.#waitMs > 0 && nowMs - this.#newestMs < IN_USE_MS;
  }

  /** The wait until it may have a place. Null if it ends with a call that is out. */
  waitMs(nowMs: number): number | null {
    if (!this.hasFailed(nowMs)) return this.out < FIRST_CALLS ? 0 : null;
    return this.#isTesting ? null : Math.max(0, this.#testAtMs - nowMs);
  }

  /** One of its calls takes a place. */
  enter(nowMs: number): void {
    this.#isTesting = this.hasFailed(nowMs);
    this.out++;
  }

  /** A call that had a place has ended. */
  leave(): void {
    this.out = Math.max(0, this.out - 1);
    if (this.out === 0) this.#isTesting = false;
  }

  recordSuccess(nowMs: number): void {
    this.#isGood = true;
    this.#newestMs = nowMs;
    this.#waitMs = 0;
    this.#isTesting = false;
  }

  /** Only the failure of a test makes the next wait longer: others may be those of calls that began before it. */
  recordFailure(nowMs: number, hadPlace: boolean, { waitMs, waitMaxMs }: Waits): void {
    const isFirst = !this.hasFailed(nowMs);
    this.#isGood = false;
    this.#newestMs = nowMs;
    if (isFirst) this.#waitMs = waitMs;
    else if (hadPlace && this.#isTesting) this.#waitMs = Math.min(this.#waitMs * 2, waitMaxMs);
    else return;
    this.#isTesting = false;
    this.#testAtMs = nowMs + this.#waitMs;
  }

  /** An answer begins to come in. */
  beginAnswer(): void {
    this.#coming++;
  }

  endAnswer(): void {
    this.#coming = Math.max(0, this.#coming - 1);
  }

  /** It may be tested at once. */
  hasten(nowMs: number): void {
    this.#testAtMs = Math.min(this.#testAtMs, nowMs);
  }
}

/** The places of payers that have failed within the hour, of the others, and the most of either that one voice has. */
const FAILED_PLACES = 8;
const OTHER_PLACES = 64;
const VOICE_PLACES = 16;

/** The calls of a process that pass a breaker while it is open for everybody, although their payers aren't served. */
export class Places {
  #failed = 0;
  #others = 0;
  readonly #byVoice = new Map<string, number>();

  /** True if no call is out. */
  get areFree(): boolean {
    return this.#failed + this.#others === 0;
  }

  has(hasFailed: boolean, voice: string): boolean {
    const isFree = hasFailed ? this.#failed < FAILED_PLACES : this.#others < OTHER_PLACES;
    return isFree && (this.#byVoice.get(voice) ?? 0) < VOICE_PLACES;
  }

  take(standing: Standing, nowMs: number, voice: string): void {
    if (standing.out === 0) standing.voice = voice;
    this.#byVoice.set(standing.voice, (this.#byVoice.get(standing.voice) ?? 0) + 1);
    if (standing.hasFailed(nowMs)) {
      this.#failed++;
      standing.outFailed++;
    } else this.#others++;
    standing.enter(nowMs);
  }

  giveBack(standing: Standing): void {
    if (standing.out === 0) return;
    const left = (this.#byVoice.get(standing.voice) ?? 1) - 1;
    if (left > 0) this.#byVoice.set(standing.voice, left);
    else this.#byVoice.delete(standing.voice);
    if (standing.outFailed > 0) {
      this.#failed--;
      standing.outFailed--;
    } else this.#others--;
    standing.leave();
  }
}
