// Writes the steps of an answer one after another, whole and as events: both come from the same pieces.
import { JsonBudget } from "../../core/json/bounds.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { Sealer } from "../../core/world/world.ts";
import type { Delta, ReasoningDetail, ToolCallDelta } from "../../operations/chat/form.ts";
import type { WebSearch } from "../../operations/chat/prompt/search-form.ts";
import { CallQueue } from "../call-queue.ts";
import { closeJson, isCutEnding } from "../close-json.ts";
import { encodeSignature } from "../gemini/signature.ts";
import { GEMINI_FORMAT, readCallSignature, sealThinking } from "../signature.ts";
import { type CitedText, CitedTexts } from "./citations.ts";
import {
  addDelta,
  type InteractionEvent,
  listStepEvents,
  makeCitationEvent,
  makeSignatureEvent,
  makeSummaryEvent,
  startStep,
  stopStep,
} from "./events.ts";

interface OpenThought {
  readonly kind: "thought";
  text: string;
  readonly details: ReasoningDetail[];
}
interface OpenTextStep {
  readonly kind: "text";
  readonly cited: CitedText;
}
interface OpenCallStep {
  readonly kind: "call";
  readonly call: number;
  readonly isCustom: boolean;
  readonly id: string;
  readonly name: string;
  json: string;
}

export interface StepOptions {
  readonly seal: Sealer;
  /** True if the client asked to see thinking. */
  readonly showsThoughts: boolean;
}

export class StepWriter {
  readonly #options: StepOptions;
  readonly #emit: (event: InteractionEvent) => void;
  readonly #calls = new CallQueue();
  readonly #json = new JsonBudget();
  readonly #texts = new CitedTexts();
  /** Signatures of the open text. They end it only once something else follows, since citations may still come. */
  readonly #signatures: ReasoningDetail[] = [];
  readonly #steps: (() => JsonObject)[] = [];
  #open: OpenThought | OpenTextStep | OpenCallStep | null = null;
  #hasText = false;
  #hasCalls = false;
  #isCut = false;

  /** `emit` takes the events of a stream, in order. */
  constructor(options: StepOptions, emit: (event: InteractionEvent) => void) {
    this.#options = options;
    this.#emit = emit;
  }

  /** True once a call's arguments were cut off. */
  get isCut(): boolean {
    return this.#isCut;
  }

  get hasCalls(): boolean {
    return this.#hasCalls;
  }

  /** The complete steps. A citation may still be added to an earlier text. */
  list(): readonly JsonObject[] {
    return this.#steps.map((make) => make());
  }

  write(given: Delta): void {
    for (const delta of this.#calls.push(given)) this.#write(delta);
  }

  end(): void {
    for (const delta of this.#calls.end()) this.#write(delta);
    this.#showCitations(true);
    this.#release();
    this.#close();
  }

  #write(delta: Delta): void {
    const details = delta.reasoning_details ?? [];
    const isBehind = (one: ReasoningDetail) => Boolean(delta.content) && isTextSignature(one);
    const before = details.filter((one) => !isBehind(one));
    if (delta.reasoning_content || before.length > 0) this.#think(delta.reasoning_content ?? "", before);
    for (const search of delta.web_searches ?? []) this.#search(search);
    // After text, the status says that the model refused.
    const said = delta.content || (this.#hasText ? "" : delta.refusal);
    this.#hasText ||= Boolean(delta.content);
    if (said) this.#say(said);
    if (delta.annotations) {
      for (const citation of delta.annotations) this.#texts.push(citation);
      this.#showCitations(false);
    }
    const behind = details.filter(isBehind);
    if (behind.length > 0) this.#think("", behind);
    for (const piece of delta.tool_calls ?? []) this.#call(piece);
  }

  get #index(): number {
    return this.#steps.length;
  }

  /** Adds a step that is whole. */
  #add(step: JsonObject): void {
    for (const event of listStepEvents(this.#index, step)) this.#emit(event);
    this.#steps.push(() => step);
  }

  #think(text: string, details: readonly ReasoningDetail[]): void {
    if (text === "" && this.#open?.kind === "text") {
      this.#signatures.push(...details);
      return;
    }
    this.#release();
    if (this.#open?.kind !== "thought") {
      this.#close();
      this.#open = { kind: "thought", text: "", details: [] };
      this.#emit(startStep(this.#index, { type: "thought" }));
    }
    for (const detail of details) this.#open.details.push(detail);
    this.#open.text += text;
    if (text !== "" && this.#options.showsThoughts) this.#emit(makeSummaryEvent(this.#index, text));
  }

  /** Ends the text before its signatures, which become a step of their own. */
  #release(): void {
    if (this.#signatures.length === 0) return;
    this.#close();
    this.#addSignature(this.#signatures.splice(0));
  }

  #addSignature(details: readonly ReasoningDetail[]): void {
    this.#add({ type: "thought", signature: this.#seal("", details) });
  }

  #seal(text: string, details: readonly ReasoningDetail[]): string {
    return encodeSignature(sealThinking(this.#options.seal, { text, details }));
  }

  #search({ queries, pages, error }: WebSearch): void {
    this.#release();
    this.#close();
    const id = `search_${this.#index}`;
    this.#add({ type: "google_search_call", id, arguments: { queries } });
    const result = pages.map(({ url, title }) => ({ url, title }));
    const failed = error === undefined ? {} : { is_error: true };
    this.#add({ type: "google_search_result", call_id: id, result, ...failed });
  }

  #say(said: string): void {
    this.#release();
    if (this.#open?.kind !== "text") {
      this.#close();
      this.#open = { kind: "text", cited: this.#texts.begin(this.#index) };
      this.#emit(startStep(this.#index, { type: "model_output" }));
    }
    this.#texts.add(this.#open.cited, said);
    this.#emit(addDelta(this.#index, { type: "text", text: said }));
    this.#showCitations(false);
  }

