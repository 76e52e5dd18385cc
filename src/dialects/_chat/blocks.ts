// The content blocks of an answer as deltas, for APIs that number them (Anthropic's Messages, Bedrock's Converse). A
// block of a whole answer is read as if its stream were complete.

import { JsonBudget } from "../../core/json/bounds.ts";
import { asObject } from "../../core/json/json.ts";
import { type GivenSource, makeCitation } from "../../operations/chat/answer/citations.ts";
import type { Delta } from "../../operations/chat/form.ts";
import type { WebSearch } from "../../operations/chat/prompt/search-form.ts";
import { EnvelopeReader } from "./envelope.ts";
import { makeRedactedDetail, makeThinkingDetail } from "./thinking.ts";

/** A text or a call between its start and stop. Nothing needs to be known of other blocks. */
type OpenChatBlock =
  | { readonly kind: "text"; readonly startsAt: number; readonly sources: GivenSource[] }
  | {
      readonly kind: "input";
      /** Null if the input is the answer's text. */
      readonly call: number | null;
      /** The input that came with the start. */
      readonly given: unknown;
      isEmpty: boolean;
      /** Reads the input if it is the answer's text. */
      readonly output?: EnvelopeReader;
    }
  | { readonly kind: "search"; readonly id: string; readonly given: unknown; json: string };

/** A query is a sentence. A longer one isn't read. */
const QUERY_CHARACTERS_MAX = 64 * 1024;

export class Blocks {
  /** The format of the answer's thinking. */
  readonly #format: string;
  readonly #mayUnwrap: boolean;
  readonly #open = new Map<number, OpenChatBlock>();
  /** The queries of the provider's own searches, by their ids. */
  readonly #queries = new Map<string, unknown>();
  readonly #json = new JsonBudget();
  #contentLength = 0;
  #calls = 0;

  /** `mayUnwrap` is true if an input that is the answer's text may come in an envelope. */
  constructor(format: string, mayUnwrap = false) {
    this.#format = format;
    this.#mayUnwrap = mayUnwrap;
  }

  /** The number of calls of the client's tools, counted separately from the API's block index. */
  get calls(): number {
    return this.#calls;
  }

  /** Begins a text block, or continues the one with this index. */
  addText(index: number, text: string): Delta[] {
    this.#openText(index);
    return this.#say(text);
  }

  /** Citations are held back until their text is complete. */
  cite(index: number, source: GivenSource): void {
    this.#openText(index).sources.push(source);
  }

  think(index: number, text: string, signature: string): Delta[] {
    if (text === "" && signature === "") return [];
    const details = { reasoning_details: [makeThinkingDetail(this.#format, index, text, signature)] };
    return [text === "" ? details : { reasoning_content: text, ...details }];
  }

  /** Reads thinking that the provider encrypted. */
  redact(index: number, data: string): Delta[] {
    return [{ reasoning_details: [makeRedactedDetail(this.#format, index, data)] }];
  }

  startCall(index: number, id: string | undefined, name: string, given: unknown): Delta[] {
    const call = this.#calls++;
    this.#open.set(index, { kind: "input", call, given, isEmpty: true });
    const start = { index: call, ...(id === undefined ? {} : { id }) };
    return [{ tool_calls: [{ ...start, type: "function", function: { name, arguments: "" } }] }];
  }

  /** Begins a call whose input is the answer's text. */
  startOutput(index: number, given: unknown): void {
    const output = new EnvelopeReader(this.#mayUnwrap);
    this.#open.set(index, { kind: "input", call: null, given, isEmpty: true, output });
  }

  /** Reads a piece of a call's input. Pieces of other blocks, such as the provider's own calls, are ignored. */
  addInput(index: number, json: string): Delta[] {
    const block = this.#open.get(index);
    if (block?.kind === "search" && block.json.length < QUERY_CHARACTERS_MAX) block.json += json;
    if (block?.kind !== "input" || json === "") return [];
    block.isEmpty = false;
    if (block.call === null) return this.#say(block.output?.push(json) ?? json);
    return [{ tool_calls: [{ index: block.call, function: { arguments: json } }] }];
  }

  /** Begins a search that the provider runs. */
  startSearch(index: number, id: string, given: unknown): void {
    this.#open.set(index, { kind: "search", id, given, json: "" });
  }

  /** Reads a search's result, made from its query. */
  endSearch(id: string, make: (query: unknown) => WebSearch): Delta[] {
    return [{ web_searches: [make(this.#queries.get(id))] }];
  }

  /** Completes the block with this index. A call without arguments streams no input. */
  stop(index: number): Delta[] {
    const block = this.#open.get(index);
    const isBare = block?.kind === "input" && block.isEmpty;
    const input = isBare ? this.addInput(index, JSON.stringify(block.given ?? {})) : [];
    if (block?.kind === "input" && block.output) input.push(...this.#say(block.output.end(this.#json)));
    this.#open.delete(index);
    if (block?.kind === "search") {
      const given = block.json === "" ? block.given : this.#json.parseObject(block.json);
      this.#queries.set(block.id, asObject(given).query);
    }
    if (block?.kind !== "text") return input;
    const { startsAt, sources } = block;
    const annotations = sources.flatMap((source) => makeCitation(startsAt, this.#contentLength, source));
    return annotations.length > 0 ? [{ annotations }] : [];
  }

  #openText(index: number): Extract<OpenChatBlock, { kind: "text" }> {
    const block = this.#open.get(index);
    if (block?.kind === "text") return block;
    const opened = { kind: "text" as const, startsAt: this.#contentLength, sources: [] };
    this.#open.set(index, opened);
    return opened;
  }

  #say(text: string): Delta[] {
    if (text === "") return [];
    this.#contentLength += text.length;
    return [{ content: text }];
  }
}
