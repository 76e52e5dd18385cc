// The answer to a request whose model may call tools that the gateway runs: its questions to the model and its calls, each through
// the gateway as any other request.
import { Fault, toFault } from "../../core/faults/fault.ts";
import type { NanoUsd } from "../../core/money/money.ts";
import type { GatewayToolCall, ToolLoopTurn } from "../../core/tools/gateway-tool-calls.ts";
import type { Form } from "../../operations/form.ts";
import type { Call, Facts } from "../call.ts";
import type { RequestContext } from "../context.ts";
import type { Selection } from "../plan/plan.ts";
import { PartClaims } from "./part-claims.ts";
import { followTrace, joinQuestion, type PartTerms } from "./part-terms.ts";
import type { LoopPorts, Question } from "./port.ts";
import { ResponseCosts } from "./response-costs.ts";
import { type EarlyEnd, ToolLoop } from "./tool-loop.ts";

interface Asking<F extends Form> {
  /** Asks the model, and takes its answer. */
  ask(question: Question<F>): Promise<ToolLoopTurn>;
  /** Shows events of a stream. */
  show(text: string): Promise<void> | null;
}

export class LoopedAnswer<F extends Form> {
  readonly #ports: LoopPorts<F>;
  readonly #costs: ResponseCosts<F>;
  readonly #callsMax: number;
  #claims: PartClaims | null = null;
  #first: Question<F> | null = null;
  /** The model that has answered. Null before, and if the client named it. */
  #chosen: Selection | null = null;
  #asked = 0;
  /** The most that the calls under way may cost. */
  #reservedNanoUsd: NanoUsd = 0;
  /** The memory of the calls' results. */
  readonly #held: ReturnType<LoopPorts<F>["hold"]>[] = [];

  constructor(ports: LoopPorts<F>) {
    const { operation, bounds, conversation } = ports;
    this.#ports = ports;
    this.#costs = new ResponseCosts(operation);
    this.#callsMax = Math.min(bounds.callsMax, conversation.callsMax ?? bounds.callsMax);
  }

  /** The first question to the model, which stands for all of the response until it ends. Null before it was prepared. */
  get first(): Question<F> | null {
    return this.#first;
  }

  /** Prepares the first question. Throws the Fault of a request that can't be asked. */
  prepare(): Question<F> {
    const first = this.#prepare(this.#callsMax > 0);
    if (first === null) throw new Error("The first question has no room for an answer.");
    this.#first = first;
    this.#claims = first.call.idempotency && new PartClaims(this.#ports.vault, first.call.idempotency);
    return first;
  }

  /** Returns the end of the stream. Throws what the first question fails with, and `client_gone`. */
  async run({ ask, show }: Asking<F>): Promise<string> {
    const { bounds, root, conversation } = this.#ports;
    const loop = new ToolLoop<GatewayToolCall>({
      bounds: { roundsMax: bounds.roundsMax, callsMax: this.#callsMax },
      ending: root,
      ask: (mayCall) => this.#ask(mayCall, ask),
      run: async (call) => void (await show(await this.#call(call))),
      refuse: async (call) => void (await show(conversation.answer(call, this.#ports.refuseCall()))),
    });
    const early = await loop.run().catch((thrown: unknown) => {
      throw this.explain(thrown);
    });
    // Nobody is there to get what there is.
    if (root.reason?.code === "client_gone") throw root.reason;
    return conversation.end({ usage: this.#costs.sum(), reason: describeEnd(early) });
  }

  /** Returns what the first question fails with, in words that the client understands. */
  explain(thrown: unknown): unknown {
    return thrown instanceof Fault ? this.#ports.explain(thrown) : thrown;
  }

  /** Returns the facts of the whole answer. */
  describe({ context }: Question<F>): Facts {
    return this.#costs.describe(context);
  }

  /** Lets go of what the answer held. */
  close(): void {
    for (const held of this.#held.splice(0)) held.release();
  }

  async #ask(mayCall: boolean, ask: Asking<F>["ask"]): Promise<ToolLoopTurn | null> {
    const isFirst = this.#asked++ === 0;
    if (isFirst) return this.#askOne(this.#first ?? this.prepare(), ask);
    let question: Question<F> | null = null;
    try {
      question = this.#prepare(mayCall);
      return question && (await this.#askOne(question, ask));
    } catch (thrown) {
      this.#ports.noteFailure(question?.context ?? null, thrown);
      throw thrown;
    }
  }

  async #askOne(question: Question<F>, ask: Asking<F>["ask"]): Promise<ToolLoopTurn> {
    const { context, call } = question;
    try {
      const turn = await ask(question);
      this.#chosen ??= settleChoice(call.selection, context);
      this.#claims?.follow(turn.calls);
      return turn;
    } finally {
      await this.#costs.add(context);
      this.#costs.addTokens(context.usage);
    }
  }

  #prepare(mayCall: boolean): Question<F> | null {
    return this.#ports.makeQuestion(mayCall, (call) =>
      joinQuestion(call, this.#makeTerms(call), this.#chosen),
    );
  }

  #makeTerms(call: Call<F> | null, place = ""): PartTerms {
    const { root, limitAtMs, trace } = this.#ports;
    const isFirst = this.#first === null;
    return {
      root,
      responseId: this.#responseId,
      limitAtMs,
      spentNanoUsd: this.#costs.cost + this.#reservedNanoUsd,
      claim: isFirst ? (call?.idempotency ?? null) : (this.#claims?.make(place) ?? null),
      trace: isFirst ? trace : followTrace(trace, this.#ports),
    };
  }

  /** A repeated answer keeps its id. */
  get #responseId(): string | null {
    if (this.#first === null) return null;
    const { call, context } = this.#first;
    return context.replayed?.id ?? call.id;
  }

  /** Returns the events of a call. */
  async #call(call: GatewayToolCall): Promise<string> {
    const { conversation, root } = this.#ports;
    let worstNanoUsd = 0;
    const made = await this.#ports.makeCall(call, (worst) => {
      const terms = this.#makeTerms(null, JSON.stringify(call));
      worstNanoUsd = worst;
      this.#reservedNanoUsd += worst;
      return terms;
    });
    if (made.context !== null) await this.#costs.add(made.context);
    this.#reservedNanoUsd -= worstNanoUsd;
    try {
      if (made.bytes > 0) this.#held.push(this.#ports.hold(made.bytes));
    } catch (thrown) {
      root.end(toFault(thrown));
    }
    return conversation.answer(call, made.result);
  }
}

/** Returns the model to ask again: the one that has answered, which can read its own thinking. Null for the one that is named. */
function settleChoice<F extends Form>(
  selection: Selection,
  { attempt }: RequestContext<F>,
): Selection | null {
  if (selection.kind === "card" || attempt === null) return null;
  const { card } = attempt;
  if (selection.kind === "selector") return { kind: "card", card, fallbacks: [] };
  const others = selection.members.map((member) => member.card).filter(({ id }) => id !== card.id);
  return { kind: "card", card, fallbacks: [...others, ...selection.fallbacks] };
}

function describeEnd(early: EarlyEnd): string | null {
  if (early === null) return null;
  return early.kind === "output" ? "max_output_tokens" : (early.fault.details.shownCode ?? early.fault.code);
}
