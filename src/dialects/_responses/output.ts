// Output items and stream events of OpenAI's Responses API and of APIs modelled on it, as chat chunks.

import { malformed } from "../../core/faults/malformed.ts";
import { asArray, asCount, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import type { ServerEvent } from "../../core/models/dialect.ts";
import { foldChunks } from "../../operations/chat/answer/fold.ts";
import type { Decoder } from "../../operations/chat/decoder.ts";
import { makeFinish } from "../../operations/chat/finish.ts";
import {
  type ChatChunk,
  type ChatReply,
  type Delta,
  REMOVED,
  type ReasoningDetail,
  type Usage,
} from "../../operations/chat/form.ts";
import { explainEmbeddedError } from "../_chat/error.ts";
import { makeChunk, parseEvent } from "../_chat/event.ts";
import { addTerms } from "../_chat/terms.ts";
import {
  type CallType,
  type ItemTextKind,
  type ItemTextRow,
  makeCallPiece,
  makeCallStart,
  readInput,
  readKey,
  TEXT_EVENTS,
} from "./events.ts";
import { readCitation, readIncomplete, readInputTransformations, readLogprobs } from "./fields.ts";
import { findItemText, findNthText, type Item, type ItemText, makeItem } from "./item-texts.ts";
import { GAP, makePhaseDetail, PhaseNotes } from "./phases.ts";
import { findBehind } from "./turn-order.ts";

/** The format under which thinking is sent to the client and back. */
export const REASONING_FORMAT = "openai-responses-v1";

/** The differences between the dialects of this family. Each answer has its own, which may collect what it sees. */
export interface OutputForm {
  /** Returns the client's name of a called tool, or null if the provider handles the call itself. */
  callName(name: string, type: CallType): string | null;
  /**
   * Receives once each complete item that is neither message, reasoning nor call. Returns what it adds to the answer, or
   * null.
   */
  other(item: JsonObject): Delta | null;
  /** Returns the delta that is sent with the finish, given the whole text and `cited`, true if there were citations. */
  closing(text: string, cited: boolean): { readonly delta: Delta; readonly extras: JsonObject };
  usage(given: JsonObject): Usage;
}

/** The kinds of text that an item without its events may have. */
const NAMELESS: ReadonlyMap<unknown, readonly ItemTextKind[]> = new Map([
  ["message", ["text", "refusal"]],
  ["reasoning", ["summary", "thought"]],
]);

/** Reads one answer: a stream event by event, or a whole response, which is read like a stream's last event. */
export class ResponseReader implements Decoder {
  readonly #form: OutputForm;
  readonly #items = new Map<number | string, Item>();
  readonly #phases = new PhaseNotes();
  /** The `index` of the detail with the phases. Null if there is none yet. */
  #phasesAt: number | null = null;
  readonly #content: string[] = [];
  #contentLength = 0;
  /** The item to which the latest text belongs. */
  #speaker: Item | null = null;
  #calls = 0;
  #details = 0;
  #thinks = false;
  #cited = false;
  #ended = false;

  constructor(form: OutputForm) {
    this.#form = form;
  }

  get done(): boolean {
    return this.#ended;
  }

  push({ event, data }: ServerEvent): readonly ChatChunk[] {
    if (this.#ended || data === "[DONE]" || data.trim() === "") return [];
    const parsed = parseEvent(data);
    return this.#readEvent(asString(parsed.type) ?? event, parsed);
  }

  end(): readonly ChatChunk[] {
    if (!this.#ended) throw malformed("the stream ended before a terminal event");
    return [];
  }

  /** Reads a whole response. Throws a Fault if it failed, is unfinished, or has another form. */
  reply(body: unknown): ChatReply {
    if (!isObject(body)) throw malformed("the response is not a JSON object");
    const { status } = body;
    if (body.error || status === "failed" || status === "cancelled") throw explainEmbeddedError(body);
    const finished = ["completed", "incomplete", "requires_action", undefined];
    if (!Array.isArray(body.output) || !finished.some((one) => one === status)) {
      throw malformed(`the response is not finished: ${String(status)}`);
    }
    return foldChunks(this.#finish(body));
  }

  #readEvent(type: string, event: JsonObject): ChatChunk[] {
    switch (type) {
      case "response.created":
      case "response.in_progress":
        return listRemoved(asObject(event.response));
      case "response.output_item.added":
        return this.#begin(readKey(event), asObject(event.item)).chunks;
      case "response.output_item.done":
        return this.#complete(readKey(event), asObject(event.item));
      case "response.output_text.annotation.added":
        return this.#readAnnotation(event);
      case "response.completed":
      case "response.incomplete":
      case "response.requires_action":
        return this.#readTerminal(event);
      case "response.failed":
      case "response.cancelled":
        throw explainEmbeddedError(asObject(asObject(event.response).error ?? event.error));
      case "error":
        throw explainEmbeddedError(event);
    }
    if (isObject(event.error)) throw explainEmbeddedError(event);
    const row = TEXT_EVENTS.get(type);
    return row ? this.#readTextEvent(row, event) : [];
  }

  #readTextEvent(row: ItemTextRow, event: JsonObject): ChatChunk[] {
    const item = this.#findItem(event);
    const itemText = findItemText(item, row.kind, asCount(event[row.at]));
    return this.#emit(item, itemText, asString(event.delta) ?? "", readLogprobs(event.logprobs));
  }

  #findItem(event: JsonObject): Item {
    const known = this.#items.get(readKey(event));
    return known ?? this.#begin(readKey(event), { id: event.item_id }).item;
  }

  /**
   * Records an item, or what is known of one that has only sent text so far. A call starts at once, with any arguments
   * that it already has (Perplexity sends them whole).
   */
  #begin(key: number | string, given: JsonObject): { item: Item; chunks: ChatChunk[] } {
    const item = this.#items.get(key) ?? makeItem(findBehind(this.#contentLength, this.#calls));
    this.#items.set(key, item);
    item.id ??= asString(given.id);
    item.phase ??= asString(given.phase);
    const type = asString(given.type);
    if (item.type !== undefined || type === undefined) return { item, chunks: [] };
    item.type = type;
    const shown = type === "message" ? [] : this.#showPhases(this.#phases.beginOther());
    if (type !== "function_call" && type !== "custom_tool_call") return { item, chunks: shown };
    const name = this.#form.callName(asString(given.name) ?? "", type);
    if (name === null) return { item, chunks: shown };
    const call = { index: this.#calls++, custom: type === "custom_tool_call" };
    item.call = call;
    const start = makeChunk({ tool_calls: [makeCallStart(given, name, call)] });
    return {
      item,
      chunks: [
        ...shown,
        start,
        ...this.#emitRest(item, findItemText(item, "arguments", 0), readInput(given)),
      ],
    };
  }

  #showPhases(phases: readonly JsonObject[] | null): ChatChunk[] {
    return phases === null ? [] : [makeChunk({ reasoning_details: [this.#makePhaseDetail(phases)] })];
  }

  #makePhaseDetail(phases: readonly JsonObject[]): ReasoningDetail {
    this.#phasesAt ??= this.#details++;
    return makePhaseDetail(phases, { format: REASONING_FORMAT, index: this.#phasesAt });
  }

  /** Completes an item: returns the parts not sent yet. Its type may differ from the one it began with. */
  #complete(key: number | string, given: JsonObject): ChatChunk[] {
    this.#adoptNameless(key, given);
    const { item, chunks } = this.#begin(key, given);
    if (item.whole) return chunks;
    item.whole = true;
    switch (given.type) {
      case "message":
        return [...chunks, ...this.#completeMessage(item, asArray(given.content).map(asObject))];
      case "reasoning":
        return [...chunks, ...this.#completeReasoning(item, given)];
      case "function_call":
      case "custom_tool_call":
        return [...chunks, ...this.#emitRest(item, findItemText(item, "arguments", 0), readInput(given))];
      default: {
        const delta = this.#form.other(given);
        return delta === null ? chunks : [...chunks, makeChunk(delta)];
      }
    }
  }

  /** Text that came without an item's id or place belongs to the first item of its kind that ends. */
  #adoptNameless(key: number | string, { type }: JsonObject): void {
    const nameless = this.#items.get("");
    if (nameless === undefined || nameless.whole || nameless.type !== undefined || this.#items.has(key))
      return;
    const kinds = NAMELESS.get(type) ?? [];
    if (kinds.some((kind) => nameless.texts.has(kind))) this.#items.set(key, nameless);
  }

  #completeMessage(item: Item, parts: readonly JsonObject[]): ChatChunk[] {
    const refusals = parts.filter((part) => part.type === "refusal");
    const texts = parts.filter((part) => part.type === "output_text");
    return [
      ...texts.flatMap((part, nth) => {
        const itemText = findNthText(item, "text", nth);
        const text = this.#emitRest(item, itemText, part.text, readLogprobs(part.logprobs));
        const annotations = asArray(part.annotations).slice(itemText.cited);
        return [...text, ...annotations.flatMap((one) => this.#emitCitation(itemText, one))];
      }),
      ...refusals.flatMap((part, nth) =>
        this.#emitRest(item, findNthText(item, "refusal", nth), part.refusal),
      ),
    ];
  }

  #completeReasoning(item: Item, given: JsonObject): ChatChunk[] {
    const chunks = (["summary", "thought"] as const).flatMap((kind) =>
      asArray(kind === "summary" ? given.summary : given.content)
        .map(asObject)
        .flatMap((part, nth) => this.#emitRest(item, findNthText(item, kind, nth), part.text)),
    );
    const data = asString(given.encrypted_content);
    if (!data) return chunks;
    const detail = { ...this.#makeDetail(item, this.#details++), type: "reasoning.encrypted", data } as const;
    return [...chunks, makeChunk({ reasoning_details: [detail] })];
  }

  /** Sends the part of a whole text that goes beyond its deltas so far. */
  #emitRest(item: Item, itemText: ItemText, whole: unknown, logprobs?: JsonObject): ChatChunk[] {
    const missing = (asString(whole) ?? "").slice(itemText.sent);
    return this.#emit(item, itemText, missing, itemText.sent === 0 ? logprobs : undefined);
  }

  #emit(item: Item, itemText: ItemText, text: string, logprobs?: JsonObject): ChatChunk[] {
    // Arguments of a call that has not begun don't count as sent: they come again with the complete item.
    if (text === "" || (itemText.kind === "arguments" && item.call === null)) return [];
    const first = itemText.sent === 0;
    itemText.sent += text.length;
    switch (itemText.kind) {
      case "text":
        return this.#makeTextChunks(item, itemText, text, first, logprobs);
      case "refusal":
        return [makeChunk({ refusal: text })];
      case "arguments":
        return item.call ? [makeChunk({ tool_calls: [makeCallPiece(item.call, text)] })] : [];
      default:
        return [this.#makeThinkingChunk(item, itemText, text, first)];
    }
  }

  /** A later message of the same answer (commentary first, then the answer itself) is a separate paragraph. */
  #makeTextChunks(
    item: Item,
    itemText: ItemText,
    text: string,
    first: boolean,
    logprobs?: JsonObject,
  ): ChatChunk[] {
    const gap = this.#speaker !== item && this.#contentLength > 0 ? GAP : "";
    const shown = item.size > 0 ? [] : this.#showPhases(this.#phases.beginMessage(item));
    this.#speaker = item;
    if (first) itemText.offset = this.#contentLength + gap.length;
    const content = gap + text;
    this.#content.push(content);
    this.#contentLength += content.length;
    item.size += content.length;
    return [...shown, makeChunk({ content }, logprobs)];
  }

  /** Each summary or thought has its own detail, and is separated from the one before. */
  #makeThinkingChunk(item: Item, itemText: ItemText, text: string, first: boolean): ChatChunk {
    if (first) itemText.detail = this.#details++;
    const gap = first && this.#thinks ? "\n\n" : "";
    this.#thinks = true;
    const said = itemText.kind === "summary" ? { summary: text } : { text };
    const type = itemText.kind === "summary" ? "reasoning.summary" : "reasoning.text";
    const detail: ReasoningDetail = { ...this.#makeDetail(item, itemText.detail), type, ...said };
    return makeChunk({ reasoning_content: gap + text, reasoning_details: [detail] });
  }

  #makeDetail(item: Item, index: number): Omit<ReasoningDetail, "type"> {
    const about = { format: REASONING_FORMAT, index, ...(item.id === undefined ? {} : { id: item.id }) };
    return item.behind === null ? about : { ...about, behind: item.behind };
  }

  #readAnnotation(event: JsonObject): ChatChunk[] {
    const itemText = findItemText(this.#findItem(event), "text", asCount(event.content_index));
    return this.#emitCitation(itemText, event.annotation);
  }

  #emitCitation(itemText: ItemText, annotation: unknown): ChatChunk[] {
    itemText.cited++;
    const annotations = readCitation(annotation, itemText.offset);
    if (annotations.length === 0) return [];
    this.#cited = true;
    return [makeChunk({ annotations })];
  }

  #readTerminal(event: JsonObject): ChatChunk[] {
    const response = asObject(event.response);
    const { status } = response;
    if (status === "failed" || status === "cancelled") throw explainEmbeddedError(response);
    this.#ended = true;
    return this.#finish(
      event.type === "response.incomplete" ? { ...response, status: "incomplete" } : response,
    );
  }

  /**
   * The final list of items holds what the stream may have left out. A place in it may differ from `output_index`
   * (server-side items can be missing), so an item that matches none of the stream's was already sent, unless the
   * stream named no item at all.
   */
  #finish(response: JsonObject): ChatChunk[] {
    const hasItems = this.#items.size > 0;
    const chunks = asArray(response.output)
      .map(asObject)
      .flatMap((given, index) =>
        !hasItems || this.#isSame(index, given) ? this.#complete(index, given) : [],
      );
    const { delta, extras } = this.#form.closing(this.#content.join(""), this.#cited);
    const done = this.#calls > 0 ? "tool_calls" : "stop";
    const isCut = response.status === "incomplete";
    const finish = isCut ? readIncomplete(response) : makeFinish(done, null);
    const [removed] = listRemoved(response);
    const { usage: reported, service_tier: tier } = response;
    const usage = isObject(reported) ? { usage: addTerms(this.#form.usage(reported), tier, reported) } : {};
    const phases = this.#phases.end();
    const last = phases === null ? delta : { ...delta, reasoning_details: [this.#makePhaseDetail(phases)] };
    return [...chunks, { ...removed, ...extras, choices: [{ index: 0, delta: last, ...finish }], ...usage }];
  }

  #isSame(index: number, given: JsonObject): boolean {
    const known = this.#items.get(index);
    if (!known) return false;
    const sameId = known.id === undefined || given.id === undefined || known.id === given.id;
    return sameId && (known.type === undefined || known.type === given.type);
  }
}

/** Returns what was left out of the history as a chunk of its own: it may be known before the first word. */
function listRemoved({ input_transformations: list }: JsonObject): ChatChunk[] {
  const removed = list === undefined ? undefined : readInputTransformations(list);
  return removed ? [{ ...makeChunk({}), [REMOVED]: removed }] : [];
}
