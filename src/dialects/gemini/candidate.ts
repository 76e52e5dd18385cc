// One candidate of an answer as its parts arrive: text, thoughts, calls and images as deltas of one choice.

import { malformed } from "../../core/faults/malformed.ts";
import { asArray, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import { makeFinish, markUnknown } from "../../operations/chat/finish.ts";
import type { ChunkChoice, Delta, FinishReason, ToolCallDelta } from "../../operations/chat/form.ts";
import type { WebSearch } from "../../operations/chat/prompt/search-form.ts";
import { type GivenPage, makeSearch } from "../../operations/chat/prompt/web-search.ts";
import { REASONING_FORMAT } from "./contents.ts";
import { isUnknownReason, listAnnotations, REASONS, readLogprobs } from "./metadata.ts";
import { applyPartialArgs } from "./partial-args.ts";

interface GeminiCall {
  readonly name: string;
  readonly id: string | undefined;
  readonly args: JsonObject;
  signature: string | undefined;
}

export class Candidate {
  readonly #index: number;
  readonly #names: ReadonlyMap<string, string>;
  readonly #text: string[] = [];
  #finish: FinishReason | null = null;
  #nativeFinish: unknown;
  #blocks = 0;
  /** The index of the current thinking block. Null between blocks. */
  #thinking: number | null = null;
  #calls = 0;
  #openCall: GeminiCall | null = null;
  /** The last one with a source, since early ones are often empty. */
  #grounding: JsonObject = {};
  readonly #queries = new Set<unknown>();
  #isSearchReported = false;
  readonly #isWhole: boolean;
  #citations: JsonObject = {};

  /** `names` maps the sent tool names to the client's. A whole answer's search comes before its text, as it was run. */
  constructor(index: number, names: ReadonlyMap<string, string>, isWhole: boolean) {
    this.#index = index;
    this.#names = names;
    this.#isWhole = isWhole;
  }

  get finished(): boolean {
    return this.#finish !== null;
  }

  /** The reason may be repeated: the last one counts. */
  finish(reason: FinishReason, native: unknown): void {
    this.#finish = reason;
    this.#nativeFinish = native;
  }

  /** Reads one report of this candidate. Returns nothing if it adds nothing to the choice. */
  read(given: JsonObject): ChunkChoice[] {
    const grounding = asObject(given.groundingMetadata);
    if (asArray(grounding.groundingChunks).length > 0) this.#grounding = grounding;
    for (const query of asArray(grounding.webSearchQueries)) this.#queries.add(query);
    if (isObject(given.citationMetadata)) this.#citations = given.citationMetadata;
    const choices: ChunkChoice[] = [];
    for (const search of this.#isWhole ? this.#reportSearch() : [])
      choices.push({ index: this.#index, delta: { web_searches: [search] }, finish_reason: null });
    for (const part of asArray(asObject(given.content).parts))
      for (const delta of this.#part(asObject(part)))
        choices.push({ index: this.#index, delta, finish_reason: null });
    const logprobs = readLogprobs(given.logprobsResult);
    if (!logprobs) return choices;
    const [first = { index: this.#index, delta: {}, finish_reason: null }, ...others] = choices;
    return [{ ...first, logprobs }, ...others];
  }

  /** The search is reported once, in a stream after the text. */
  #reportSearch(): readonly WebSearch[] {
    const pages = asArray(this.#grounding.groundingChunks).flatMap((chunk): readonly GivenPage[] => {
      const { web } = asObject(chunk);
      return isObject(web) ? [{ url: web.uri, title: web.title }] : [];
    });
    if (this.#isSearchReported || this.#queries.size + pages.length === 0) return [];
    this.#isSearchReported = true;
    return [makeSearch([...this.#queries], pages)];
  }

  /** Returns the citations, the search and the finish, which is last. Throws a Fault if the candidate is incomplete. */
  end(): readonly ChunkChoice[] {
    if (this.#openCall) throw malformed("a function call is incomplete");
    if (this.#finish === null) throw malformed("a candidate has no finishReason");
    const called = this.#finish === "stop" && this.#calls > 0;
    const annotations = listAnnotations(this.#text.join(""), this.#grounding, this.#citations);
    const delta = annotations.length > 0 ? { annotations } : {};
    const made = makeFinish(called ? "tool_calls" : this.#finish, this.#nativeFinish);
    const finish = isUnknownReason(this.#nativeFinish)
      ? markUnknown(made, this.#nativeFinish, REASONS)
      : made;
    const searches = this.#reportSearch();
    const index = this.#index;
    if (searches.length === 0) return [{ index, delta, ...finish }];
    return [
      { index, delta, finish_reason: null },
      { index, delta: { web_searches: searches }, ...finish },
    ];
  }

  /** Code that Google ran, its results and Google's searches are not the answer, and their signatures aren't needed. */
  #part(part: JsonObject): Delta[] {
    const signature = asString(part.thoughtSignature);
    const isThought = part.thought === true;
    if (isObject(part.functionCall)) return this.#addCall(part.functionCall, signature);
    if (typeof part.text === "string")
      return isThought ? this.#addThought(part.text, signature) : this.#addText(part.text, signature);
    return isObject(part.inlineData) && !isThought ? readImage(part.inlineData) : [];
  }

  #addThought(text: string, signature: string | undefined): Delta[] {
    if (text === "" && signature === undefined) return [];
    this.#thinking ??= this.#blocks++;
    const index = this.#thinking;
    const signed = signature === undefined ? {} : { signature };
    if (signature !== undefined) this.#thinking = null;
    const detail = { type: "reasoning.text", text, ...signed, format: REASONING_FORMAT, index } as const;
    return [{ ...(text === "" ? {} : { reasoning_content: text }), reasoning_details: [detail] }];
  }

  #addText(text: string, signature: string | undefined): Delta[] {
    if (text !== "" || signature !== undefined) this.#thinking = null;
    if (text !== "") this.#text.push(text);
    const said = text === "" ? [] : [{ content: text }];
    if (signature === undefined) return said;
    const index = this.#blocks++;
    const detail = { type: "reasoning.encrypted", data: signature, format: REASONING_FORMAT, index } as const;
    return [...said, { reasoning_details: [detail] }];
  }

  /** A call arrives whole, or on Vertex AI first its name and then pieces as long as `willContinue` is set. */
  #addCall(given: JsonObject, signature: string | undefined): Delta[] {
    this.#thinking = null;
    const name = asString(given.name);
    const before = name && this.#openCall ? [this.#close(this.#openCall)] : [];
    const call = name
      ? { name, id: asString(given.id) || undefined, args: { ...asObject(given.args) }, signature }
      : this.#openCall;
    if (!call) throw malformed("a function call has no name");
    call.signature ??= signature;
    applyPartialArgs(call.args, given.partialArgs);
    this.#openCall = call;
    return given.willContinue === true ? before : [...before, this.#close(call)];
  }

  #close({ id, name, args, signature }: GeminiCall): Delta {
    this.#openCall = null;
    const call: ToolCallDelta = {
      index: this.#calls++,
      ...(id === undefined ? {} : { id }),
      type: "function",
      function: { name: this.#names.get(name) ?? name, arguments: JSON.stringify(args) },
      ...(signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } }),
    };
    return { tool_calls: [call] };
  }
}

/** Images are sent in OpenRouter's field `images`. For sound there is no form that clients would read. */
function readImage(data: JsonObject): Delta[] {
  const type = asString(data.mimeType) ?? "";
  if (!type.startsWith("image/")) return [];
  const url = `data:${type};base64,${asString(data.data) ?? ""}`;
  return [{ images: [{ type: "image_url", image_url: { url } }] }];
}
