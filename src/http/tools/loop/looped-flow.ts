// The stream of an answer of several questions and calls: what the model says as it says it, and the calls in between.
import type { Fault } from "../../../core/fault.ts";
import type { AnswerFlow, Take } from "../../../gateway/answer/flow.ts";
import type { Form } from "../../../operations/form.ts";
import type { OwnTurn } from "../../../surfaces/own-tools.ts";
import type { Writer } from "../../../surfaces/surface.ts";
import type { WrittenAnswer } from "../../door/written-flow.ts";
import { AnswerStamp } from "../../serve/stamp.ts";
import type { LoopedAnswer, LoopedParts, Question } from "./looped-answer.ts";

/** A question that is being answered. */
interface OpenQuestion<F extends Form> {
  readonly flow: AnswerFlow<readonly F["piece"][]>;
  readonly writer: Writer<F["piece"]>;
}

type FlowParts<F extends Form> = Pick<LoopedParts<F>, "ports" | "conversation" | "root">;

/** Its events, as texts. */
export class LoopedFlow<F extends Form> implements WrittenAnswer {
  readonly type = undefined;
  readonly #parts: FlowParts<F>;
  readonly #answer: LoopedAnswer<F>;
  readonly #onEnd: () => void;
  #open: OpenQuestion<F> | null = null;
  #isPoured = false;
  #ending = "";

  /** `onEnd` is called once nothing is under way any more. */
  constructor(parts: FlowParts<F>, answer: LoopedAnswer<F>, onEnd: () => void) {
    this.#parts = parts;
    this.#answer = answer;
    this.#onEnd = onEnd;
  }

  /** Resolves once the first answer of the model has begun. */
  async begin(): Promise<void> {
    const { first } = this.#answer;
    if (first === null) throw new Error("The answer has no first question.");
    this.#open = this.#begin(first);
    try {
      await this.#open.flow.begin();
    } catch (thrown) {
      this.#onEnd();
      throw this.#answer.explain(thrown);
    }
  }

  async pour(take: Take<string>): Promise<void> {
    this.#isPoured = true;
    const show = (text: string) => (text === "" ? null : take(text));
    try {
      this.#ending = await this.#answer.run({ ask: (question) => this.#ask(question, show), show });
    } finally {
      this.#onEnd();
    }
  }

  leave(): void {
    this.#parts.root.end();
    this.#open?.flow.leave();
    if (!this.#isPoured) this.#onEnd();
  }

  end(): string {
    return this.#ending;
  }

  fail(fault: Fault, requestId: string): string {
    return (this.#open?.writer.fail(fault, requestId) ?? "") + this.#parts.conversation.fail(fault);
  }

  get keepAlive(): string | null {
    return this.#open?.writer.keepAlive ?? null;
  }

  #begin({ exchange, context }: Question<F>): OpenQuestion<F> {
    const { ports } = this.#parts;
    const writer = exchange.writer(() => new AnswerStamp(ports, context));
    return { flow: ports.gateway.stream(context), writer };
  }

  async #ask(question: Question<F>, show: (text: string) => Promise<void> | null): Promise<OwnTurn> {
    const isFirst = question === this.#answer.first;
    const { flow, writer } = isFirst && this.#open !== null ? this.#open : this.#begin(question);
    this.#open = { flow, writer };
    try {
      if (!isFirst) await flow.begin();
      await flow.pour((pieces) => show(writer.write(pieces)));
    } catch (thrown) {
      if (!isFirst) await show(this.#breakOff(writer));
      throw thrown;
    }
    await show(writer.end());
    return this.#parts.conversation.take(writer.finish?.() ?? {});
  }

  /** A later answer that fails leaves what it has shown. */
  #breakOff(writer: Writer<F["piece"]>): string {
    const text = writer.end();
    this.#parts.conversation.take({ ...writer.finish?.(), status: "incomplete" });
    return text;
  }
}
