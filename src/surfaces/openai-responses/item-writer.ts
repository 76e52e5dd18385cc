// Writes a streamed answer's output items in order, each with its own events and one that holds the whole item.

import { JsonBudget } from "../../core/json/bounds.ts";
import { asArray, asObject, type JsonObject } from "../../core/json/json.ts";
import { moveCitation } from "../../operations/chat/answer/citations.ts";
import type { Citation, Delta, ReasoningDetail, ToolCallDelta } from "../../operations/chat/form.ts";
import type { WebSearch } from "../../operations/chat/prompt/search-form.ts";
import { CallQueue } from "../call-queue.ts";
import { readCallSignature } from "../signature.ts";
import type { EventNumbers } from "./event-numbers.ts";
import {
  type CallItem,
  endCallItem,
  makeItemId,
  type ResponseContext,
  writeCallItem,
  writeCitation,
  writeReasoning,
  writeText,
} from "./response.ts";
import { asksForSources, writeSearchItem } from "./searches.ts";

interface OpenMessage {
  readonly kind: "message";
  readonly id: string;
  readonly content: JsonObject[];
  part: "output_text" | "refusal";
  text: string;
  /** The length of the answer's text before this message. Citations count from there. */
  readonly start: number;
  readonly annotations: JsonObject[];
  readonly logprobs: unknown[];
}
interface OpenReasoning {
  readonly kind: "reasoning";
  readonly id: string;
  text: string;
  readonly details: ReasoningDetail[];
}
interface OpenCallItem extends CallItem {
  readonly kind: "call";
  readonly call: number;
  input: string;
}
type OpenItem = OpenMessage | OpenReasoning | OpenCallItem;

export class ItemWriter {
  readonly #responseId: string;
  readonly #context: ResponseContext;
  readonly #numbers: EventNumbers;
  readonly #calls = new CallQueue();
  readonly #json = new JsonBudget();
  #open: OpenItem | null = null;
  /** The latest message, which providers may add citations to after it is complete. */
  #message: OpenMessage | null = null;
  #textLength = 0;
  /** Citations that came before the first text (OpenRouter sends them with its search). */
  readonly #early: Citation[] = [];
  /** Signatures of the open message. They end it only once something else follows, since citations may still come. */
  readonly #signatures: ReasoningDetail[] = [];
  /** The complete items. */
  readonly output: JsonObject[] = [];

  constructor(responseId: string, context: ResponseContext, numbers: EventNumbers) {
    this.#responseId = responseId;
    this.#context = context;
    this.#numbers = numbers;
  }

  get isWaiting(): boolean {
    return this.#calls.isWaiting;
  }

  write(given: Delta, logprobs: unknown): string {
    let text = "";
    const said = logprobs ? { ...given, logprobs } : given;
    for (const delta of this.#calls.push(said)) text += this.#write(delta);
    return text;
  }

  #write(delta: Delta): string {
    let text = "";
    if (delta.reasoning_content || delta.reasoning_details?.length) {
      text += this.#think(delta.reasoning_content ?? "", delta.reasoning_details ?? []);
    }
    for (const search of delta.web_searches ?? []) text += this.#search(search);
    if (delta.content)
      text += this.#say("output_text", delta.content, asArray(asObject(delta.logprobs).content));
    if (delta.refusal) text += this.#say("refusal", delta.refusal, []);
    for (const citation of delta.annotations ?? []) text += this.#cite(citation);
    for (const piece of delta.tool_calls ?? []) text += this.#call(piece);
    return text;
  }

  /** `isCut` is true if the answer ended before it was complete. */
  end(isCut: boolean): string {
    let text = "";
    for (const delta of this.#calls.end()) text += this.#write(delta);
    return text + this.#release() + this.#close(isCut ? "incomplete" : "completed");
  }

  #event(type: string, fields: JsonObject): string {
    return this.#numbers.write(`response.${type}`, { output_index: this.output.length, ...fields });
  }

