// Records what happens to a request and when, for its row, and which of its calls were sent to a provider.

import { describeFailure } from "../../core/faults/failure.ts";
import type { Fault } from "../../core/faults/fault.ts";
import { formatMended } from "../../core/log/mended.ts";
import {
  type AttemptOutcome,
  type ClaimedUsage,
  shortenClaim,
  type Trace,
  type TracedAttempt,
} from "../../core/log/trace.ts";
import { deriveSpanId, type Period, type TraceContext } from "../../core/log/trace-context.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { PlannedMarks } from "../../core/models/words/cache-marks.ts";
import type { ShownAnswer } from "../../operations/collected.ts";
import { type Form, NONE } from "../../operations/form.ts";
import { SpanContent } from "../answer/span-content.ts";
import type { Call } from "../call.ts";

/** A request may take thousands of calls. The first of them are named. */
const REQUEST_IDS_MAX = 16;

/** The name of an attempt's credential in rows. */
type TracedCredential = Pick<TracedAttempt, "last4" | "position">;

/**
 * The record of a running attempt, which extends it. Only its first ending is recorded. Times passed in are on the
 * monotonic clock.
 */
export class TracingAttempt {
  readonly card: ModelCard;
  /** The same with the price of the hour in which it began. */
  readonly pricedCard: ModelCard;
  /** The number of calls sent. */
  calls = 0;
  /** The parts of a call that the parsed request doesn't contain. */
  unreadBytes = 0;
  rounds = 0;
  /** True if the client's own request was sent. */
  isNative = true;
  /** The number of earlier answers whose thinking was left out, since only another family's models read it. */
  foreignThinking = 0;
  /** The cache marks that the gateway set. Null for none. */
  cacheMarks: PlannedMarks | null = null;
  /** The usage that the provider reported, if it isn't the request's own. */
  claimed: ClaimedUsage | null = null;
  /** The id of the price by which its answer is charged. */
  priceId: string | undefined = undefined;
  #requestIds: string[] | null = null;
  /** The id of its span. Null if it has none. */
  readonly spanId: string | null;
  readonly #last4: TracedCredential["last4"];
  readonly #position: TracedCredential["position"];
  startMs: number;
  /** The time of its first call. */
  sentMs: number | null = null;
  #endMs: number | null = null;
  #outcome: AttemptOutcome = "left";
  #fault: Fault | null = null;

