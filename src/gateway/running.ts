// One attempt of a walk under way: its call, what it has reported so far, and its end when another one was faster.

import type { Attempt } from "../core/attempt.ts";
import type { RawRequest } from "../core/dialect.ts";
import { Fault, toFault } from "../core/fault.ts";
import type { Permit } from "../health/permit.ts";
import { type Fitted, fitToHold } from "../operations/chat/bounded.ts";
import type { Usage } from "../operations/chat/form.ts";
import type { SentRequest } from "../operations/chat/plausible.ts";
import type { AttemptCall } from "./attempt.ts";
import { callsNeeded } from "./choices.ts";
import type { Life } from "./failover.ts";
import type { Runner } from "./hedge.ts";
import type { TracingAttempt } from "./tracing.ts";
import type { Upstream } from "./upstream.ts";

/** The way in which an attempt is made: whole or streamed. */
export interface Way<Result> {
  readonly run: (call: AttemptCall) => Promise<Result>;
  /** Ends what a result that nobody takes still holds. */
  readonly drop: (result: Result) => void;
}

export interface RunningOf<Result> {
  readonly life: Life;
  readonly attempt: Attempt;
  readonly upstream: Upstream;
  readonly permit: Permit;
  readonly traced: TracingAttempt;
  /** The call goes over a new connection, whichever are kept. */
  readonly fresh: boolean;
  /** The client's own request, as far as no provider has refused a part of it. */
  readonly raw: RawRequest | null;
  readonly way: Way<Result>;
  /** The beginning of the failover: all attempts together have one time. */
  readonly startedMs: number;
  readonly nowMs: () => number;
  readonly onFailed: (fault: Fault) => void;
}

export class Running<Result> implements Runner<Result> {
  readonly attempt: Attempt;
  readonly upstream: Upstream;
  readonly totalAtMs: number;
  readonly #of: RunningOf<Result>;
  readonly #clientLimitAtMs: number;
  readonly #fitted: Fitted;
  /** null: no other attempt will be started beside this one. */
  readonly #ending: AbortController | null;
  #dropped: readonly string[] = [];
  #usage: readonly [Usage, boolean] | null = null;
  #onUsage: AttemptCall["onUsage"] | null = null;

  constructor(of: RunningOf<Result>) {
    this.#of = of;
    this.attempt = of.attempt;
    this.upstream = of.upstream;
    this.#clientLimitAtMs = of.startedMs + (of.life.call.timeoutMs ?? Number.POSITIVE_INFINITY);
    this.totalAtMs = Math.min(of.startedMs + of.upstream.setup.timeouts.totalMs, this.#clientLimitAtMs);
    this.#fitted = fitToHold(
      of.life.call.request,
      of.attempt.card,
      of.life.granted,
      of.life.call.isLimitRequired,
    );
    this.#ending = of.attempt.card.hedge ? new AbortController() : null;
  }

  readonly run = async (): Promise<Result> => {
    const { way, permit, traced, life, nowMs, onFailed } = this.#of;
    try {
      return await way.run(this.#call());
    } catch (thrown) {
      const fault = toFault(thrown);
      permit.failed(nowMs(), fault);
      life.tally.tracing.ends(traced, "failed", nowMs(), fault);
      if (!this.#ending?.signal.aborted) onFailed(fault);
      throw fault;
    }
  };

  readonly end = (): void => {
    const { permit, traced, life, nowMs } = this.#of;
    life.tally.tracing.ends(traced, "outrun", nowMs());
    permit.outrun(nowMs(), life.call.request.stream === true);
    this.#ending?.abort(new Fault("client_gone", "Another attempt was faster."));
  };

  readonly drop = (result: Result): void => this.#of.way.drop(result);

  /** The request as it is sent. */
  get asked(): SentRequest {
    const { request } = this.#fitted;
    const { card } = this.attempt;
    return { request, card, calls: callsNeeded(this.upstream, card, request) };
  }

  /** It has won: the request's facts and its usage are this attempt's, from now on and as far as they were reported already. */
  win(): void {
    const { life, attempt, traced } = this.#of;
    life.tally.tracing.won(traced);
    life.facts.model = attempt.card.id;
    life.facts.dropped = this.#dropped;
    this.#onUsage = life.tally.reported;
    if (this.#usage) this.#onUsage(...this.#usage);
  }

  #call(): AttemptCall {
    const { life, attempt, upstream, permit, traced, fresh, raw, nowMs } = this.#of;
    const { facts, ending, tally } = life;
    return {
      ...attempt,
      upstream,
      permit,
      fresh,
      request: this.#fitted.request,
      raw,
      withheld: life.call.dropped,
      lost: life.call.lost,
      choiceOffset: 0,
      client: this.#ending ? AbortSignal.any([ending.signal, this.#ending.signal]) : ending.signal,
      totalAtMs: this.totalAtMs,
      clientLimitAtMs: this.#clientLimitAtMs,
      onSent: () => tally.sent.add(traced, attempt.card, nowMs()),
      onUnsent: () => tally.sent.takeBack(traced),
      onDropped: (fields) => {
        this.#dropped = [...new Set([...this.#fitted.dropped, ...fields])];
        facts.dropped = this.#dropped;
      },
      onUsage: (usage, isWhole) => {
        this.#usage = [usage, isWhole];
        this.#onUsage?.(usage, isWhole);
      },
    };
  }
}
