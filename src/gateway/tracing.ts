// Takes down what happens to a request and when, for its row, and the calls of it that left for a provider.
import type { ModelCard } from "../core/card.ts";
import type { Fault } from "../core/fault.ts";
import type { AttemptOutcome, Trace, TracedAttempt } from "../core/trace.ts";
import type { SentAsk } from "../operations/operation.ts";

/** One attempt while it is under way. Only its first ending counts. */
export class TracingAttempt {
  readonly card: ModelCard;
  /** Its calls that left, each with so many bytes of text that its ask doesn't hold. */
  calls = 0;
  unreadBytes = 0;
  readonly #last4: string | null;
  readonly #startMs: number;
  #endMs: number | null = null;
  #outcome: AttemptOutcome = "left";
  #fault: Fault | null = null;

  constructor(card: ModelCard, last4: string | null, startMs: number) {
    this.card = card;
    this.#last4 = last4;
    this.#startMs = startMs;
  }

  ends(outcome: AttemptOutcome, endMs: number, fault: Fault | null = null): void {
    if (this.#endMs !== null) return;
    this.#endMs = endMs;
    this.#outcome = fault?.code === "client_gone" ? "left" : outcome;
    this.#fault = fault;
  }

  traced(firstTokenMs: number | null, endMs: number): TracedAttempt {
    return {
      model: this.card.id,
      last4: this.#last4,
      startMs: Math.round(this.#startMs),
      firstTokenMs,
      endMs: Math.round(this.#endMs ?? endMs),
      outcome: this.#outcome,
      faultCode: this.#fault?.code ?? null,
      upstreamStatus: this.#fault?.details.upstreamStatus ?? null,
    };
  }
}

/** Every time that it takes is on the monotonic clock. */
export class Tracing {
  readonly #startedMs: number;
  readonly #attempts: TracingAttempt[] = [];
  #admittedMs: number | null = null;
  /** The attempt that sent a call last. */
  #sender: TracingAttempt | null = null;
  #calls = 0;
  #sentMs: number | null = null;
  #winner: TracingAttempt | null = null;

  constructor(startedMs: number) {
    this.#startedMs = startedMs;
  }

  /** The model that was asked last; null: none was. */
  get lastModel(): string | null {
    return this.#attempts.at(-1)?.card.id ?? null;
  }

  admitted(nowMs: number): void {
    this.#admittedMs = Math.round(nowMs - this.#startedMs);
  }

  begins(card: ModelCard, last4: string | null, nowMs: number): TracingAttempt {
    const attempt = new TracingAttempt(card, last4, nowMs - this.#startedMs);
    this.#attempts.push(attempt);
    return attempt;
  }

  ends(attempt: TracingAttempt, outcome: AttemptOutcome, nowMs: number, fault: Fault | null = null): void {
    attempt.ends(outcome, nowMs - this.#startedMs, fault);
  }

  /** A call of it is about to leave: whether one did decides who pays for a request without an answer. */
  sends(attempt: TracingAttempt, unreadBytes: number, nowMs: number): void {
    attempt.calls++;
    attempt.unreadBytes = unreadBytes;
    this.#sender = attempt;
    this.#calls++;
    this.#sentMs ??= nowMs;
  }

  /** No connection for a call of it came about. */
  takesBack(attempt: TracingAttempt): void {
    attempt.calls--;
    this.#calls--;
  }

  get isSent(): boolean {
    return this.#calls > 0;
  }

  /** The model that read the prompt last, and in how many calls at once; null: none did. */
  get latest(): Omit<SentAsk<unknown>, "ask"> | null {
    if (this.#sender === null || this.#sender.calls === 0) return null;
    const { card, calls, unreadBytes } = this.#sender;
    return { card, calls, unreadBytes };
  }

  /** Milliseconds since the first call left. */
  silentMs(nowMs: number): number {
    return this.#sentMs === null ? 0 : nowMs - this.#sentMs;
  }

  /** It is the one that answers. */
  won(attempt: TracingAttempt): void {
    this.#winner = attempt;
  }

  /** As the row keeps it. */
  text(
    end: {
      readonly endMs: number;
      readonly firstTokenMs: number | null;
      readonly isWhole: boolean;
      readonly fault: Fault | null;
    } & Pick<Trace, "bill" | "markup" | "usageImplausible">,
  ): string {
    const { endMs, firstTokenMs, fault, bill, markup, usageImplausible } = end;
    this.#winner?.ends(end.isWhole ? "answered" : fault ? "failed" : "left", endMs, fault);
    const trace: Trace = {
      admittedMs: this.#admittedMs,
      attempts: this.#attempts.map((one) => one.traced(one === this.#winner ? firstTokenMs : null, endMs)),
      bill,
      markup,
      usageImplausible,
      message: fault && fault.row.blame !== "client" ? fault.message : null,
    };
    return JSON.stringify(trace);
  }
}
