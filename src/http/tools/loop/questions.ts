// The questions and calls of one response, as requests of its sender: the ports of its loop.
import { type Fault, toFault } from "../../../core/faults/fault.ts";
import type { JsonObject } from "../../../core/json/json.ts";
import type { Caller } from "../../../core/keys/key.ts";
import type { TraceContext } from "../../../core/log/trace-context.ts";
import type { GatewayToolCall, GatewayToolResult } from "../../../core/tools/gateway-tool-calls.ts";
import type { ToolLoopBounds } from "../../../core/tools/rules.ts";
import { logBug } from "../../../core/world/bug.ts";
import type { Ending } from "../../../core/world/ending.ts";
import type { WrittenAnswer } from "../../../gateway/answer/flow.ts";
import type { Call } from "../../../gateway/call.ts";
import type { RequestContext } from "../../../gateway/context.ts";
import type { JoinCall, LoopPorts, MadeCall, Question } from "../../../gateway/loop/port.ts";
import type { Pin } from "../../../gateway/plan/pin.ts";
import type { Form } from "../../../operations/form.ts";
import type { Operation } from "../../../operations/operation.ts";
import { Document, type Surface, type ToolConversation } from "../../../surfaces/surface.ts";
import type { HeldBody } from "../../body/body-memory.ts";
import { makeIncoming } from "../../conversations/earlier.ts";
import { pinHistory } from "../../conversations/history.ts";
import type { Arrival } from "../../door/arrival.ts";
import { ClientCall } from "../../door/client-call.ts";
import { type Constraints, openConstraints } from "../../door/constraints.ts";
import { PlainRun } from "../../door/plain-run.ts";
import { logRefusal } from "../../door/refused.ts";
import type { Setups } from "../../door/setups.ts";
import type { ToolPorts } from "../ports.ts";
import { GatewayToolCalls } from "./gateway-tool-calls.ts";
import type { ShownTools } from "./shown-tools.ts";

/** A request that names tools of the gateway. */
export interface NamingRequest<F extends Form> {
  readonly ports: ToolPorts;
  readonly surface: Surface<F>;
  readonly setups: Setups<F>;
  readonly arrival: Arrival;
  readonly caller: Caller;
  readonly body: unknown;
}

/** The terms of its loop. */
interface LoopTerms extends Pick<LoopPorts<Form>, "limitAtMs" | "root"> {
  readonly shown: ShownTools;
  readonly bounds: ToolLoopBounds;
}

/** A question of the loop: the same run as that of a request without such tools. */
export class LoopedQuestion<F extends Form> implements Question<F> {
  readonly call: ClientCall<F>;
  readonly context: RequestContext<F>;
  readonly #run: PlainRun<F>;

  constructor(run: PlainRun<F>) {
    this.#run = run;
    this.call = run.call;
    this.context = run.plan();
  }

  async ask(): Promise<JsonObject> {
    const written = this.#run.write(this.context, await this.#run.ask(this.context));
    if (written instanceof Document) throw new Error("The answer of a model with tools is no object.");
    return written;
  }

  stream(): WrittenAnswer {
    return this.#run.stream(this.context);
  }
}

export class QuestionMaker<F extends Form> implements LoopPorts<F> {
  readonly vault: ToolPorts["vault"];
  readonly random: ToolPorts["random"];
  readonly clock: ToolPorts["clock"];
  readonly operation: Operation<F>;
  readonly bounds: ToolLoopBounds;
  readonly root: Ending;
  readonly limitAtMs: number;
  readonly trace: TraceContext | null;
  readonly conversation: ToolConversation<F>;
  readonly #request: NamingRequest<F>;
  readonly #asked: Constraints<F> | null;
  readonly #shown: ShownTools;
  readonly #calls: GatewayToolCalls;
  #first: LoopedQuestion<F> | null = null;
  /** The credential that can read what the request continues from. */
  #pin: Pin | null;

  /** Throws the Fault of a request that isn't valid. */
  constructor(request: NamingRequest<F>, { shown, bounds, limitAtMs, root }: LoopTerms) {
    const { ports, surface, arrival, caller, body } = request;
    const incoming = makeIncoming(ports, arrival.request, body, caller.key, arrival.earlier);
    const asked = openConstraints({ ports, surface, arrival, key: caller.key }, body);
    const begin = () => surface.gatewayTools?.begin(incoming, shown.servers);
    const conversation = asked === null ? begin() : asked.read(begin);
    if (conversation === undefined) throw new Error("The surface has no tools of the gateway.");
    this.vault = ports.vault;
    this.random = ports.random;
    this.clock = ports.clock;
    this.operation = surface.operation;
    this.bounds = bounds;
    this.root = root;
    this.limitAtMs = limitAtMs;
    this.trace = arrival.trace;
    this.conversation = conversation;
    this.#asked = asked;
    this.#request = request;
    this.#shown = shown;
    this.#calls = new GatewayToolCalls({ ports, arrival, shown, surface: surface.name });
    this.#pin = arrival.earlier.pin;
  }

  /** Null until it is made. */
  get first(): LoopedQuestion<F> | null {
    return this.#first;
  }

  makeQuestion(mayCall: boolean, join: (call: Call<F>) => void): LoopedQuestion<F> | null {
    const { ports, surface, setups, arrival, caller } = this.#request;
    const exchange = this.conversation.ask(mayCall);
    if (exchange === null) return null;
    const { model } = exchange.ask;
    const setup = setups.find(ports.snapshot(), model, caller.key);
    const isFirst = this.#first === null;
    if (isFirst) {
      arrival.modelAsked = model;
      if (exchange.history) this.#pin = pinHistory(ports, exchange.history, setup.named, this.#pin);
    }
    const narrowed = this.#asked === null ? setup : this.#asked.narrow(setup, exchange);
    const call = new ClientCall(ports, surface, arrival, caller, exchange, narrowed, this.#pin);
    this.#asked?.mark(call);
    join(call);
    if (isFirst) {
      arrival.selection = call.selection;
      arrival.names = call.names;
    }
    const question = new LoopedQuestion(new PlainRun(ports, call));
    this.#first ??= question;
    return question;
  }

  makeCall(call: GatewayToolCall, join: JoinCall): Promise<MadeCall> {
    return this.#calls.make(call, join);
  }

  refuseCall(): GatewayToolResult {
    return this.#calls.refuse();
  }

  hold(bytes: number): HeldBody {
    const { ports, caller } = this.#request;
    return ports.bodies.reserve(caller.key.accountId, bytes);
  }

  noteFailure(context: RequestContext<F> | null, thrown: unknown): void {
    const { ports, arrival, surface } = this.#request;
    logBug(ports, thrown);
    if (context === null || context.attempts === 0)
      logRefusal(ports, arrival, surface, context, toFault(thrown));
  }

  explain(fault: Fault): Fault {
    return this.#shown.explain(fault);
  }
}
