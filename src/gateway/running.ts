// One attempt of a walk under way: its call, what it has told so far, and its end when another one was faster.
import type { ModelCard } from "../core/card.ts";
import type { ChatRequest, Usage } from "../core/chat.ts";
import type { Granted } from "../core/demand.ts";
import { Fault, faultOf } from "../core/fault.ts";
import type { Attempt } from "../router/plan.ts";
import type { Trial } from "../router/trial.ts";
import type { AttemptCall } from "./attempt.ts";
import type { Runner } from "./hedge.ts";
import type { TracingAttempt } from "./tracing.ts";
import type { Upstream } from "./upstream.ts";
import type { Life } from "./walk.ts";

/** How an attempt is made: whole or streamed. */
export interface Way<Result> {
  readonly run: (call: AttemptCall) => Promise<Result>;
  /** Ends what a result that nobody takes still holds. */
  readonly drop: (result: Result) => void;
}

export interface RunningOf<Result> {
  readonly life: Life;
  readonly attempt: Attempt;
  readonly upstream: Upstream;
  readonly trial: Trial;
  readonly traced: TracingAttempt;
  /** Over a new connection. */
  readonly fresh: boolean;
  readonly way: Way<Result>;
  /** When the walk began: all attempts together have one time. */
  readonly startedMs: number;
  readonly nowMs: () => number;
  readonly onFailed: (fault: Fault) => void;
}

export class Running<Result> implements Runner<Result> {
  readonly attempt: Attempt;
  readonly upstream: Upstream;
  readonly totalAtMs: number;
  readonly #of: RunningOf<Result>;
  /** null: no other attempt will be started beside this one. */
  readonly #ending: AbortController | null;
  #dropped: readonly string[] = [];
  #usage: readonly [Usage, boolean] | null = null;
  #onUsage: AttemptCall["onUsage"] | null = null;

  constructor(of: RunningOf<Result>) {
    this.#of = of;
    this.attempt = of.attempt;
    this.upstream = of.upstream;
    this.totalAtMs = of.startedMs + totalMsOf(of.upstream, of.life);
    this.#ending = of.attempt.card.hedge ? new AbortController() : null;
  }

  readonly run = async (): Promise<Result> => {
    const { way, trial, traced, life, nowMs, onFailed } = this.#of;
    try {
      return await way.run(this.#call());
    } catch (thrown) {
      const fault = faultOf(thrown);
      trial.failed(nowMs(), fault);
      life.tally.tracing.ends(traced, "failed", nowMs(), fault);
      if (!this.#ending?.signal.aborted) onFailed(fault);
      throw fault;
    }
  };

  readonly end = (): void => {
    const { trial, traced, life, nowMs } = this.#of;
    life.tally.tracing.ends(traced, "outrun", nowMs());
    trial.outrun(nowMs(), life.call.request.stream === true);
    this.#ending?.abort(new Fault("client_gone", "Another attempt was faster."));
  };

  readonly drop = (result: Result): void => this.#of.way.drop(result);

  /** It has won: the request's facts and its usage are this attempt's, from now on and as far as they were told already. */
  win(): void {
    const { life, attempt, traced } = this.#of;
    life.tally.tracing.won(traced);
    life.facts.model = attempt.card.id;
    life.facts.dropped = this.#dropped;
    this.#onUsage = life.tally.reported;
    if (this.#usage) this.#onUsage(...this.#usage);
  }

  #call(): AttemptCall {
    const { life, attempt, upstream, trial, fresh } = this.#of;
    const { call, facts, granted, ending } = life;
    return {
      ...attempt,
      upstream,
      trial,
      fresh,
      request: withinHold(call.request, attempt.card, granted),
      choiceOffset: 0,
      client: this.#ending ? AbortSignal.any([ending.signal, this.#ending.signal]) : ending.signal,
      totalAtMs: this.totalAtMs,
      onDropped: (fields) => {
        this.#dropped = [...new Set(fields)];
        facts.dropped = this.#dropped;
      },
      onUsage: (usage, isWhole) => {
        this.#usage = [usage, isWhole];
        this.#onUsage?.(usage, isWhole);
      },
    };
  }
}

function totalMsOf({ setup }: Upstream, life: Life): number {
  return Math.min(setup.timeouts.totalMs, life.call.timeoutMs ?? Number.POSITIVE_INFINITY);
}

/** The provider is told the limit that is held for, where the client named none and the model would give more. */
function withinHold(request: ChatRequest, card: ModelCard, { outputTokens }: Granted): ChatRequest {
  const held = outputTokens?.[card.id];
  const isNamed = request.max_tokens !== undefined || request.max_completion_tokens !== undefined;
  // Where only the context bounds the model, so large a limit would leave no room for the prompt.
  const most = card.outputTokensMax ?? card.contextTokensMax ?? Number.MAX_SAFE_INTEGER;
  if (held === undefined || isNamed || held >= most) return request;
  return { ...request, max_completion_tokens: held };
}