  /** Shows the citations that have their text. Of one that is over, too: by its index, readers find it again. */
  #showCitations(isEnd: boolean): void {
    for (const [text, citation] of this.#texts.take(isEnd))
      this.#emit(makeCitationEvent(text.index, [text.cite(citation)]));
  }

  #call(piece: ToolCallDelta): void {
    if (this.#open?.kind !== "call" || this.#open.call !== piece.index) this.#begin(piece);
    const open = this.#open;
    const input = piece.function?.arguments ?? piece.custom?.input ?? "";
    if (open?.kind !== "call" || input === "") return;
    open.json += input;
    // A custom tool's text becomes JSON once it is complete.
    if (!open.isCustom) this.#emitArguments(input);
  }

  #begin(piece: ToolCallDelta): void {
    this.#release();
    this.#close();
    const signature = readCallSignature(piece);
    if (signature.length > 0) this.#addSignature(signature);
    this.#hasCalls = true;
    this.#open = {
      kind: "call",
      call: piece.index,
      isCustom: piece.custom !== undefined,
      id: piece.id ?? "",
      name: piece.function?.name ?? piece.custom?.name ?? "",
      json: "",
    };
    const { id, name } = this.#open;
    this.#emit(startStep(this.#index, { type: "function_call", id, name }));
  }

  #emitArguments(text: string): void {
    this.#emit(addDelta(this.#index, { type: "arguments_delta", arguments: text }));
  }

  #close(): void {
    const open = this.#open;
    if (open === null) return;
    this.#open = null;
    const make = this.#complete(open);
    this.#emit(stopStep(this.#index));
    this.#steps.push(make);
  }

  #complete(open: OpenThought | OpenTextStep | OpenCallStep): () => JsonObject {
    switch (open.kind) {
      case "text":
        return () => writeOutput(open.cited);
      case "call":
        return this.#endCall(open);
      case "thought": {
        const { text, details } = open;
        const signature = this.#seal(text, details);
        this.#emit(makeSignatureEvent(this.#index, signature));
        const isShown = this.#options.showsThoughts && text !== "";
        const summary = isShown ? { summary: [{ type: "text", text }] } : {};
        return () => ({ type: "thought", signature, ...summary });
      }
    }
  }

  /** Clients parse the arguments, so those that were cut off are completed. */
  #endCall({ id, name, isCustom, json }: OpenCallStep): () => JsonObject {
    const ending = isCustom ? JSON.stringify({ input: json }) : closeJson(json, this.#json);
    this.#isCut ||= !isCustom && isCutEnding(json, ending);
    if (ending) this.#emitArguments(ending);
    const given = isCustom ? { input: json } : this.#json.parseObject(json + (ending ?? ""));
    const step = { type: "function_call", id, name, arguments: given ?? { arguments: json } };
    return () => step;
  }
}

/** Gemini's signature of a text. That of a call has the call's id. A whole answer names both before the text. */
function isTextSignature({ type, format, id }: ReasoningDetail): boolean {
  return type === "reasoning.encrypted" && format === GEMINI_FORMAT && !id;
}

function writeOutput({ text, annotations }: CitedText): JsonObject {
  const cited = annotations.length > 0 ? { annotations } : {};
  return { type: "model_output", content: [{ type: "text", text, ...cited }] };
}
