// Records what happens to a request and when, for its row, and which of its calls were sent to a provider.
import type { ModelCard } from "../core/card.ts";
import { describeFailure } from "../core/failure.ts";
import type { Fault } from "../core/fault.ts";
import type { AttemptOutcome, TracedAttempt } from "../core/trace.ts";
import type { SentAsk } from "../operations/operation.ts";

type TracedCredential = Pick<TracedAttempt, "last4" | "position">;

/** A running attempt. Only its first ending is recorded. Times passed in are on the monotonic clock. */
export class TracingAttempt {
  readonly card: ModelCard;
  /** The number of calls sent. */
  calls = 0;
  /** The parts of a call that the parsed request doesn't contain. */
  unreadBytes = 0;
  rounds = 0;
  readonly #credential: TracedCredential;
  readonly #startMs: number;
  /** The time of its first call. */
  sentMs: number | null = null;
  #endMs: number | null = null;
  #outcome: AttemptOutcome = "left";
  #fault: Fault | null = null;

  constructor(card: ModelCard, credential: TracedCredential, startMs: number) {
    this.card = card;
    this.#credential = credential;
    this.#startMs = startMs;
  }

  get endMs(): number | null {
    return this.#endMs;
  }

  end(outcome: AttemptOutcome, endMs: number, fault: Fault | null = null): void {
    if (this.#endMs !== null) return;
    this.#endMs = endMs;
    this.#outcome = fault?.code === "client_gone" ? "left" : outcome;
    this.#fault = fault;
  }

  /** The times in the trace count from `startedMs`, when the request arrived. */
  build(startedMs: number, firstTokenMs: number | null, endMs: number): TracedAttempt {
    const fault = this.#fault;
    return {
      model: this.card.id,
      ...this.#credential,
      startMs: Math.round(this.#startMs - startedMs),
      firstTokenMs,
      endMs: Math.round((this.#endMs ?? endMs) - startedMs),
      outcome: this.#outcome,
      faultCode: fault?.code ?? null,
      upstreamStatus: fault?.details.upstreamStatus ?? null,
      ...(fault && this.#outcome === "failed" ? { failure: describeFailure(fault) } : {}),
    };
  }
}

/** All times passed in are on the monotonic clock. */
export class Tracing {
  readonly #startedMs: number;
  readonly #attempts: TracingAttempt[] = [];
  /** The attempt that most recently sent a call. */
  #sender: TracingAttempt | null = null;
  #sentMs: number | null = null;
  /** The attempt that answers. */
  winner: TracingAttempt | null = null;

  constructor(startedMs: number) {
    this.#startedMs = startedMs;
  }

  /** The model most recently called. Null if none was. */
  get lastModel(): string | null {
    return this.#attempts.at(-1)?.card.id ?? null;
  }

  begin(card: ModelCard, credential: TracedCredential, nowMs: number): TracingAttempt {
    const attempt = new TracingAttempt(card, credential, nowMs);
    this.#attempts.push(attempt);
    return attempt;
  }

  /** A call is about to be sent. It decides who pays for a request without an answer. */
  recordCall(
    attempt: TracingAttempt,
    { unreadBytes, rounds }: Pick<SentAsk<unknown>, "unreadBytes" | "rounds">,
    nowMs: number,
  ): void {
    attempt.calls++;
    attempt.sentMs ??= nowMs;
    attempt.unreadBytes = unreadBytes;
    attempt.rounds = rounds;
    this.#sender = attempt;
    this.#sentMs ??= nowMs;
  }

  get isSent(): boolean {
    return this.#attempts.some(({ calls }) => calls > 0);
  }

  /** The model that last received the prompt, and in how many parallel calls. Null if none did. */
  get latest(): Omit<SentAsk<unknown>, "ask"> | null {
    return this.#sender?.calls ? this.#sender : null;
  }

  /** Milliseconds since the first call was sent. */
  silentMs(nowMs: number): number {
    return this.#sentMs === null ? 0 : nowMs - this.#sentMs;
  }

  /** Milliseconds from the start until now in which no call was under way. */
  measureOwnMs(nowMs: number): number {
    let coveredUntilMs = this.#startedMs;
    let ownMs = 0;
    // Attempts are in the order in which they began. Hedged ones overlap.
    for (const { sentMs, endMs } of this.#attempts) {
      if (sentMs === null) continue;
      ownMs += Math.max(0, sentMs - coveredUntilMs);
      coveredUntilMs = Math.max(coveredUntilMs, endMs ?? nowMs);
    }
    return ownMs + Math.max(0, nowMs - coveredUntilMs);
  }

  /** Returns the attempts as stored in the row. */
  list(nowMs: number, firstTokenMs: number | null, isWhole: boolean, fault: Fault | null) {
    this.winner?.end(isWhole ? "answered" : fault ? "failed" : "left", nowMs, fault);
    return this.#attempts.map((one) =>
      one.build(this.#startedMs, one === this.winner ? firstTokenMs : null, nowMs),
    );
  }
}