  #think(thought: string, details: readonly ReasoningDetail[]): string {
    if (thought === "" && this.#open?.kind === "message") {
      this.#signatures.push(...details);
      return "";
    }
    let text = "";
    if (this.#open?.kind !== "reasoning") {
      text += this.#close();
      const id = makeItemId("rs", this.#responseId, this.output.length);
      this.#open = { kind: "reasoning", id, text: "", details: [] };
      text += this.#event("output_item.added", { item: { id, type: "reasoning", summary: [] } });
    }
    const open = this.#open;
    for (const detail of [...this.#signatures.splice(0), ...details]) open.details.push(detail);
    if (thought === "") return text;
    const at = { item_id: open.id, summary_index: 0 };
    if (open.text === "") {
      const part = { type: "summary_text", text: "" };
      text += this.#event("reasoning_summary_part.added", { ...at, part });
    }
    open.text += thought;
    return text + this.#event("reasoning_summary_text.delta", { ...at, delta: thought });
  }

  /** Ends the message before its signatures, which become an item of their own. */
  #release(): string {
    return this.#signatures.length === 0 ? "" : this.#close() + this.#think("", []);
  }

  #search(search: WebSearch): string {
    let text = this.#release() + this.#close();
    const id = makeItemId("ws", this.#responseId, this.output.length);
    const item = writeSearchItem(id, search, asksForSources(this.#context.given));
    text += this.#event("output_item.added", { item: { ...item, status: "in_progress" } });
    for (const state of ["in_progress", "searching", "completed"])
      text += this.#event(`web_search_call.${state}`, { item_id: id });
    text += this.#event("output_item.done", { item });
    this.output.push(item);
    return text;
  }

  #say(part: OpenMessage["part"], said: string, logprobs: readonly unknown[]): string {
    let text = this.#release();
    if (this.#open?.kind !== "message") {
      text += this.#close();
      const id = makeItemId("msg", this.#responseId, this.output.length);
      const empty = { text: "", start: this.#textLength, annotations: [], logprobs: [] };
      this.#open = { kind: "message", id, content: [], part, ...empty };
      this.#message = this.#open;
      const item = { id, type: "message", status: "in_progress", role: "assistant", content: [] };
      text += this.#event("output_item.added", { item }) + this.#addPart(this.#open);
    } else if (this.#open.part !== part) {
      text += this.#endPart(this.#open);
      this.#open.part = part;
      text += this.#addPart(this.#open);
    }
    const open = this.#open;
    open.text += said;
    if (part === "output_text") this.#textLength += said.length;
    for (const one of logprobs) open.logprobs.push(one);
    for (const citation of this.#early.splice(0)) text += this.#cite(citation);
    const at = { item_id: open.id, content_index: open.content.length, delta: said };
    if (part === "refusal") return text + this.#event("refusal.delta", at);
    return text + this.#event("output_text.delta", { ...at, logprobs });
  }

  #addPart({ id, part, content }: OpenMessage): string {
    const empty = part === "refusal" ? { type: part, refusal: "" } : writeText("", []);
    return this.#event("content_part.added", { item_id: id, content_index: content.length, part: empty });
  }

  #endPart(open: OpenMessage): string {
    const { id, part, text, content, annotations, logprobs } = open;
    const at = { item_id: id, content_index: content.length };
    const whole =
      part === "refusal" ? { type: part, refusal: text } : { ...writeText(text, annotations), logprobs };
    const done =
      part === "refusal"
        ? this.#event("refusal.done", { ...at, refusal: text })
        : this.#event("output_text.done", { ...at, text, logprobs });
    content.push(whole);
    open.text = "";
    return done + this.#event("content_part.done", { ...at, part: whole });
  }

  /** A citation for a text already sent appears in the final response only. */
  #cite(given: Citation): string {
    const message = this.#message;
    if (message === null) {
      this.#early.push(given);
      return "";
    }
    const isOpen = message === this.#open && message.part === "output_text";
    let text = "";
    for (const annotation of writeCitation(moveCitation(given, message.start))) {
      const annotationIndex = message.annotations.push(annotation) - 1;
      const at = { item_id: message.id, content_index: message.content.length };
      const added = { ...at, annotation_index: annotationIndex, annotation };
      if (isOpen) text += this.#event("output_text.annotation.added", added);
    }
    return text;
  }

  #call(piece: ToolCallDelta): string {
    let text = "";
    if (this.#open?.kind !== "call" || this.#open.call !== piece.index) {
      const signature = readCallSignature(piece);
      if (signature.length > 0) text += this.#think("", signature);
      text += this.#release() + this.#close();
      const isCustom = piece.custom !== undefined;
      this.#open = {
        kind: "call",
        id: makeItemId(isCustom ? "ctc" : "fc", this.#responseId, this.output.length),
        call: piece.index,
        callId: piece.id ?? "",
        name: this.#context.names.restore(piece.function?.name ?? piece.custom?.name ?? ""),
        isCustom,
        input: "",
      };
      text += this.#event("output_item.added", { item: writeCallItem(this.#open, "in_progress") });
    }
    const open = this.#open;
    const input = piece.function?.arguments ?? piece.custom?.input ?? "";
    if (input === "") return text;
    open.input += input;
    const type = open.isCustom ? "custom_tool_call_input.delta" : "function_call_arguments.delta";
    return text + this.#event(type, { item_id: open.id, delta: input });
  }

  #close(status = "completed"): string {
    const open = this.#open;
    if (open === null) return "";
    let text = "";
    let item: JsonObject;
    switch (open.kind) {
      case "message":
        text += this.#endPart(open);
        item = { id: open.id, type: "message", status, role: "assistant", content: open.content };
        break;
      case "reasoning":
        text += this.#endSummary(open);
        item = {
          ...writeReasoning(this.#responseId, this.output.length, open.text, open.details, this.#context),
          id: open.id,
        };
        break;
      case "call": {
        const [type, field] = open.isCustom
          ? ["custom_tool_call_input.done", "input"]
          : ["function_call_arguments.done", "arguments"];
        text += this.#event(type, { item_id: open.id, name: open.name.name, [field]: open.input });
        item = status === "completed" ? endCallItem(open, this.#json) : writeCallItem(open, status);
        break;
      }
    }
    text += this.#event("output_item.done", { item });
    this.output.push(item);
    this.#open = null;
    return text;
  }

  #endSummary({ id, text }: OpenReasoning): string {
    if (text === "") return "";
    const at = { item_id: id, summary_index: 0 };
    return (
      this.#event("reasoning_summary_text.done", { ...at, text }) +
      this.#event("reasoning_summary_part.done", { ...at, part: { type: "summary_text", text } })
    );
  }
}
