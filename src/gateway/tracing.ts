// Takes down what happens to a request and when, for its row.
import type { Fault } from "../core/fault.ts";
import type { AttemptOutcome, Trace, TracedAttempt } from "../core/trace.ts";

/** One attempt while it is under way. Only its first ending counts. */
export class TracingAttempt {
  readonly model: string;
  readonly #last4: string | null;
  readonly #startMs: number;
  #endMs: number | null = null;
  #outcome: AttemptOutcome = "left";
  #fault: Fault | null = null;

  constructor(model: string, last4: string | null, startMs: number) {
    this.model = model;
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
      model: this.model,
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
  #winner: TracingAttempt | null = null;

  constructor(startedMs: number) {
    this.#startedMs = startedMs;
  }

  /** The model that was asked last; null: none was. */
  get lastModel(): string | null {
    return this.#attempts.at(-1)?.model ?? null;
  }

  admitted(nowMs: number): void {
    this.#admittedMs = Math.round(nowMs - this.#startedMs);
  }

  begins(model: string, last4: string | null, nowMs: number): TracingAttempt {
    const attempt = new TracingAttempt(model, last4, nowMs - this.#startedMs);
    this.#attempts.push(attempt);
    return attempt;
  }

  ends(attempt: TracingAttempt, outcome: AttemptOutcome, nowMs: number, fault: Fault | null = null): void {
    attempt.ends(outcome, nowMs - this.#startedMs, fault);
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
