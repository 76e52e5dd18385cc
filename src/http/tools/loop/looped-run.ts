// A request whose model may call the gateway's own tools, as the door runs it.
import { Fault } from "../../../core/fault.ts";
import type { JsonObject } from "../../../core/json/json.ts";
import type { Caller } from "../../../core/keys/key.ts";
import type { ToolLoopBounds } from "../../../core/tools/rules.ts";
import { Ending } from "../../../core/world/ending.ts";
import type { Deadline } from "../../../core/world/world.ts";
import { type Facts, NO_FACTS } from "../../../gateway/call.ts";
import type { RequestContext } from "../../../gateway/context.ts";
import type { Form } from "../../../operations/form.ts";
import { Document, type Surface } from "../../../surfaces/surface.ts";
import { makeIncoming } from "../../conversations/earlier.ts";
import type { Arrival } from "../../door/arrival.ts";
import type { Run } from "../../door/run.ts";
import type { WrittenAnswer } from "../../door/written-flow.ts";
import { type ClientCall, readLimit } from "../../serve/client-call.ts";
import type { Setups } from "../../serve/setups.ts";
import { AnswerStamp } from "../../serve/stamp.ts";
import type { ToolPorts } from "../ports.ts";
import { LoopedAnswer, type LoopedParts, type Question } from "./looped-answer.ts";
import { LoopedFlow } from "./looped-flow.ts";
import { OwnCalls } from "./own-calls.ts";
import type { ShownTools } from "./shown-tools.ts";

/** A request that names such tools. */
interface NamingRequest<F extends Form> {
  readonly ports: ToolPorts;
  readonly surface: Surface<F>;
  readonly setups: Setups<F>;
  readonly arrival: Arrival;
  readonly caller: Caller;
  readonly body: unknown;
  /** Looks for the tools. */
  readonly show: () => Promise<ShownTools>;
}

/** A run that has begun. */
interface Begun<F extends Form> {
  readonly parts: LoopedParts<F>;
  readonly answer: LoopedAnswer<F>;
  readonly first: Question<F>;
  readonly late: Deadline;
}

export class LoopedRun<F extends Form> implements Run<F> {
  readonly ending = new Ending();
  readonly #request: NamingRequest<F>;
  #begun: Begun<F> | null = null;
  #isOpen = false;

  constructor(request: NamingRequest<F>) {
    this.#request = request;
  }

  get call(): ClientCall<F> {
    return this.#running.first.call;
  }

  get context(): RequestContext<F> | null {
    return this.#begun?.first.context ?? null;
  }

  /** Of a stream, those of its first question: its head is sent before the others are asked. */
  get facts(): Facts {
    if (this.#begun === null) return NO_FACTS;
    const { first, answer } = this.#begun;
    return first.call.ask.stream === true ? first.context : answer.describe(first);
  }

  async begin(): Promise<void> {
    const { ports, arrival, show } = this.#request;
    const bounds = ports.toolRules()?.loop;
    if (bounds === undefined) throw new Fault("unsupported_parameter", "There are no tool servers here.");
    const shown = await show();
    const limitAtMs = readLimit(ports, arrival.request.headers);
    const { parts, answer, first } = this.#read(shown, bounds, limitAtMs);
    if (first.call.selection.kind === "selector") await ports.learned();
    const late = ports.deadlines.watch(ports.deadlines.nowMs() + bounds.totalMs, {
      late: () => this.ending.end(makeTotalFault(bounds.totalMs)),
    });
    ports.gateway.underWay.enter(this.ending, first.call.id, first.call);
    this.#begun = { parts, answer, first, late };
    this.#isOpen = true;
  }

  async warmUp(): Promise<void> {
    await this.begin();
    this.ending.end();
    this.close();
    const message = "'generate' can't be false with tools of the gateway's own tool servers.";
    throw new Fault("unsupported_parameter", message, { param: "generate" });
  }

  async ask(): Promise<null> {
    const { parts, answer } = this.#running;
    const { ports, conversation } = parts;
    const ask = async ({ exchange, context }: Question<F>) => {
      const reply = await ports.gateway.complete(context);
      const written = exchange.whole(reply, new AnswerStamp(ports, context));
      if (written instanceof Document) throw new Error("The answer of a model with tools is no object.");
      return conversation.take(written);
    };
    await answer.run({ ask, show: () => null });
    return null;
  }

  write(): JsonObject {
    return this.#running.parts.conversation.finish();
  }

  finish(): JsonObject {
    return this.write();
  }

  stream(): WrittenAnswer {
    const { parts, answer } = this.#running;
    return new LoopedFlow(parts, answer, () => this.close());
  }

  close(): void {
    if (!this.#isOpen || this.#begun === null) return;
    this.#isOpen = false;
    const { ports, arrival } = this.#request;
    const { late, first, answer } = this.#begun;
    late.clear();
    ports.gateway.underWay.leave(this.ending, first.call);
    answer.close();
    arrival.held.release();
  }

  #read(
    shown: ShownTools,
    bounds: ToolLoopBounds,
    limitAtMs: number,
  ): Pick<Begun<F>, "parts" | "answer" | "first"> {
    const { ports, surface, setups, arrival, caller, body } = this.#request;
    const { key } = caller;
    const incoming = makeIncoming(ports, arrival.request, body, key, arrival.earlier);
    const conversation = surface.ownTools?.begin(incoming, shown.servers);
    if (conversation === undefined) throw new Error("The surface has no tools of the gateway.");
    const calls = new OwnCalls({ ports, arrival, shown, surface: surface.name });
    const { pin } = arrival.earlier;
    const own = { shown, bounds, limitAtMs, root: this.ending };
    const parts = { ...own, ports, surface, setups, arrival, caller, pin, conversation, calls };
    const answer = new LoopedAnswer(parts);
    const first = ports.turns.time(key.accountId, arrival.held.bytes, () => answer.prepare(), null);
    return { parts, answer, first };
  }

  get #running(): Begun<F> {
    if (this.#begun === null) throw new Error("The run hasn't begun.");
    return this.#begun;
  }
}

/** Clients see it as the code of a provider that is too slow; to the log, it isn't the provider's doing. */
function makeTotalFault(totalMs: number): Fault {
  const message = `The response took longer than ${totalMs / 1000} s (limited by mcp.loop.total).`;
  return new Fault("client_timeout", message, { shownCode: "upstream_timeout" });
}
