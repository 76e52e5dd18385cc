// One running attempt: its call, the usage reported so far, and its end if another attempt was faster.

import type { Attempt } from "../core/attempt.ts";
import { Ending } from "../core/ending.ts";
import { Fault, toFault } from "../core/fault.ts";
import type { Permit } from "../health/permit.ts";
import type { Form } from "../operations/form.ts";
import type { Changed, SentAsk } from "../operations/operation.ts";
import type { AttemptCall } from "./attempt.ts";
import { countCalls } from "./calls.ts";
import type { RequestContext } from "./context.ts";
import type { Runner } from "./hedge.ts";
import type { TracingAttempt } from "./tracing.ts";
import type { Upstream } from "./upstream.ts";

/** The mode in which attempts run: whole or streamed. */
export interface Mode<F extends Form, Result> {
  readonly run: (call: AttemptCall<F>) => Promise<Result>;
  /** Releases a result that nobody will use. */
  readonly drop: (result: Result) => void;
}

/** `raw` and `ask` are without anything that a provider has already refused. */
interface AttemptRunParts<F extends Form, Result>
  extends Pick<AttemptCall<F>, "upstream" | "fresh" | "raw" | "ask"> {
  readonly context: RequestContext<F>;
  readonly attempt: Attempt;
  readonly permit: Permit;
  readonly traced: TracingAttempt;
  readonly mode: Mode<F, Result>;
  /** The start of the first attempt: all attempts share one time limit. */
  readonly startedMs: number;
  readonly nowMs: () => number;
  readonly onFailed: (fault: Fault) => void;
}

export class AttemptRun<F extends Form, Result> implements Runner<Result> {
  readonly attempt: Attempt;
  readonly upstream: Upstream;
  readonly totalAtMs: number;
  readonly #parts: AttemptRunParts<F, Result>;
  readonly #clientLimitAtMs: number;
  readonly #bounded: Changed<F["ask"]>;
  /** Null if this attempt is never raced against another. */
  readonly #ending: Ending | null;
  #isOutrun = false;
  #unreadBytes = 0;
  #dropped: readonly string[] = [];
  #usage: readonly [F["usage"], boolean] | null = null;
  #onUsage: AttemptCall<F>["onUsage"] | null = null;

  constructor(parts: AttemptRunParts<F, Result>) {
    const { context, attempt, upstream, startedMs, ask } = parts;
    const { operation, isLimitRequired, timeoutMs } = context.call;
    this.#parts = parts;
    this.attempt = attempt;
    this.upstream = upstream;
    this.#clientLimitAtMs = startedMs + (timeoutMs ?? Number.POSITIVE_INFINITY);
    this.totalAtMs = Math.min(startedMs + upstream.setup.timeouts.totalMs, this.#clientLimitAtMs);
    const held = context.grant.outputTokens?.[attempt.card.id];
    this.#bounded = operation.bound(ask, attempt.card, held, isLimitRequired);
    this.#ending = attempt.card.hedge ? new Ending(context.ending) : null;
  }

  /** Runs the attempt. If it rejects, the caller must record that with `fail`. */
  start(): Promise<Result> {
    return this.#parts.mode.run(this.#makeCall());
  }

  /** Records the failure. Call it once. Returns the fault. */
  fail(thrown: unknown): Fault {
    const { permit, traced, context, nowMs, onFailed } = this.#parts;
    const fault = toFault(thrown);
    permit.fail(nowMs(), fault);
    context.tracing.end(traced, "failed", nowMs(), fault);
    if (!this.#isOutrun) onFailed(fault);
    return fault;
  }

  readonly end = (): void => {
    const { permit, traced, context, nowMs } = this.#parts;
    context.tracing.end(traced, "outrun", nowMs());
    permit.lose(nowMs(), context.call.ask.stream === true);
    this.#isOutrun = true;
    this.#ending?.end(new Fault("client_gone", "Another attempt was faster."));
  };

  readonly drop = (result: Result): void => this.#parts.mode.drop(result);

  /** The request as it was sent. */
  get asked(): SentAsk<F["ask"]> {
    const { upstream } = this;
    const { operation } = this.#parts.context.call;
    const { ask } = this.#bounded;
    const { card } = this.attempt;
    return {
      ask,
      card,
      calls: countCalls({ operation, upstream, card, ask, raw: this.#parts.raw }),
      unreadBytes: this.#unreadBytes,
    };
  }

  /** Makes this attempt the one that answers: the request takes over its facts and the usage it has reported so far. */
  win(): void {
    const { context, attempt, traced } = this.#parts;
    context.tracing.recordWinner(traced);
    context.model = attempt.card.id;
    context.dropped = this.#dropped;
    this.#onUsage = context.report;
    if (this.#usage) this.#onUsage(...this.#usage);
  }

  #makeCall(): AttemptCall<F> {
    const { context, attempt, upstream, permit, traced, fresh, raw, nowMs } = this.#parts;
    const { call, ending, tracing } = context;
    return {
      ...attempt,
      operation: call.operation,
      upstream,
      permit,
      fresh,
      ask: this.#bounded.ask,
      raw,
      dropped: call.dropped,
      lost: call.lost,
      offset: 0,
      client: this.#ending ?? ending,
      totalAtMs: this.totalAtMs,
      clientLimitAtMs: this.#clientLimitAtMs,
      onSent: (isNative) => {
        this.#unreadBytes = isNative ? call.unreadBytes : 0;
        tracing.recordCall(traced, this.#unreadBytes, nowMs());
      },
      onUnsent: () => tracing.retractCall(traced),
      onDropped: (fields) => {
        const named = [...this.#bounded.dropped, ...fields].map((field) => call.names?.[field] ?? field);
        this.#dropped = [...new Set(named)];
        context.dropped = this.#dropped;
      },
      onUsage: (usage, isWhole) => {
        this.#usage = [usage, isWhole];
        this.#onUsage?.(usage, isWhole);
      },
    };
  }
}
