// Output items and their stream events, as OpenAI's Responses API and APIs modelled on it send them, as chat chunks.
import type { ChatChunk, ChatReply, Delta, ReasoningDetail, Usage } from "../core/chat.ts";
import type { Decoder, ServerEvent } from "../core/dialect.ts";
import { arrayOf, countOf, isObject, type JsonObject, objectOf, parseJson, stringOf } from "../core/json.ts";
import { garbled } from "../core/upstream.ts";
import { Fold } from "../wire/fold.ts";
import {
  type CallType,
  callStart,
  chunk,
  inputOf,
  keyOf,
  PIECES,
  type PieceKind,
} from "./response-events.ts";
import { citationOf, failure, incompleteReason, logprobsOf } from "./response-fields.ts";

/** The format under which thinking travels to the client and back. */
export const REASONING_FORMAT = "openai-responses-v1";

/** Where the dialects of this family differ. One per answer: it may collect what it sees. */
export interface OutputForm {
  /** The client's name for what is called, or null when the call is the provider's own affair. */
  callName(name: string, type: CallType): string | null;
  /** Sees each whole item that is neither message, reasoning nor call, once. */
  other(item: JsonObject): void;
  /** What leaves with the finish, given the whole text and whether citations came with it. */
  closing(text: string, cited: boolean): { readonly delta: Delta; readonly extras: JsonObject };
  usage(given: JsonObject): Usage;
}

interface Piece {
  /** Characters that went out already: a `.done` adds only what is missing. */
  sent: number;
  cited: number;
  /** Where the piece begins in the content: citations count from there. */
  readonly offset: number;
  /** The `index` of its reasoning detail. */
  readonly detail: number;
}

interface Item {
  readonly id: string | undefined;
  readonly type: string | undefined;
  readonly call: { readonly index: number; readonly custom: boolean } | null;
  readonly pieces: Map<string, Piece>;
  whole: boolean;
}

/** Reads one answer: a stream event by event, or a whole response, which goes the way of a stream's last event. */
export class ResponseReader implements Decoder {
  readonly #form: OutputForm;
  readonly #items = new Map<number | string, Item>();
  readonly #content: string[] = [];
  #contentLength = 0;
  #calls = 0;
  #details = 0;
  #thinks = false;
  #cited = false;
  #ended = false;

  constructor(form: OutputForm) {
    this.#form = form;
  }

  push({ event, data }: ServerEvent): readonly ChatChunk[] {
    if (this.#ended || data === "[DONE]" || data.trim() === "") return [];
    const parsed = parseJson(data);
    if (!isObject(parsed)) throw garbled("a stream event is not a JSON object");
    return this.#event(stringOf(parsed.type) ?? event, parsed);
  }

  end(): readonly ChatChunk[] {
    if (!this.#ended) throw garbled("the stream ended before a terminal event");
    return [];
  }

  /** A whole response. Throws a Fault when it failed, is not finished, or is not of this form. */
  reply(body: unknown): ChatReply {
    if (!isObject(body)) throw garbled("the response is not a JSON object");
    const { status } = body;
    if (body.error || status === "failed" || status === "cancelled") throw failure(body);
    const finished = ["completed", "incomplete", "requires_action", undefined];
    if (!Array.isArray(body.output) || !finished.some((one) => one === status)) {
      throw garbled(`the response is not a finished one: ${String(status)}`);
    }
    const fold = new Fold();
    for (const chunk of this.#finish(body)) fold.push(chunk);
    return fold.reply();
  }

  #event(type: string, event: JsonObject): ChatChunk[] {
    switch (type) {
      case "response.output_item.added":
        return this.#begin(keyOf(event), objectOf(event.item)).chunks;
      case "response.output_item.done":
        return this.#complete(keyOf(event), objectOf(event.item));
      case "response.output_text.annotation.added":
        return this.#annotation(event);
      case "response.completed":
      case "response.incomplete":
      case "response.requires_action":
        return this.#terminal(event);
      case "response.failed":
      case "response.cancelled":
        throw failure(objectOf(objectOf(event.response).error ?? event.error));
      case "error":
        throw failure(event);
    }
    if (isObject(event.error)) throw failure(event);
    return this.#pieceEvent(type, event);
  }

  #pieceEvent(type: string, event: JsonObject): ChatChunk[] {
    const dot = type.lastIndexOf(".");
    const row = PIECES.get(type.slice(0, dot));
    if (!row) return [];
    const item = this.#itemOf(event);
    const part = countOf(event[row.at]);
    const logprobs = logprobsOf(event.logprobs);
    if (type.endsWith(".delta"))
      return this.#emit(item, row.kind, part, stringOf(event.delta) ?? "", logprobs);
    return this.#rest(item, row.kind, part, event[row.whole], logprobs);
  }

  #itemOf(event: JsonObject): Item {
    const known = this.#items.get(keyOf(event));
    return known ?? this.#begin(keyOf(event), { id: event.item_id }).item;
  }

