// Writes the content blocks of a streamed answer one at a time, even if the provider interleaves them.

import { JsonBudget } from "../../core/json/bounds.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { Sealer } from "../../core/world/world.ts";
import type { Delta, ReasoningDetail, ToolCallDelta } from "../../operations/chat/form.ts";
import type { WebSearch } from "../../operations/chat/prompt/search-form.ts";
import { CallQueue } from "../call-queue.ts";
import { closeJson, isCutEnding } from "../close-json.ts";
import { typedEvent } from "../event-stream.ts";
import { ANTHROPIC_FORMAT, readCallSignature, signThinking } from "../signature.ts";
import { writeCitations } from "./answer.ts";
import { SearchWriter } from "./searches.ts";

interface OpenThinking {
  readonly kind: "thinking";
  text: string;
  readonly details: ReasoningDetail[];
}
interface OpenToolUse {
  readonly kind: "call";
  readonly call: number;
  readonly isCustom: boolean;
  json: string;
}
type OpenBlock = { readonly kind: "text" } | OpenThinking | OpenToolUse;

export class ContentWriter {
  readonly #seal: Sealer;
  readonly #json = new JsonBudget();
  #open: OpenBlock | null = null;
  #hasText = false;
  #next = 0;
  readonly #calls = new CallQueue();
  #isCut = false;
  /** Citations that came before their text (OpenRouter sends them with its search). */
  readonly #early: JsonObject[] = [];
  /** Thinking without text that the provider needs back. */
  readonly #opaque: ReasoningDetail[] = [];

  readonly #readId: () => string;
  #searches: SearchWriter | null = null;

  /** `readId` returns the answer's id once it has begun. */
  constructor(seal: Sealer, readId: () => string) {
    this.#seal = seal;
    this.#readId = readId;
  }

  /** True once a call's arguments were cut off. */
  get isCut(): boolean {
    return this.#isCut;
  }

  get isWaiting(): boolean {
    return this.#calls.isWaiting;
  }

  write(given: Delta): string {
    let text = "";
    for (const delta of this.#calls.push(given)) text += this.#write(delta);
    return text;
  }

  #write(delta: Delta): string {
    let text = "";
    if (delta.reasoning_content || delta.reasoning_details?.length) {
      text += this.#think(delta.reasoning_content ?? "", delta.reasoning_details ?? []);
    }
    for (const search of delta.web_searches ?? []) text += this.#search(search);
    // A refusal after text is reported in the stop reason.
    const said = delta.content || (this.#hasText ? "" : delta.refusal);
    this.#hasText ||= Boolean(delta.content);
    if (said) text += this.#say(said);
    this.#searches?.cite(delta.annotations ?? []);
    for (const citation of writeCitations(delta.annotations)) text += this.#cite(citation);
    for (const piece of delta.tool_calls ?? []) text += this.#call(piece);
    return text;
  }

  end(): string {
    let text = "";
    for (const delta of this.#calls.end()) text += this.#write(delta);
    if (this.#next === 0 && this.#open === null) text += this.#showOpaque();
    text += this.#close();
    for (const result of this.#searches?.end() ?? []) text += this.#block(result);
    return text;
  }

  /** A search's call and its result are blocks of their own. Only the call's input is a piece. */
  #search(search: WebSearch): string {
    this.#searches ??= new SearchWriter(this.#readId());
    const [call = {}, result] = this.#searches.write(search);
    let text = this.#close();
    const input = this.#delta({ type: "input_json_delta", partial_json: JSON.stringify(call.input) });
    text += this.#block({ ...call, input: {} }, input);
    return result === undefined ? text : text + this.#block(result);
  }

  #block(block: JsonObject, pieces = ""): string {
    const text = this.#start(block) + pieces;
    return text + typedEvent({ type: "content_block_stop", index: this.#next++ });
  }

  #think(thought: string, details: readonly ReasoningDetail[]): string {
    if (thought === "" && this.#open?.kind !== "thinking") {
      this.#opaque.push(...details);
      return "";
    }
    const text = this.#open?.kind === "thinking" ? "" : this.#openThinking();
    if (this.#open?.kind !== "thinking") return text;
    this.#open.text += thought;
    for (const detail of details) this.#open.details.push(detail);
    return thought === "" ? text : text + this.#delta({ type: "thinking_delta", thinking: thought });
  }

  #openThinking(): string {
    const text = this.#close() + this.#start({ type: "thinking", thinking: "", signature: "" });
    this.#open = { kind: "thinking", text: "", details: this.#opaque.splice(0) };
    return text;
  }

  /** Thinking that is only a signature goes before what it signs. Last, it would look like the answer to clients. */
  #showOpaque(): string {
    return this.#opaque.length === 0 ? "" : this.#openThinking();
  }

  #say(said: string): string {
    let text = "";
    // A detail in the midst of a text belongs between its two parts, as in a whole answer.
    if (this.#open?.kind !== "text" || this.#opaque.length > 0) {
      text += this.#showOpaque() + this.#close() + this.#start({ type: "text", text: "" });
      this.#open = { kind: "text" };
      for (const citation of this.#early.splice(0)) text += this.#cite(citation);
    }
    return text + this.#delta({ type: "text_delta", text: said });
  }

  #cite(citation: JsonObject): string {
    if (this.#open?.kind === "text") return this.#delta({ type: "citations_delta", citation });
    if (!this.#hasText) this.#early.push(citation);
    return "";
  }

  #call(piece: ToolCallDelta): string {
    let text = "";
    if (this.#open?.kind !== "call" || this.#open.call !== piece.index) {
      const name = piece.function?.name ?? piece.custom?.name ?? "";
      text += this.#think("", readCallSignature(piece));
      text += this.#showOpaque() + this.#close();
      text += this.#start({ type: "tool_use", id: piece.id ?? "", name, input: {} });
      this.#open = { kind: "call", call: piece.index, isCustom: piece.custom !== undefined, json: "" };
    }
    const input = piece.function?.arguments ?? piece.custom?.input ?? "";
    if (input === "") return text;
    this.#open.json += input;
    // A custom tool's text becomes JSON once it is complete.
    return this.#open.isCustom ? text : text + this.#delta({ type: "input_json_delta", partial_json: input });
  }

  #start(block: JsonObject): string {
    return typedEvent({ type: "content_block_start", index: this.#next, content_block: block });
  }

  #delta(delta: JsonObject): string {
    return typedEvent({ type: "content_block_delta", index: this.#next, delta });
  }

  #close(): string {
    const open = this.#open;
    if (open === null) return "";
    let text = "";
    if (open.kind === "thinking") text += this.#sign(open);
    if (open.kind === "call") text += this.#endInput(open);
    text += typedEvent({ type: "content_block_stop", index: this.#next });
    this.#open = null;
    this.#next++;
    return text;
  }

  #sign({ text, details }: OpenThinking): string {
    const isOwn = details.length > 0 && details.every(({ format }) => format === ANTHROPIC_FORMAT);
    const own = isOwn ? details.findLast(({ signature }) => signature)?.signature : undefined;
    const signature = own ?? signThinking(this.#seal, text, details);
    return this.#delta({ type: "signature_delta", signature });
  }

  #endInput({ isCustom, json }: OpenToolUse): string {
    const ending = isCustom ? JSON.stringify({ input: json }) : closeJson(json, this.#json);
    this.#isCut ||= !isCustom && isCutEnding(json, ending);
    return ending ? this.#delta({ type: "input_json_delta", partial_json: ending }) : "";
  }
}
