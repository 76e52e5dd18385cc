// What was asked of the simulator, for tests to look at: the latest calls and how many are open.
import { parseJson } from "../../src/core/json.ts";
import type { Ended, ObservedCall } from "../../src/simulator/scene.ts";

export interface SimCall extends Omit<ObservedCall, "bodyText"> {
  readonly id: number;
  /** Parsed JSON, or the text where it isn't JSON. */
  readonly body: unknown;
  readonly bodyCharacters: number;
  /** How many calls were open when this one came, itself included. */
  readonly open: number;
  /** null: still open. */
  ended: Ended | null;
  /** Unix milliseconds; null: still open. */
  endedAt: number | null;
}

/** Campaigns compare what they sent with what arrived here, some thousands of calls at a time. */
export const CALLS_MAX = 10_000;
/** Of all remembered calls together: without it, prompts of 1 MB would fill 10 GB. A single longer body is kept. */
export const BODY_CHARACTERS_MAX = 32 * 1024 * 1024;

/** A bounded memory of calls: the oldest are forgotten, by number and by size. */
export class CallLog {
  /** A call stands at its id modulo the length. */
  readonly #ring: (SimCall | undefined)[] = Array.from({ length: CALLS_MAX });
  /** The id of the oldest call that is remembered. */
  #oldest = 0;
  #characters = 0;
  #total = 0;
  #open = 0;

  /** The latest calls, oldest first. */
  all(): readonly SimCall[] {
    const { length } = this.#ring;
    return Array.from({ length: this.#total - this.#oldest }, (_, at) => this.#oldest + at).flatMap(
      (id) => this.#ring[id % length] ?? [],
    );
  }

  /** The latest call. */
  last(): SimCall | undefined {
    return this.#total === 0 ? undefined : this.#ring[(this.#total - 1) % this.#ring.length];
  }

  /** How many calls came since the last reset. */
  get total(): number {
    return this.#total;
  }

  /** How many are under way. */
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
      // Kept as text, since what is parsed may take ten times the room, and few are looked at.
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

  /** One more call would be too many, or its body too much. */
  #isFull(): boolean {
    const kept = this.#total - this.#oldest;
    return kept === this.#ring.length || (kept > 0 && this.#characters > BODY_CHARACTERS_MAX);
  }

  #forgetOldest(): void {
    const at = this.#oldest++ % this.#ring.length;
    this.#characters -= this.#ring[at]?.bodyCharacters ?? 0;
    this.#ring[at] = undefined;
  }

  /** Ends a call; once. */
  end(call: SimCall, ended: Ended, nowMs: number): void {
    if (call.ended !== null) return;
    call.ended = ended;
    call.endedAt = nowMs;
    this.#open--;
  }

  /** Forgets all calls. Those under way still count as open until they end. */
  reset(): void {
    this.#ring.fill(undefined);
    this.#oldest = 0;
    this.#characters = 0;
    this.#total = 0;
  }
}