  /** Notes a new item; a call starts at once, with whatever arguments it has (Perplexity gives them whole). */
  #begin(key: number | string, given: JsonObject): { item: Item; chunks: ChatChunk[] } {
    const known = this.#items.get(key);
    if (known) return { item: known, chunks: [] };
    const type = stringOf(given.type);
    const isCall = type === "function_call" || type === "custom_tool_call";
    const name = isCall ? this.#form.callName(stringOf(given.name) ?? "", type) : null;
    const call = name === null ? null : { index: this.#calls++, custom: type === "custom_tool_call" };
    const item: Item = { id: stringOf(given.id), type, call, pieces: new Map(), whole: false };
    this.#items.set(key, item);
    if (call === null || name === null) return { item, chunks: [] };
    const start = callStart(given, name, call);
    return {
      item,
      chunks: [chunk({ tool_calls: [start] }), ...this.#rest(item, "arguments", 0, inputOf(given))],
    };
  }

  /** An item is whole: gives what of it has not gone out yet. Its type may differ from the one it began with. */
  #complete(key: number | string, given: JsonObject): ChatChunk[] {
    const { item, chunks } = this.#begin(key, given);
    if (item.whole) return chunks;
    item.whole = true;
    switch (given.type) {
      case "message":
        return [...chunks, ...this.#message(item, arrayOf(given.content).map(objectOf))];
      case "reasoning":
        return [...chunks, ...this.#reasoning(item, given)];
      case "function_call":
      case "custom_tool_call":
        return [...chunks, ...this.#rest(item, "arguments", 0, inputOf(given))];
      default:
        this.#form.other(given);
        return chunks;
    }
  }

  #message(item: Item, parts: readonly JsonObject[]): ChatChunk[] {
    return parts.flatMap((part, index) => {
      if (part.type === "refusal") return this.#rest(item, "refusal", index, part.refusal);
      if (part.type !== "output_text") return [];
      const text = this.#rest(item, "text", index, part.text, logprobsOf(part.logprobs));
      const piece = this.#pieceOf(item, "text", index);
      const annotations = arrayOf(part.annotations).slice(piece.cited);
      return [...text, ...annotations.flatMap((one) => this.#cite(piece, one))];
    });
  }

  #reasoning(item: Item, given: JsonObject): ChatChunk[] {
    const summaries = arrayOf(given.summary).map(objectOf);
    const thoughts = arrayOf(given.content).map(objectOf);
    const chunks = [
      ...summaries.flatMap((part, index) => this.#rest(item, "summary", index, part.text)),
      ...thoughts.flatMap((part, index) => this.#rest(item, "thought", index, part.text)),
    ];
    const data = stringOf(given.encrypted_content);
    if (!data) return chunks;
    const detail = { ...this.#detail(item, this.#details++), type: "reasoning.encrypted", data } as const;
    return [...chunks, chunk({ reasoning_details: [detail] })];
  }

  /** What a whole text has beyond the deltas of it that came. */
  #rest(item: Item, kind: PieceKind, part: number, whole: unknown, logprobs?: JsonObject): ChatChunk[] {
    const sent = item.pieces.get(`${kind}.${part}`)?.sent ?? 0;
    const missing = (stringOf(whole) ?? "").slice(sent);
    return this.#emit(item, kind, part, missing, sent === 0 ? logprobs : undefined);
  }

  #emit(item: Item, kind: PieceKind, part: number, text: string, logprobs?: JsonObject): ChatChunk[] {
    if (text === "") return [];
    if (kind === "arguments") return this.#arguments(item, text);
    const piece = this.#pieceOf(item, kind, part);
    const first = piece.sent === 0;
    piece.sent += text.length;
    switch (kind) {
      case "text":
        this.#content.push(text);
        this.#contentLength += text.length;
        return [chunk({ content: text }, logprobs)];
      case "refusal":
        return [chunk({ refusal: text })];
      default: {
        const gap = first && this.#thinks ? "\n\n" : "";
        this.#thinks = true;
        const said = kind === "summary" ? { summary: text } : { text };
        const type = kind === "summary" ? "reasoning.summary" : "reasoning.text";
        const detail: ReasoningDetail = { ...this.#detail(item, piece.detail), type, ...said };
        return [chunk({ reasoning_content: gap + text, reasoning_details: [detail] })];
      }
    }
  }

  /** Arguments of a call that has not begun are not counted as sent: they come again with the whole item. */
  #arguments(item: Item, text: string): ChatChunk[] {
    if (item.call === null) return [];
    this.#pieceOf(item, "arguments", 0).sent += text.length;
    const { index, custom } = item.call;
    return [
      chunk({
        tool_calls: [
          { index, ...(custom ? { custom: { input: text } } : { function: { arguments: text } }) },
        ],
      }),
    ];
  }

  #pieceOf(item: Item, kind: PieceKind, part: number): Piece {
    const key = `${kind}.${part}`;
    const known = item.pieces.get(key);
    if (known) return known;
    const detail = kind === "summary" || kind === "thought" ? this.#details++ : 0;
    const piece: Piece = { sent: 0, cited: 0, offset: this.#contentLength, detail };
    item.pieces.set(key, piece);
    return piece;
  }

  #detail(item: Item, index: number): Omit<ReasoningDetail, "type"> {
    return { format: REASONING_FORMAT, index, ...(item.id === undefined ? {} : { id: item.id }) };
  }

  #annotation(event: JsonObject): ChatChunk[] {
    const piece = this.#pieceOf(this.#itemOf(event), "text", countOf(event.content_index));
    return this.#cite(piece, event.annotation);
  }

  #cite(piece: Piece, annotation: unknown): ChatChunk[] {
    piece.cited++;
    const citation = citationOf(annotation, piece.offset);
    if (!citation) return [];
    this.#cited = true;
    return [chunk({ annotations: [citation] })];
  }

  #terminal(event: JsonObject): ChatChunk[] {
    const response = objectOf(event.response);
    const { status } = response;
    if (status === "failed" || status === "cancelled") throw failure(response);
    this.#ended = true;
    return this.#finish(
      event.type === "response.incomplete" ? { ...response, status: "incomplete" } : response,
    );
  }

  /**
   * The final list of items holds what the stream may have left out. A place in it need not be an `output_index`
   * (server-side items can be missing), so one that matches nothing was told already, unless nothing was told at all.
   */
  #finish(response: JsonObject): ChatChunk[] {
    const told = this.#items.size > 0;
    const chunks = arrayOf(response.output)
      .map(objectOf)
      .flatMap((given, index) => (!told || this.#isSame(index, given) ? this.#complete(index, given) : []));
    const { delta, extras } = this.#form.closing(this.#content.join(""), this.#cited);
    const done = this.#calls > 0 ? "tool_calls" : "stop";
    const finish_reason = response.status === "incomplete" ? incompleteReason(response) : done;
    const usage = isObject(response.usage) ? { usage: this.#form.usage(response.usage) } : {};
    return [...chunks, { ...extras, choices: [{ index: 0, delta, finish_reason }], ...usage }];
  }

  #isSame(index: number, given: JsonObject): boolean {
    const known = this.#items.get(index);
    if (!known) return false;
    const sameId = known.id === undefined || given.id === undefined || known.id === given.id;
    return sameId && (known.type === undefined || known.type === given.type);
  }
}
