// The stream of an answer of several questions and calls: what the model says as it says it, and the calls in between.
import type { Fault } from "../../core/faults/fault.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { ToolLoopTurn } from "../../core/tools/gateway-tool-calls.ts";
import type { Form } from "../../operations/form.ts";
import type { Take, WrittenAnswer, WrittenPart } from "../answer/flow.ts";
import type { LoopedAnswer } from "./looped-answer.ts";
import type { LoopPorts, Question } from "./port.ts";

type ShowPart = (data: WrittenPart) => Promise<void> | null;

export class LoopedFlow<F extends Form> implements WrittenAnswer {
  readonly type = undefined;
  readonly #ports: Pick<LoopPorts<F>, "conversation" | "root">;
  readonly #answer: LoopedAnswer<F>;
  readonly #onEnd: () => void;
  /** The answer to the question that is being asked. */
  #open: WrittenAnswer | null = null;
  #isPoured = false;
  #ending = "";

  /** `onEnd` is called once nothing is under way any more. */
  constructor(
    ports: Pick<LoopPorts<F>, "conversation" | "root">,
    answer: LoopedAnswer<F>,
    onEnd: () => void,
  ) {
    this.#ports = ports;
    this.#answer = answer;
    this.#onEnd = onEnd;
  }

  /** Resolves once the first answer of the model has begun. */
  async begin(): Promise<void> {
    const { first } = this.#answer;
    if (first === null) throw new Error("The answer has no first question.");
    this.#open = first.stream();
    try {
      await this.#open.begin();
    } catch (thrown) {
      this.#onEnd();
      throw this.#answer.explain(thrown);
    }
  }

  async pour(take: Take<WrittenPart>): Promise<void> {
    this.#isPoured = true;
    const show: ShowPart = (data) => (data.length === 0 ? null : take(data));
    try {
      this.#ending = await this.#answer.run({ ask: (question) => this.#ask(question, show), show });
    } finally {
      this.#onEnd();
    }
  }

  leave(): void {
    this.#ports.root.end();
    this.#open?.leave();
    if (!this.#isPoured) this.#onEnd();
  }

  end(): string {
    return this.#ending;
  }

  fail(fault: Fault, requestId: string): string {
    return (this.#open?.fail(fault, requestId) ?? "") + this.#ports.conversation.fail(fault);
  }

  finish(): JsonObject {
    return this.#ports.conversation.finish();
  }

  get keepAlive(): string | null {
    return this.#open?.keepAlive ?? null;
  }

  async #ask(question: Question<F>, show: ShowPart): Promise<ToolLoopTurn> {
    const isFirst = question === this.#answer.first;
    const answer = isFirst && this.#open !== null ? this.#open : question.stream();
    this.#open = answer;
    try {
      if (!isFirst) await answer.begin();
      await answer.pour(show);
    } catch (thrown) {
      if (!isFirst) await show(this.#breakOff(answer));
      throw thrown;
    }
    await show(answer.end());
    return this.#ports.conversation.take(answer.finish() ?? {});
  }

  /** A later answer that fails leaves what it has shown. */
  #breakOff(answer: WrittenAnswer): string {
    const text = answer.end();
    this.#ports.conversation.take({ ...answer.finish(), status: "incomplete" });
    return text;
  }
}
