// The calls of a request that left for a provider: whether one did decides who pays for a request without an answer.
import type { ModelCard } from "../core/card.ts";
import type { SentAsk } from "../operations/operation.ts";
import type { TracingAttempt } from "./tracing.ts";

export class SentCalls {
  #attempt: TracingAttempt | null = null;
  #card: ModelCard | null = null;
  /** The calls of the latest attempt, and of all of them. */
  #calls = 0;
  #all = 0;
  #unreadBytes = 0;
  #sinceMs: number | null = null;

  /** A call is about to leave, with so many bytes of text that its ask doesn't hold. */
  add(attempt: TracingAttempt, card: ModelCard, unreadBytes: number, nowMs: number): void {
    if (attempt !== this.#attempt) this.#calls = 0;
    this.#attempt = attempt;
    this.#card = card;
    this.#unreadBytes = unreadBytes;
    this.#calls++;
    this.#all++;
    this.#sinceMs ??= nowMs;
  }

  /** No connection for it came about. */
  takeBack(attempt: TracingAttempt): void {
    this.#all--;
    if (attempt === this.#attempt) this.#calls--;
  }

  get any(): boolean {
    return this.#all > 0;
  }

  /** The model that read the prompt last, and in how many calls at once; null: none did. */
  get latest(): Omit<SentAsk<unknown>, "ask"> | null {
    const [card, calls, unreadBytes] = [this.#card, this.#calls, this.#unreadBytes];
    return card && calls > 0 ? { card, calls, unreadBytes } : null;
  }

  /** Milliseconds since the first of them left. */
  silentMs(nowMs: number): number {
    return this.#sinceMs === null ? 0 : nowMs - this.#sinceMs;
  }
}
