// A streamed answer as the events of the Responses API.
import type { Fault } from "../../core/faults/fault.ts";
import { isObject, type JsonObject } from "../../core/json/json.ts";
import type { Part } from "../../operations/chat/answer/run.ts";
import type { ShownEvents } from "../../operations/chat/answer/shown-events.ts";
import type { ChatChunk, FinishReason, Usage } from "../../operations/chat/form.ts";
import { EventCopier } from "../copied-events.ts";
import { KEEP_ALIVE_LINE } from "../event-stream.ts";
import { PartWriter } from "../part-writer.ts";
import type { Stamp, Writer } from "../surface.ts";
import { isSummary, wrapSummary } from "./compaction/summary.ts";
import { writeFailure } from "./errors.ts";
import { EventNumbers } from "./event-numbers.ts";
import { ItemWriter } from "./item-writer.ts";
import {
  endResponse,
  type ResponseContext,
  readIncomplete,
  stampState,
  stampVerbatim,
  startResponse,
} from "./response.ts";

const FINAL: ReadonlySet<unknown> = new Set(["response.completed", "response.incomplete"]);
/** A name is a line of its own: with a line break in it, the provider could forge an event. */
const EVENT_NAME = /^[\w.-]+$/;
/** Events that contain a piece of text and nothing of the response. */
const PIECE_NAME = /^[\w.-]+\.delta$/;
/** Can't match within a text, where the quotes around the name are escaped. */
const NUMBER = /"sequence_number":(\d+)/;

export class ResponseWriter extends PartWriter implements Writer<Part> {
  readonly keepAlive = KEEP_ALIVE_LINE;
  readonly #context: ResponseContext;
  readonly #numbers: EventNumbers;
  #items: ItemWriter | null = null;
  #started: JsonObject | null = null;
  /** The provider's own response as last shown. */
  #shown: JsonObject = {};
  #reason: FinishReason = "stop";
  /** The last events, and the whole response that they show. */
  #ending: { readonly text: string; readonly response: JsonObject } | null = null;

  constructor(stamp: () => Stamp, context: ResponseContext, numbers = new EventNumbers()) {
    super(stamp, new EventCopier(numbers));
    this.#context = context;
    this.#numbers = numbers;
  }

  finish(): JsonObject {
    this.catchUp();
    this.#ending ??= this.#end();
    return this.#ending.response;
  }

  protected override writeEnd(): string {
    this.#ending ??= this.#end();
    return this.#ending.text;
  }

  #end() {
    if (this.isVerbatim) return { text: this.showHeld(), response: this.#shown };
    const started = this.#start();
    const items = this.#items?.end(readIncomplete(this.#reason) !== null) ?? "";
    const output = this.#items?.output ?? [];
    const response = endResponse(this.#started ?? {}, output, this.#reason, this.usage ?? undefined);
    const last = this.#numbers.write(`response.${response.status}`, { response });
    return { text: started + items + last, response };
  }

  protected override writeFailure(fault: Fault): string {
    const started = this.isVerbatim ? "" : this.#start();
    const base = this.#started ?? startResponse(this.#context, this.stamp);
    const output = this.#items?.output ?? [];
    const response = { ...base, status: "failed", error: writeFailure(fault), output };
    return started + this.#numbers.write("response.failed", { response });
  }

  protected override writeChunk({ choices }: ChatChunk): string {
    let text = this.#start();
    for (const { delta, finish_reason: reason, logprobs } of choices) {
      text += this.#items?.write(delta, logprobs) ?? "";
      if (reason !== null) this.#reason = reason;
    }
    return text;
  }

  protected override get isWaiting(): boolean {
    return this.#items?.isWaiting ?? false;
  }

  #start(): string {
    if (this.#started !== null) return "";
    this.#started = startResponse(this.#context, this.stamp);
    this.#items = new ItemWriter(this.stamp.id, this.#context, this.#numbers);
    const response = this.#started;
    return (
      this.#numbers.write("response.created", { response }) +
      this.#numbers.write("response.in_progress", { response })
    );
  }

  protected override passOn(event: JsonObject): string {
    this.#numbers.follow(event.sequence_number);
    return super.passOn(event);
  }

  protected override passRunOn(shown: ShownEvents): string {
    const [, number] = NUMBER.exec(shown.last) ?? [];
    if (number !== undefined && this.isPiece(shown.type)) this.#numbers.follow(Number(number));
    return super.passRunOn(shown);
  }

  protected override isLast({ type }: JsonObject): boolean {
    return FINAL.has(type);
  }

  protected override isPiece(type: string): boolean {
    return this.#numbers.passesOn && PIECE_NAME.test(type);
  }

  protected override show(event: JsonObject, usage?: Usage | null): string {
    const { type, response } = event;
    if (typeof type !== "string" || !EVENT_NAME.test(type)) return "";
    if (!isObject(response)) return this.#numbers.pass(this.#wrap(event));
    this.#shown = this.#stampOn(response, usage ?? undefined);
    return this.#numbers.pass({ ...event, response: this.#shown });
  }

  /** An item of the provider's that nobody else reads leaves with its place. */
  #wrap(event: JsonObject): JsonObject {
    return isSummary(event.item) ? { ...event, item: wrapSummary(event.item, this.stamp) } : event;
  }

  /** Returns OpenAI's own response with our id, the card's name and the cost. */
  #stampOn(response: JsonObject, usage: Usage | undefined): JsonObject {
    if (isObject(response.usage)) return stampVerbatim(response, this.stamp, usage, this.#context);
    return { ...response, ...stampState(response, this.stamp, this.#context), model: this.stamp.model };
  }
}
