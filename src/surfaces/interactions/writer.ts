// A streamed answer as the events of the Interactions API.
import { errorBody, type Fault } from "../../core/faults/fault.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { Part } from "../../operations/chat/answer/run.ts";
import type { ChatChunk, FinishReason } from "../../operations/chat/form.ts";
import { BLANK_LINES } from "../gemini/writer.ts";
import { PartWriter } from "../part-writer.ts";
import type { Stamp, Writer } from "../surface.ts";
import { beginInteraction, endInteraction, type InteractionContext } from "./answer.ts";
import { DONE, type InteractionEvent, writeEvent } from "./events.ts";
import { StepWriter } from "./step-writer.ts";

export class InteractionWriter extends PartWriter implements Writer<Part> {
  /** As on Google's other streams, whose readers don't all take comments. */
  readonly keepAlive = BLANK_LINES;
  readonly #context: InteractionContext;
  readonly #steps: StepWriter;
  #text = "";
  #isBegun = false;
  #reason: FinishReason = "stop";
  /** The last events, and the whole answer. */
  #ending: { readonly text: string; readonly answer: JsonObject } | null = null;

  constructor(stamp: () => Stamp, context: InteractionContext) {
    super(stamp);
    this.#context = context;
    this.#steps = new StepWriter(context, this.#add);
  }

  finish(): JsonObject {
    this.#ending ??= this.#end();
    return this.#ending.answer;
  }

  protected override writeEnd(): string {
    this.#ending ??= this.#end();
    return this.#ending.text;
  }

  protected override writeFailure(fault: Fault): string {
    const { code, message } = errorBody(fault).error;
    return writeEvent(["error", { error: { code: code ?? fault.code, message } }]);
  }

  #end() {
    this.#begin();
    this.#steps.end();
    const outcome = { reason: this.#reason, writer: this.#steps, usage: this.usage ?? undefined };
    const interaction = endInteraction(this.stamp, this.#context, outcome);
    this.#add(["interaction.completed", { interaction }]);
    return { text: this.#take() + DONE, answer: { ...interaction, steps: this.#steps.list() } };
  }

  readonly #add = (event: InteractionEvent): void => {
    this.#text += writeEvent(event);
  };

  #take(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }

  #begin(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    const interaction = beginInteraction(this.stamp);
    const { id, status } = interaction;
    this.#add(["interaction.created", { interaction }]);
    this.#add(["interaction.status_update", { interaction_id: id, status }]);
  }

  protected override writeChunk({ choices }: ChatChunk): string {
    this.#begin();
    for (const { delta, finish_reason: reason } of choices) {
      this.#steps.write(delta);
      if (reason !== null) this.#reason = reason;
    }
    return this.#take();
  }

  /** No provider's own events are shown: this form has no lane of its own. */
  protected override isLast(): boolean {
    return false;
  }

  protected override isPiece(): boolean {
    return false;
  }

  protected override show(): string {
    return "";
  }
}
