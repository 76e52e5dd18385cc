// A request whose model may call tools that the gateway runs, as the door runs it.
import { Fault } from "../../../core/faults/fault.ts";
import type { JsonObject } from "../../../core/json/json.ts";
import { Ending } from "../../../core/world/ending.ts";
import type { Deadline } from "../../../core/world/world.ts";
import type { WrittenAnswer } from "../../../gateway/answer/flow.ts";
import type { Facts } from "../../../gateway/call.ts";
import type { RequestContext } from "../../../gateway/context.ts";
import { LoopedAnswer } from "../../../gateway/loop/looped-answer.ts";
import { LoopedFlow } from "../../../gateway/loop/looped-flow.ts";
import type { Form } from "../../../operations/form.ts";
import { type ClientCall, readLimit } from "../../door/client-call.ts";
import type { Run } from "../../door/run.ts";
import { type LoopedQuestion, type NamingRequest, QuestionMaker } from "./questions.ts";
import type { ShownTools } from "./shown-tools.ts";

/** The parts of a run once it has begun. */
interface LoopedRunParts<F extends Form> {
  readonly questions: QuestionMaker<F>;
  readonly answer: LoopedAnswer<F>;
  /** The first question, whose call stands for the request. */
  readonly first: LoopedQuestion<F>;
  readonly late: Deadline;
}

export class LoopedRun<F extends Form> implements Run<F> {
  readonly ending = new Ending();
  readonly #request: NamingRequest<F>;
  readonly #show: () => Promise<ShownTools>;
  #parts: LoopedRunParts<F> | null = null;
  #isOpen = false;

  /** `show` looks for the tools. */
  constructor(request: NamingRequest<F>, show: () => Promise<ShownTools>) {
    this.#request = request;
    this.#show = show;
  }

  get call(): ClientCall<F> {
    return this.#running.first.call;
  }

  get facts(): Facts {
    const { first, answer } = this.#running;
    return answer.describe(first);
  }

  async begin(): Promise<RequestContext<F>> {
    const { ports, arrival, caller } = this.#request;
    const bounds = ports.toolRules()?.loop;
    if (bounds === undefined) throw new Fault("unsupported_parameter", "There are no tool servers here.");
    const shown = await this.#show();
    const limitAtMs = readLimit(ports, arrival);
    const questions = new QuestionMaker(this.#request, { shown, bounds, limitAtMs, root: this.ending });
    const answer = new LoopedAnswer(questions);
    ports.turns.time(caller.key.accountId, arrival.held.bytes, () => answer.prepare(), null);
    const { first } = questions;
    if (first === null) throw new Error("The answer has no first question.");
    if (first.call.selection.kind === "selector") await ports.learned();
    const late = ports.deadlines.watch(ports.deadlines.nowMs() + bounds.totalMs, {
      late: () => this.ending.end(makeTotalFault(bounds.totalMs)),
    });
    ports.gateway.underWay.enter(this.ending, first.call.id, first.call);
    this.#parts = { questions, answer, first, late };
    this.#isOpen = true;
    return first.context;
  }

  async warmUp(): Promise<never> {
    await this.begin();
    this.ending.end();
    const message = "'generate' can't be false with tools of the gateway's own tool servers.";
    throw new Fault("unsupported_parameter", message, { param: "generate" });
  }

  async ask(): Promise<null> {
    const { questions, answer } = this.#running;
    const ask = async (question: { ask(): Promise<JsonObject> }) =>
      questions.conversation.take(await question.ask());
    await answer.run({ ask, show: () => null });
    this.close();
    return null;
  }

  write(): JsonObject {
    return this.#running.questions.conversation.finish();
  }

  stream(): WrittenAnswer {
    const { questions, answer } = this.#running;
    return new LoopedFlow(questions, answer, () => this.close());
  }

  close(): void {
    if (!this.#isOpen || this.#parts === null) return;
    this.#isOpen = false;
    const { ports, arrival } = this.#request;
    const { late, first, answer } = this.#parts;
    late.clear();
    ports.gateway.underWay.leave(this.ending, first.call);
    answer.close();
    arrival.held.release();
  }

  get #running(): LoopedRunParts<F> {
    if (this.#parts === null) throw new Error("The run hasn't begun.");
    return this.#parts;
  }
}

/** Clients see it as the code of a provider that is too slow; to the log, it isn't the provider's doing. */
function makeTotalFault(totalMs: number): Fault {
  const message = `The response took longer than ${totalMs / 1000} s (limited by mcp.loop.total).`;
  return new Fault("client_timeout", message, { shownCode: "upstream_timeout" });
}
