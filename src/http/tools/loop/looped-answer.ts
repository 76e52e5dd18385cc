// The answer to a request whose model may call the gateway's own tools: its questions to the model and its calls, each through
// the gateway as any other request.
import { Fault, toFault } from "../../../core/fault.ts";
import type { Caller } from "../../../core/keys/key.ts";
import type { NanoUsd } from "../../../core/money/money.ts";
import type { ToolLoopBounds } from "../../../core/tools/rules.ts";
import { logBug } from "../../../core/world/bug.ts";
import type { Ending } from "../../../core/world/ending.ts";
import type { Facts } from "../../../gateway/call.ts";
import type { RequestContext } from "../../../gateway/context.ts";
import type { Pin } from "../../../gateway/plan/pin.ts";
import type { Selection } from "../../../gateway/plan/plan.ts";
import { type EarlyEnd, ToolLoop } from "../../../gateway/tools/tool-loop.ts";
import type { Form } from "../../../operations/form.ts";
import type { OwnCall, OwnTurn } from "../../../surfaces/own-tools.ts";
import type { Exchange, Surface, ToolConversation } from "../../../surfaces/surface.ts";
import type { HeldBody } from "../../body/body-memory.ts";
import { pinHistory } from "../../conversations/history.ts";
import type { Arrival } from "../../door/arrival.ts";
import { ClientCall } from "../../serve/client-call.ts";
import { logRefusal } from "../../serve/refused.ts";
import type { Setups } from "../../serve/setups.ts";
import type { ToolPorts } from "../ports.ts";
import { PartClaims } from "./claims.ts";
import type { OwnCalls } from "./own-calls.ts";
import { ResponseCosts } from "./response-costs.ts";
import { followTrace, joinQuestion, type PartTerms } from "./round-calls.ts";
import type { ShownTools } from "./shown-tools.ts";

export interface LoopedParts<F extends Form> {
  readonly ports: ToolPorts;
  readonly surface: Surface<F>;
  readonly setups: Setups<F>;
  readonly arrival: Arrival;
  readonly caller: Caller;
  /** The credential that can read the answer that the request continues from. */
  readonly pin: Pin | null;
  readonly conversation: ToolConversation<F>;
  readonly calls: OwnCalls;
  readonly shown: ShownTools;
  readonly bounds: ToolLoopBounds;
  /** When the client's own time limit ends, on the monotonic clock. */
  readonly limitAtMs: number;
  /** Ends all of it. */
  readonly root: Ending;
}

/** A question to the model, as it is about to be asked. */
export interface Question<F extends Form> {
  readonly exchange: Exchange<F>;
  readonly call: ClientCall<F>;
  readonly context: RequestContext<F>;
}

interface Asking<F extends Form> {
  /** Asks the model, and takes its answer. */
  ask(question: Question<F>): Promise<OwnTurn>;
  /** Shows events of a stream. */
  show(text: string): Promise<void> | null;
}

export class LoopedAnswer<F extends Form> {
  readonly #parts: LoopedParts<F>;
  readonly #costs: ResponseCosts<F>;
  readonly #callsMax: number;
  #claims: PartClaims | null = null;
  #first: Question<F> | null = null;
  #pin: Pin | null;
  /** The model that has answered. Null before, and if the client named it. */
  #chosen: Selection | null = null;
  #asked = 0;
  /** The most that the calls under way may cost. */
  #reservedNanoUsd: NanoUsd = 0;
  /** The memory of the calls' results. */
  readonly #held: HeldBody[] = [];

  constructor(parts: LoopedParts<F>) {
    const { surface, bounds, conversation } = parts;
    this.#parts = parts;
    this.#costs = new ResponseCosts(surface.operation);
    this.#callsMax = Math.min(bounds.callsMax, conversation.callsMax ?? bounds.callsMax);
    this.#pin = parts.pin;
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
    this.#claims = first.call.idempotency && new PartClaims(this.#parts.ports.vault, first.call.idempotency);
    return first;
  }