  constructor(
    card: ModelCard,
    pricedCard: ModelCard,
    last4: TracedCredential["last4"],
    position: TracedCredential["position"],
    startMs: number,
    spanId: string | null,
  ) {
    this.card = card;
    this.pricedCard = pricedCard;
    this.#last4 = last4;
    this.#position = position;
    this.startMs = startMs;
    this.spanId = spanId;
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

  /** Adds the provider's own id of a call. */
  addRequestId(id: string): void {
    this.#requestIds ??= [];
    if (this.#requestIds.length < REQUEST_IDS_MAX) this.#requestIds.push(id);
  }

  /** Its time without rounding. `endMs` is the end of one that still runs. */
  period(endMs: number): Period {
    return { startMs: this.startMs, endMs: this.#endMs ?? endMs };
  }

  get outcome(): AttemptOutcome {
    return this.#outcome;
  }

  get fault(): Fault | null {
    return this.#fault;
  }

  /** The times in the trace count from `startedMs`, when the request arrived. */
  build(startedMs: number, firstTokenMs: number | null, endMs: number): TracedAttempt {
    const fault = this.#fault;
    const failure = fault && this.#outcome === "failed" ? describeFailure(fault) : null;
    const ids = this.#requestIds ?? NONE;
    const hasOther = ids.length > 1 || ids[0] !== failure?.upstreamRequestId;
    return {
      model: this.card.id,
      last4: this.#last4,
      position: this.#position,
      startMs: Math.round(this.startMs - startedMs),
      firstTokenMs,
      endMs: Math.round((this.#endMs ?? endMs) - startedMs),
      outcome: this.#outcome,
      faultCode: fault?.code ?? null,
      upstreamStatus: fault?.details.upstreamStatus ?? null,
      failure: failure ?? undefined,
      calls: this.calls,
      requestIds: ids.length > 0 && hasOther ? ids : undefined,
      claimed: this.claimed ? shortenClaim(this.claimed) : undefined,
      price: this.priceId,
    };
  }
}

/** All times passed in are on the monotonic clock. */
export class Tracing<F extends Form> {
  /** Prompt and answer for the request's spans. Null if they are not exported. */
  readonly content: SpanContent<F> | null;
  readonly #startedMs: number;
  readonly #trace: TraceContext | null;
  readonly #attempts: TracingAttempt[] = [];
  /** The attempt that most recently sent a call. */
  #sender: TracingAttempt | null = null;
  #sentMs: number | null = null;
  /** The refusals after which the request was mended, as its row has them. Null for none. */
  mended: string | null = null;
  /** The attempt that answers. */
  winner: TracingAttempt | null = null;
  /** The moment of the answer's first part, or of the whole. Null before. */
  answeredMs: number | null = null;

  constructor(
    startedMs: number,
    { operation, trace, key }: Pick<Call<F>, "operation" | "trace" | "key">,
    answer: ShownAnswer<F>,
  ) {
    this.#startedMs = startedMs;
    this.#trace = trace;
    this.content =
      trace?.recording?.takesContent && key.keepsResponses ? new SpanContent(operation, answer) : null;
  }

  get attempts(): readonly TracingAttempt[] {
    return this.#attempts;
  }

  /** The model most recently called. Null if none was. */
  get lastModel(): string | null {
    return this.#attempts.at(-1)?.card.id ?? null;
  }

  /** Returns the id of the next attempt's span. Null if it has none. */
  nameSpan(): string | null {
    return this.#trace && deriveSpanId(this.#trace, this.#attempts.length + 1);
  }

  begin(attempt: TracingAttempt): void {
    this.#attempts.push(attempt);
  }

  /** The first attempt's call was refused, and the second repeats it in another form: both are one attempt. */
  repeat(refused: TracingAttempt, repeated: TracingAttempt, mended: readonly string[]): void {
    repeated.startMs = refused.startMs;
    repeated.sentMs = refused.sentMs;
    this.#attempts.splice(this.#attempts.indexOf(refused), 1);
    this.mended = formatMended(this.mended, mended);
  }

  /**
   * A call is about to be sent. It decides who pays for a request without an answer. One that works in `silence` for as long
   * as it likes leaves nobody excused who gives up.
   */
  recordCall(attempt: TracingAttempt, nowMs: number, silence: "excused" | "usual" = "excused"): void {
    attempt.calls++;
    attempt.sentMs ??= nowMs;
    this.#sender = attempt;
    if (silence === "excused") this.#sentMs ??= nowMs;
  }

  get isSent(): boolean {
    for (const { calls } of this.#attempts) if (calls > 0) return true;
    return false;
  }

  /** The attempt that last sent the prompt to a provider. Null if none did. */
  get latest(): TracingAttempt | null {
    return this.#sender?.calls ? this.#sender : null;
  }

  /** Milliseconds from the first attempt until the answer, or until the last failure. 0 without an attempt. */
  get upstreamMs(): number {
    const startMs = this.#attempts[0]?.startMs ?? 0;
    if (this.answeredMs !== null) return this.answeredMs - startMs;
    let tookMs = 0;
    for (const { endMs } of this.#attempts) tookMs = Math.max(tookMs, (endMs ?? startMs) - startMs);
    return tookMs;
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

  /** The place of the attempt whose usage is counted: the one that answers, else the last that was sent a call. */
  get countedAt(): number {
    const counted = this.winner ?? this.#sender;
    return counted === null ? -1 : this.#attempts.indexOf(counted);
  }

  /** Returns the attempts as stored in the row. `claimed` is the usage that was reported for the one that answers. */
  list(
    nowMs: number,
    firstTokenMs: number | null,
    isWhole: boolean,
    fault: Fault | null,
    claimed: ClaimedUsage | null,
  ) {
    this.winner?.end(isWhole ? "answered" : fault ? "failed" : "left", nowMs, fault);
    if (this.winner) this.winner.claimed = claimed;
    const traced: TracedAttempt[] = [];
    for (const one of this.#attempts)
      traced.push(one.build(this.#startedMs, one === this.winner ? firstTokenMs : null, nowMs));
    return traced;
  }
}

/** Returns a request's calls to hooks, with times from its start. Undefined if there were none. */
export function listHooks<F extends Form>(
  { hooks }: Pick<Call<F>, "hooks">,
  startedMs: number,
): Trace["hooks"] {
  return hooks && describeHooks(hooks, startedMs);
}

function describeHooks(hooks: NonNullable<Trace["hooks"]>, startedMs: number): Trace["hooks"] {
  const since = (atMs: number) => Math.round(atMs - startedMs);
  return hooks.map((one) => ({ ...one, startMs: since(one.startMs), endMs: since(one.endMs) }));
}
