// Records the simulator's latest calls and the number of open ones, for tests to inspect.
import { parseJson } from "../../src/core/json/json.ts";
import type { CallOutcome, ObservedCall } from "../../src/simulator/types.ts";

export interface SimCall extends Omit<ObservedCall, "bodyText"> {
  readonly id: number;
  /** Parsed JSON, or the text if it isn't JSON. */
  readonly body: unknown;
  readonly bodyCharacters: number;
  /** The number of open calls when this one arrived, including itself. */
  readonly open: number;
  /** Null while the call is open. */
  ended: CallOutcome | null;
  /** Unix milliseconds. Null while the call is open. */
  endedAt: number | null;
}

/** Campaigns compare the calls that they sent with those recorded here, several thousand at a time. */
export const CALLS_MAX = 10_000;
/** The maximum for all recorded calls together: without it, prompts of 1 MB would fill 10 GB. A single longer body is kept. */
export const BODY_CHARACTERS_MAX = 32 * 1024 * 1024;

/** A bounded record of calls: beyond a number or a total size, the oldest are dropped. */
export class CallLog {
  /** A call's index is its id modulo the length. */
  readonly #ring: (SimCall | undefined)[] = Array.from({ length: CALLS_MAX });
  /** The id of the oldest recorded call. */
  #oldest = 0;
  #characters = 0;
  #total = 0;
  #open = 0;

  /** Returns the latest calls, oldest first. */
  all(): readonly SimCall[] {
    const { length } = this.#ring;
    return Array.from({ length: this.#total - this.#oldest }, (_, at) => this.#oldest + at).flatMap(
      (id) => this.#ring[id % length] ?? [],
    );
  }

  /** Returns the latest call. */
  last(): SimCall | undefined {
    return this.#total === 0 ? undefined : this.#ring[(this.#total - 1) % this.#ring.length];
  }

  /** The number of calls since the last reset. */
  get total(): number {
    return this.#total;
  }

  /** The number of calls that haven't ended. */
  get open(): number {
    return this.#open;
  }

  add({ bodyText, ...call }: ObservedCall): SimCall {
    this.#characters += bodyText.length;
    while (this.#isFull()) this.#forgetOldest();
    this.#open++;
    const added: SimCall = {
      ...call,
      id: this.#total++,
      // Kept as text: parsed, a body may take ten times the memory, and few are read.
      get body() {
        return parseJson(bodyText) ?? bodyText;
      },
      bodyCharacters: bodyText.length,
      open: this.#open,
      ended: null,
      endedAt: null,
    };
    this.#ring[added.id % this.#ring.length] = added;
    return added;
  }

  /** True if the oldest call must be dropped to make room for a new one. */
  #isFull(): boolean {
    const kept = this.#total - this.#oldest;
    return kept === this.#ring.length || (kept > 0 && this.#characters > BODY_CHARACTERS_MAX);
  }

  #forgetOldest(): void {
    const at = this.#oldest++ % this.#ring.length;
    this.#characters -= this.#ring[at]?.bodyCharacters ?? 0;
    this.#ring[at] = undefined;
  }

  /** Ends a call. Has no effect if it has already ended. */
  end(call: SimCall, ended: CallOutcome, nowMs: number): void {
    if (call.ended !== null) return;
    call.ended = ended;
    call.endedAt = nowMs;
    this.#open--;
  }

  /** Drops all calls. Calls in progress still count as open until they end. */
  reset(): void {
    this.#ring.fill(undefined);
    this.#oldest = 0;
    this.#characters = 0;
    this.#total = 0;
  }
}
