// The one attempt of a tool's call: what is recorded of it, and the answer that it makes of the server's reply.
import type { Attempt } from "../../core/attempt.ts";
import { formatTraceparent } from "../../core/log/trace-context.ts";
import type { ModelCard } from "../../core/models/card.ts";
import { NO_AMOUNTS } from "../../core/money/units.ts";
import type { ToolAnswer, ToolForm } from "../../operations/tool/form.ts";
import type { RequestContext } from "../context.ts";
import { TracingAttempt } from "../settle/tracing.ts";

/** A call that the server has refused itself, or that brought no result, costs nothing. */
function makeFree(card: ModelCard): ModelCard {
  return { ...card, price: card.price && { ...card.price, perRequest: 0 } };
}

export class ToolAttempt extends TracingAttempt {
  readonly #context: RequestContext<ToolForm>;
  readonly #attempt: Attempt;

  constructor(context: RequestContext<ToolForm>, attempt: Attempt, nowMs: number) {
    super(attempt.card, attempt.card, null, undefined, nowMs, context.tracing.nameSpan());
    this.#context = context;
    this.#attempt = attempt;
  }

  get traceparent(): string | null {
    const { trace } = this.#context.call;
    return trace?.isPropagated && this.spanId !== null ? formatTraceparent(trace, this.spanId) : null;
  }

  /** The arguments are about to be sent. From then on, a client that leaves pays for the call. */
  recordSent(nowMs: number): void {
    if (this.calls === 0) this.#context.tracing.recordCall(this, nowMs, "usual");
  }

  /** Makes it the one that answers. */
  win(nowMs: number, isFree = false): void {
    const context = this.#context;
    const card = isFree ? makeFree(this.card) : this.card;
    const sent = { ask: context.ask, card, calls: 1, unreadBytes: 0, rounds: 0 };
    context.recordAnswer(this.#attempt, this, sent, nowMs);
  }

  /** The same for a result that can't be shown. */
  winUnread(nowMs: number): void {
    this.win(nowMs);
    this.#context.measure([{ kind: "reply", reply: this.makeAnswer({}) }]);
  }

  makeAnswer(result: ToolAnswer["result"]): ToolAnswer {
    // The price is known, and not an estimate of what was produced.
    const terms = { costUsd: this.card.price?.perRequest ?? 0 };
    return { name: this.card.name, result, usage: { amounts: NO_AMOUNTS, terms } };
  }
}
