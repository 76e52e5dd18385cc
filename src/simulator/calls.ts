// What was asked of the simulator, for tests to look at: the latest calls and how many are open.
import type { DialectName } from "../core/dialect.ts";

export interface SimCall {
  readonly id: number;
  /** `trap` is where redirects lead, `none` any path that is nobody's. */
  readonly dialect: DialectName | "trap" | "none";
  readonly method: string;
  /** What follows the dialect's prefix. */
  readonly path: string;
  /** As sent, controls included. */
  readonly model: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Parsed JSON, or the text where it isn't JSON. */
  readonly body: unknown;
  readonly bodyCharacters: number;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** How many calls were open when this one came, itself included. */
  readonly open: number;
  /** null: still open. `aborted`: the client went before the end. `trouble`: it ended as its trouble wanted. */
  ended: "finished" | "aborted" | "trouble" | null;
  /** Unix milliseconds; null: still open. */
  endedAt: number | null;
}

const CALLS_MAX = 10_000;
const BODY_CHARACTERS_MAX = 256 * 1024 * 1024;

/** A bounded memory of calls: the oldest are forgotten, by number and by size. */
export class CallLog {
  #calls: SimCall[] = [];
  /** Calls before this place are forgotten; they are cut off in strides. */
  #oldest = 0;
  #characters = 0;
  #total = 0;
  #open = 0;

  /** The latest calls, oldest first. */
  all(): readonly SimCall[] {
    return this.#calls.slice(this.#oldest);
  }

  /** The latest call. */
  last(): SimCall | undefined {
    return this.#calls.at(-1);
  }

  /** How many calls came since the last reset. */
  get total(): number {
    return this.#total;
  }

  /** How many are under way. */
  get open(): number {
    return this.#open;
  }

  add(call: Omit<SimCall, "id" | "open" | "ended" | "endedAt">): SimCall {
    this.#open++;
    const added: SimCall = { ...call, id: this.#total++, open: this.#open, ended: null, endedAt: null };
    this.#calls.push(added);
    this.#characters += call.bodyCharacters;
    this.#forget();
    return added;
  }

  #forget(): void {
    while (this.#calls.length - this.#oldest > CALLS_MAX || this.#characters > BODY_CHARACTERS_MAX) {
      this.#characters -= this.#calls[this.#oldest]?.bodyCharacters ?? 0;
      this.#oldest++;
    }
    if (this.#oldest < CALLS_MAX) return;
    this.#calls = this.#calls.slice(this.#oldest);
    this.#oldest = 0;
  }

  /** Ends a call; once. */
  end(call: SimCall, ended: NonNullable<SimCall["ended"]>, nowMs: number): void {
    if (call.ended !== null) return;
    call.ended = ended;
    call.endedAt = nowMs;
    this.#open--;
  }

  /** Forgets all calls. Those under way still count as open until they end. */
  reset(): void {
    this.#calls = [];
    this.#oldest = 0;
    this.#characters = 0;
    this.#total = 0;
  }
}
