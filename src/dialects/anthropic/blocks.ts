// The content blocks of an answer, whole or in pieces, as deltas: one mapping for streams and whole replies.

import { asArray, asObject, asString, isObject, type JsonObject, parseJson } from "../../core/json.ts";
import { makeCitation } from "../../operations/chat/citations.ts";
import type { Delta, ToolCallDelta } from "../../operations/chat/form.ts";
import { makeRedactedDetail, makeThinkingDetail } from "./thinking.ts";
import { OUTPUT_TOOL, readCustomInput } from "./tools.ts";

/** A block between its start and stop. Server tools, their results and unknown kinds are `passed` over. */
type OpenBlock =
  | { readonly kind: "text"; readonly startsAt: number; readonly sources: JsonObject[] }
  | { readonly kind: "thinking" }
  | { readonly kind: "call"; readonly call: number; readonly input: unknown; json: string }
  | {
      readonly kind: "custom";
      readonly start: ToolCallDelta;
      readonly name: string;
      readonly input: unknown;
      json: string;
    }
  | { readonly kind: "output"; readonly input: unknown; json: string }
  | { readonly kind: "passed" };

/** Reads the blocks of one answer. `custom` names the tools that the client declared as custom. */
export class Blocks {
  readonly #custom: ReadonlySet<string>;
  readonly #open = new Map<number, OpenBlock>();
  #contentLength = 0;
  #calls = 0;

  constructor(custom: ReadonlySet<string>) {
    this.#custom = custom;
  }

  /** The number of calls of the client's tools, counted separately from Anthropic's block index. */
  get calls(): number {
    return this.#calls;
  }

  /** Begins a block with what it already holds: nothing in a stream, everything in a whole reply. */
  start(index: number, given: JsonObject): Delta[] {
    switch (given.type) {
      case "text": {
        const sources = asArray(given.citations).filter(isObject);
        this.#open.set(index, { kind: "text", startsAt: this.#contentLength, sources });
        return this.#text(asString(given.text));
      }
      case "thinking":
        this.#open.set(index, { kind: "thinking" });
        return makeThinkingDelta(index, asString(given.thinking) ?? "", asString(given.signature) ?? "");
      case "redacted_thinking":
        this.#open.set(index, { kind: "passed" });
        return [{ reasoning_details: [makeRedactedDetail(index, asString(given.data) ?? "")] }];
      case "tool_use":
        return this.#startCall(index, given);
      default:
        this.#open.set(index, { kind: "passed" });
        return [];
    }
  }

  /** Reads a piece of the block with this index. */
  readDelta(index: number, given: JsonObject): Delta[] {
    const block = this.#open.get(index);
    switch (block?.kind) {
      case "text":
        if (given.type === "citations_delta") block.sources.push(asObject(given.citation));
        return given.type === "text_delta" ? this.#text(asString(given.text)) : [];
      case "thinking":
        return makeThinkingDelta(index, asString(given.thinking) ?? "", asString(given.signature) ?? "");
      case "call":
      case "custom":
      case "output":
        return this.#json(block, asString(given.partial_json) ?? "");
      default:
        return [];
    }
  }

  /** Completes the block with this index. */
  stop(index: number): Delta[] {
    const block = this.#open.get(index);
    this.#open.delete(index);
    switch (block?.kind) {
      case "text":
        return makeCitationsDelta(block.sources, block.startsAt, this.#contentLength);
      case "call":
      case "output":
        // A tool without arguments streams no JSON. In a whole reply the block itself has the input.
        return block.json === "" ? this.#json(block, JSON.stringify(block.input ?? {})) : [];
      case "custom": {
        const json = block.json === "" ? block.input : parseJson(block.json);
        const input = readCustomInput(json, block.json);
        return [{ tool_calls: [{ ...block.start, custom: { name: block.name, input } }] }];
      }
      default:
        return [];
    }
  }

  #startCall(index: number, given: JsonObject): Delta[] {
    const name = asString(given.name) ?? "";
    if (name === OUTPUT_TOOL) {
      this.#open.set(index, { kind: "output", input: given.input, json: "" });
      return [];
    }
    const call = this.#calls++;
    const id = asString(given.id);
    const start = { index: call, ...(id === undefined ? {} : { id }) };
    if (this.#custom.has(name)) {
      this.#open.set(index, {
        kind: "custom",
        start: { ...start, type: "custom" },
        name,
        input: given.input,
        json: "",
      });
      return [];
    }
    this.#open.set(index, { kind: "call", call, input: given.input, json: "" });
    return [{ tool_calls: [{ ...start, type: "function", function: { name, arguments: "" } }] }];
  }

  #json(block: Extract<OpenBlock, { json: string }>, json: string): Delta[] {
    if (json === "") return [];
    block.json += json;
    switch (block.kind) {
      case "call":
        return [{ tool_calls: [{ index: block.call, function: { arguments: json } }] }];
      case "output":
        return this.#text(json);
      case "custom":
        return [];
    }
  }

  #text(text: string | undefined): Delta[] {
    if (!text) return [];
    this.#contentLength += text.length;
    return [{ content: text }];
  }
}

function makeThinkingDelta(index: number, text: string, signature: string): Delta[] {
  if (text === "" && signature === "") return [];
  const details = { reasoning_details: [makeThinkingDetail(index, text, signature)] };
  return [text === "" ? details : { reasoning_content: text, ...details }];
}

/** Messages API, the types of `citations`. The fields of a position in a document are named after their unit. */
function makeCitationsDelta(sources: readonly JsonObject[], start: number, end: number): Delta[] {
  const annotations = sources.flatMap((source) => {
    const unit = "start_char_index" in source ? "char" : "start_page_number" in source ? "page" : "block";
    const field = unit === "page" ? "page_number" : `${unit}_index`;
    return makeCitation(start, end, {
      url: source.url ?? source.source,
      title: source.title ?? source.document_title,
      content: source.cited_text,
      document_id: source.file_id,
      document_index: source.document_index,
      location: { unit, start: source[`start_${field}`], end: source[`end_${field}`] },
    });
  });
  return annotations.length > 0 ? [{ annotations }] : [];
}