  /** Returns the end of the stream. Throws what the first question fails with, and `client_gone`. */
  async run({ ask, show }: Asking<F>): Promise<string> {
    const { bounds, root, conversation } = this.#parts;
    const loop = new ToolLoop<OwnCall>({
      bounds: { roundsMax: bounds.roundsMax, callsMax: this.#callsMax },
      ending: root,
      ask: (mayCall) => this.#ask(mayCall, ask),
      run: async (call) => void (await show(await this.#call(call))),
      refuse: async (call) => void (await show(conversation.answer(call, this.#parts.calls.refuse()))),
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
    return thrown instanceof Fault ? this.#parts.shown.explain(thrown) : thrown;
  }

  /** Returns the facts of the whole answer. */
  describe({ context }: Question<F>): Facts {
    return this.#costs.describe(context);
  }

  /** Lets go of what the answer held. */
  close(): void {
    for (const held of this.#held.splice(0)) held.release();
  }

  async #ask(mayCall: boolean, ask: Asking<F>["ask"]): Promise<OwnTurn | null> {
    const isFirst = this.#asked++ === 0;
    if (isFirst) return this.#askOne(this.#first ?? this.prepare(), ask);
    const { ports, surface, arrival } = this.#parts;
    let question: Question<F> | null = null;
    try {
      question = this.#prepare(mayCall);
      return question && (await this.#askOne(question, ask));
    } catch (thrown) {
      logBug(ports, thrown);
      const context = question?.context ?? null;
      if (context === null || context.attempts === 0)
        logRefusal(ports, arrival, surface, context, toFault(thrown));
      throw thrown;
    }
  }

  async #askOne(question: Question<F>, ask: Asking<F>["ask"]): Promise<OwnTurn> {
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
    const { ports, surface, setups, arrival, caller, conversation } = this.#parts;
    const exchange = conversation.ask(mayCall);
    if (exchange === null) return null;
    const { model } = exchange.ask;
    const setup = setups.find(ports.snapshot(), model, caller.key);
    if (this.#first === null) {
      arrival.modelAsked = model;
      if (exchange.history) this.#pin = pinHistory(ports, exchange.history, setup.named, this.#pin);
    }
    const call = new ClientCall(ports, surface, arrival, caller, exchange, setup, this.#pin);
    joinQuestion(call, this.#makeTerms(call), this.#chosen);
    if (this.#first === null) {
      arrival.selection = call.selection;
      arrival.names = call.names;
    }
    return { exchange, call, context: ports.gateway.begin(call) };
  }

  #makeTerms(call: ClientCall<F> | null, place = ""): PartTerms {
    const { root, limitAtMs, arrival, ports } = this.#parts;
    const isFirst = this.#first === null;
    const { trace } = arrival;
    return {
      root,
      responseId: this.#responseId,
      limitAtMs,
      spentNanoUsd: this.#costs.cost + this.#reservedNanoUsd,
      claim: isFirst ? (call?.idempotency ?? null) : (this.#claims?.make(place) ?? null),
      trace: isFirst ? trace : followTrace(trace, ports),
    };
  }

  /** A repeated answer keeps its id. */
  get #responseId(): string | null {
    if (this.#first === null) return null;
    const { call, context } = this.#first;
    return context.replayed?.id ?? call.id;
  }

  /** Returns the events of a call. */
  async #call(call: OwnCall): Promise<string> {
    const { calls, conversation, root } = this.#parts;
    let worstNanoUsd = 0;
    const made = await calls.make(call, (worst) => {
      const terms = this.#makeTerms(null, JSON.stringify(call));
      worstNanoUsd = worst;
      this.#reservedNanoUsd += worst;
      return terms;
    });
    if (made.context !== null) await this.#costs.add(made.context);
    this.#reservedNanoUsd -= worstNanoUsd;
    try {
      this.#hold(made.bytes);
    } catch (thrown) {
      root.end(toFault(thrown));
    }
    return conversation.answer(call, made.result);
  }

  /** A result goes to the model with each further question. */
  #hold(bytes: number): void {
    const { ports, caller } = this.#parts;
    if (bytes > 0) this.#held.push(ports.bodies.reserve(caller.key.accountId, bytes));
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
