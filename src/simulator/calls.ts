// What was asked of the simulator, for tests to look at: the latest calls and how many are open.
import type { DialectName } from "../core/dialect.ts";

export interface SimCall {
  readonly id: number;
  readonly dialect: DialectName | "trap" | "none";
  readonly method: string;
  readonly path: string;
  /** As sent, controls included. */
  readonly model: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Parsed JSON, or the text where it isn't JSON. */
  readonly body: unknown;
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

/** A bounded memory of calls: the oldest are forgotten. */
export class CallLog {
  #calls: SimCall[] = [];
  #next = 0;
  #open = 0;

  /** The latest calls (10,000 at most), oldest first. */
  all(): readonly SimCall[] {
    return [...this.#calls.slice(this.#oldest), ...this.#calls.slice(0, this.#oldest)];
  }

  /** The latest call. */
  last(): SimCall | undefined {
    return this.#calls[(this.#next - 1) % CALLS_MAX];
  }

  /** How many calls came since the last reset. */
  get total(): number {
    return this.#next;
  }

  /** How many are under way. */
  get open(): number {
    return this.#open;
  }

  get #oldest(): number {
    return this.#calls.length < CALLS_MAX ? 0 : this.#next % CALLS_MAX;
  }

  add(call: Omit<SimCall, "id" | "open" | "ended" | "endedAt">): SimCall {
    this.#open++;
    const added: SimCall = { ...call, id: this.#next, open: this.#open, ended: null, endedAt: null };
    this.#calls[this.#next % CALLS_MAX] = added;
    this.#next++;
    return added;
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
    this.#next = 0;
  }
}
