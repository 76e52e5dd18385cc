// One candidate of an answer as its parts arrive: text, thoughts, calls and images as deltas of one choice.

import { asArray, asObject, asString, isObject, type JsonObject } from "../../core/json.ts";
import { malformed } from "../../core/upstream.ts";
import { makeFinish } from "../../operations/chat/finish.ts";
import type {
  ChunkChoice,
  Delta,
  FinishReason,
  ReasoningDetail,
  ToolCallDelta,
} from "../../operations/chat/form.ts";
import { REASONING_FORMAT } from "./contents.ts";
import { listAnnotations, readLogprobs } from "./metadata.ts";
import { applyPartialArgs } from "./partial-args.ts";

type PieceKind = "thought" | "text" | "call";
const RANKS: Readonly<Record<PieceKind, number>> = { thought: 0, text: 1, call: 2 };

interface OpenCall {
  readonly name: string;
  readonly id: string | undefined;
  readonly args: JsonObject;
  signature: string | undefined;
}

/** Consecutive parts of an event that fit the order of one delta: thoughts, text, calls. */
interface Pieces {
  kind: PieceKind;
  text: string;
  thought: string;
  readonly details: ReasoningDetail[];
  readonly calls: ToolCallDelta[];
  readonly images: JsonObject[];
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
  #openCall: OpenCall | null = null;
  /** The last one with a source, since early ones are often empty. */
  #grounding: JsonObject = {};
  #citations: JsonObject = {};

  /** `names` maps the sent tool names to the client's. */
  constructor(index: number, names: ReadonlyMap<string, string>) {
    this.#index = index;
    this.#names = names;
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
    if (asArray(asObject(given.groundingMetadata).groundingChunks).length > 0) {
      this.#grounding = asObject(given.groundingMetadata);
    }
    if (isObject(given.citationMetadata)) this.#citations = given.citationMetadata;
    const pieces: Pieces[] = [];
    for (const part of asArray(asObject(given.content).parts)) this.#part(asObject(part), pieces);
    const logprobs = readLogprobs(given.logprobsResult);
    const choices: ChunkChoice[] = [];
    for (const one of pieces)
      choices.push({ index: this.#index, delta: readDelta(one), finish_reason: null });
    if (!logprobs) return choices;
    const [first = { index: this.#index, delta: {}, finish_reason: null }, ...others] = choices;
    return [{ ...first, logprobs }, ...others];
  }

  /** Returns the citations and the finish. Throws a Fault if the candidate is incomplete. */
  end(): ChunkChoice {
    if (this.#openCall) throw malformed("a function call is incomplete");
    if (this.#finish === null) throw malformed("a candidate has no finishReason");
    const called = this.#finish === "stop" && this.#calls > 0;
    const annotations = listAnnotations(this.#text.join(""), this.#grounding, this.#citations);
    return {
      index: this.#index,
      delta: annotations.length > 0 ? { annotations } : {},
      ...makeFinish(called ? "tool_calls" : this.#finish, this.#nativeFinish),
    };
  }

  /** Code that Google ran, its results and Google's searches are not the answer, and their signatures aren't needed. */
  #part(part: JsonObject, pieces: Pieces[]): void {
    const signature = asString(part.thoughtSignature);
    if (isObject(part.functionCall)) this.#addCall(part.functionCall, signature, pieces);
    else if (typeof part.text === "string" && part.thought === true) {
      this.#addThought(part.text, signature, pieces);
    } else if (typeof part.text === "string") this.#addText(part.text, signature, pieces);
    else if (isObject(part.inlineData) && part.thought !== true) this.#addImage(part.inlineData, pieces);
  }

  #addThought(text: string, signature: string | undefined, all: Pieces[]): void {
    if (text === "" && signature === undefined) return;
    this.#thinking ??= this.#blocks++;
    const signed = signature === undefined ? {} : { signature };
    const pieces = findPieces(all, "thought");
    pieces.thought += text;
    pieces.details.push({
      type: "reasoning.text",
      text,
      ...signed,
      format: REASONING_FORMAT,
      index: this.#thinking,
    });
    if (signature !== undefined) this.#thinking = null;
  }

  #addText(text: string, signature: string | undefined, all: Pieces[]): void {
    if (text !== "") {
      this.#thinking = null;
      this.#text.push(text);
      findPieces(all, "text").text += text;
    }
    if (signature === undefined) return;
    this.#thinking = null;
    const index = this.#blocks++;
    const details = findPieces(all, "thought").details;
    details.push({ type: "reasoning.encrypted", data: signature, format: REASONING_FORMAT, index });
  }

  /** Images are sent in OpenRouter's field `images`. For sound there is no form that clients would read. */
  #addImage(data: JsonObject, all: Pieces[]): void {
    const type = asString(data.mimeType) ?? "";
    if (!type.startsWith("image/")) return;
    const url = `data:${type};base64,${asString(data.data) ?? ""}`;
    findPieces(all, "text").images.push({ type: "image_url", image_url: { url } });
  }

  /** A call arrives whole, or on Vertex AI first its name and then pieces as long as `willContinue` is set. */
  #addCall(given: JsonObject, signature: string | undefined, pieces: Pieces[]): void {
    this.#thinking = null;
    const name = asString(given.name);
    if (name && this.#openCall) this.#close(this.#openCall, pieces);
    const call = name
      ? { name, id: asString(given.id) || undefined, args: { ...asObject(given.args) }, signature }
      : this.#openCall;
    if (!call) throw malformed("a function call has no name");
    call.signature ??= signature;
    applyPartialArgs(call.args, given.partialArgs);
    this.#openCall = call;
    if (given.willContinue !== true) this.#close(call, pieces);
  }

  #close(call: OpenCall, all: Pieces[]): void {
    this.#openCall = null;
    const { id, name, args, signature } = call;
    findPieces(all, "call").calls.push({
      index: this.#calls++,
      ...(id === undefined ? {} : { id }),
      type: "function",
      function: { name: this.#names.get(name) ?? name, arguments: JSON.stringify(args) },
      ...(signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } }),
    });
  }
}

/** Returns the current pieces, or new ones if a part of this kind would be out of order there. */
function findPieces(all: Pieces[], kind: PieceKind): Pieces {
  const last = all.at(-1);
  if (last && RANKS[last.kind] <= RANKS[kind]) {
    last.kind = kind;
    return last;
  }
  const next: Pieces = { kind, text: "", thought: "", details: [], calls: [], images: [] };
  all.push(next);
  return next;
}

function readDelta({ text, thought, details, calls, images }: Pieces): Delta {
  const delta: Delta = {};
  if (thought !== "") delta.reasoning_content = thought;
  if (details.length > 0) delta.reasoning_details = details;
  if (text !== "") delta.content = text;
  if (calls.length > 0) delta.tool_calls = calls;
  if (images.length > 0) delta.images = images;
  return delta;
}
