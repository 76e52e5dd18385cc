// A streamed answer as the events of the Messages API.
import type { Fault } from "../../core/faults/fault.ts";
import { asObject, asString, type JsonObject } from "../../core/json/json.ts";
import type { Sealer } from "../../core/world/world.ts";
import type { Part } from "../../operations/chat/answer/run.ts";
import type { ChatChunk, Finish, Usage } from "../../operations/chat/form.ts";
import { endAsCut } from "../close-json.ts";
import { EventCopier } from "../copied-events.ts";
import { writeCost } from "../cost.ts";
import { KEEP_ALIVE_LINE, namedEvent, typedEvent } from "../event-stream.ts";
import { PartWriter } from "../part-writer.ts";
import type { Stamp, Writer } from "../surface.ts";
import { writeStop, writeUsage } from "./answer.ts";
import { ContentWriter } from "./content-writer.ts";
import { writeError } from "./errors.ts";

const PING = typedEvent({ type: "ping" });

export class MessageWriter extends PartWriter implements Writer<Part> {
  readonly #content: ContentWriter;
  #isStarted = false;
  #refusal = "";
  #finish: Finish = { finish_reason: "stop" };

  constructor(stamp: () => Stamp, seal: Sealer) {
    super(stamp, new EventCopier());
    this.#content = new ContentWriter(seal, () => this.stamp.id);
  }

  /** Only comments may precede the message's start. */
  get keepAlive(): string {
    return this.#isStarted || this.isVerbatim ? PING : KEEP_ALIVE_LINE;
  }

  protected override writeEnd(): string {
    if (this.isVerbatim) return this.showHeld();
    const usage = this.usage ?? { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
    return [
      this.#start(),
      this.#content.end(),
      typedEvent({
        type: "message_delta",
        delta: writeStop(endAsCut(this.#finish, this.#content.isCut), this.#refusal),
        usage: writeUsage(usage),
      }),
      typedEvent({ type: "message_stop" }),
    ].join("");
  }

  protected override writeFailure(fault: Fault, requestId: string): string {
    return namedEvent("error", JSON.stringify(writeError(fault, requestId)));
  }

  protected override writeChunk({ choices }: ChatChunk): string {
    let text = this.#start();
    for (const choice of choices) {
      text += this.#content.write(choice.delta);
      this.#refusal += choice.delta.refusal ?? "";
      const { finish_reason: reason } = choice;
      if (reason !== null) this.#finish = { ...choice, finish_reason: reason };
    }
    return text;
  }

  protected override get isWaiting(): boolean {
    return this.#content.isWaiting;
  }

  #start(): string {
    if (this.#isStarted) return "";
    this.#isStarted = true;
    const { stamp } = this;
    const { id, model } = stamp;
    const message = {
      id,
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      // Clients show this estimate until the provider reports its count at the end.
      usage: {
        input_tokens: stamp.countPrompt(),
        output_tokens: 1,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
    };
    return typedEvent({ type: "message_start", message });
  }

  protected override isLast({ type, delta }: JsonObject): boolean {
    return type === "message_delta" && Boolean(asObject(delta).stop_reason);
  }

  protected override isPiece(): boolean {
    return true;
  }

  protected override show(event: JsonObject, usage?: Usage | null): string {
    const type = asString(event.type);
    return type === undefined ? "" : namedEvent(type, JSON.stringify(this.#stampOn(event, usage)));
  }

  /** Returns Anthropic's own event with our id, the card's name and the cost. */
  #stampOn(event: JsonObject, usage?: Usage | null): JsonObject {
    if (event.type === "message_start") {
      const { id, model } = this.stamp;
      return { ...event, message: { ...asObject(event.message), id, model } };
    }
    if (event.type !== "message_delta" || usage === undefined) return event;
    return { ...event, usage: { ...asObject(event.usage), ...writeCost(usage) } };
  }
}
