// Answers of servers that leave out what the form of the Responses API requires: clients that read the form strictly fail on
// them (llama.cpp's lack `sequence_number`, `output_index`, `content_index` and half of the response's fields, November 2026).
import { asArray, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { ServerEvent } from "../../core/models/dialect.ts";
import type { Decoder } from "../../operations/chat/decoder.ts";
import type { ChatChunk, ChatRequest } from "../../operations/chat/form.ts";
import { parseEvent } from "../_chat/event.ts";
import type { ChatLane } from "../dialect.ts";
import { encode } from "./encode.ts";
import { MadeItems } from "./made-items.ts";

const NOWHERE = { baseUrl: "", secret: null, headers: {} };
/** The fields of a request that its response repeats. */
const ECHOED = [
  ...([
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "parallel_tool_calls",
    "prompt_cache_key",
  ] as const),
  ...([
    "reasoning",
    "safety_identifier",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_logprobs",
  ] as const),
  "top_p",
] as const;

/** Returns what a response has if nothing else is said (Open Responses, OpenAPI document of 24 April 2026). */
function makeDefaults(request: ChatRequest, card: ModelCard): JsonObject {
  const { body } = encode({ ...request, messages: [] }, card, NOWHERE);
  const echoed = ECHOED.flatMap((field) => (body[field] === undefined ? [] : [[field, body[field]]]));
  return {
    ...DEFAULTS,
    ...Object.fromEntries(echoed),
    text: asObject(body.text),
    tools: asArray(body.tools),
  };
}

const DEFAULTS: JsonObject = {
  object: "response",
  completed_at: null,
  status: "in_progress",
  background: false,
  error: null,
  frequency_penalty: 0,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  output: [],
  parallel_tool_calls: true,
  presence_penalty: 0,
  previous_response_id: null,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: "default",
  store: false,
  temperature: 1,
  tool_choice: "auto",
  top_logprobs: 0,
  top_p: 1,
  truncation: "disabled",
  usage: null,
};

function completeText(text: JsonObject): JsonObject {
  const format = fill(asObject(text.format), { type: "text" });
  const named = format.type === "json_schema" ? fill(format, { description: null, strict: false }) : format;
  return { ...text, format: named };
}

function completeTool(tool: JsonObject): JsonObject {
  return tool.type === "function" ? fill(tool, { description: null, parameters: null, strict: null }) : tool;
}

/** Returns the object with those of the fields that it lacks. The same object if it lacks none. */
function fill(given: JsonObject, defaults: JsonObject): JsonObject {
  const missing = Object.keys(defaults).filter((field) => given[field] === undefined);
  if (missing.length === 0) return given;
  return { ...given, ...Object.fromEntries(missing.map((field) => [field, defaults[field]])) };
}

function fillList(value: unknown, complete: (one: JsonObject) => JsonObject): readonly unknown[] {
  return asArray(value).map((one) => (isObject(one) ? complete(one) : one));
}

function completePart(part: JsonObject): JsonObject {
  return part.type === "output_text" ? fill(part, { annotations: [], logprobs: [] }) : part;
}

function completeItem(item: JsonObject, status: string): JsonObject {
  switch (item.type) {
    case "message": {
      const message = fill(item, { role: "assistant", status, content: [] });
      return { ...message, content: fillList(message.content, completePart) };
    }
    case "function_call":
      return fill(item, { status, arguments: "" });
    case "reasoning":
      return fill(item, { summary: [] });
    default:
      return item;
  }
}

function completeUsage(usage: JsonObject): JsonObject {
  const { input_tokens: input, output_tokens: output } = usage;
  const total = typeof input === "number" && typeof output === "number" ? input + output : 0;
  const filled = fill(usage, { input_tokens: 0, output_tokens: 0, total_tokens: total });
  return {
    ...filled,
    input_tokens_details: fill(asObject(filled.input_tokens_details), {
      cached_tokens: 0,
      cache_write_tokens: 0,
    }),
    output_tokens_details: fill(asObject(filled.output_tokens_details), { reasoning_tokens: 0 }),
  };
}

function completeResponse(response: JsonObject, defaults: JsonObject): JsonObject {
  const filled = fill(response, defaults);
  const usage = isObject(filled.usage) ? completeUsage(filled.usage) : null;
  return {
    ...filled,
    output: fillList(filled.output, (item) => completeItem(item, "completed")),
    text: completeText(asObject(filled.text)),
    tools: fillList(filled.tools, completeTool),
    usage,
  };
}

/** Events about one part of an item, by the beginning of their type. */
const PART_EVENTS = /^response\.(content_part|output_text|refusal|reasoning_text)\./;
/** Events about a part of a summary. */
const SUMMARY_EVENTS = /^response\.reasoning_summary/;
/** Events about an item. */
const ITEM_EVENTS = /^response\.(output_item|function_call_arguments|custom_tool_call_input)\./;

/** Completes a stream's events, and hands them to a decoder as they came. */
class CompletingDecoder implements Decoder {
  readonly #inner: Decoder;
  readonly #defaults: JsonObject;
  /** The next number, the items so far by their ids, and the parts of the current one. */
  #number = 0;
  readonly #made = new MadeItems();
  /** The events that were made so far: by so much the server's own numbers are too low. */
  #added = 0;
  readonly #places = new Map<string, number>();
  #items = 0;
  #parts = 0;

  constructor(inner: Decoder, defaults: JsonObject) {
    this.#inner = inner;
    this.#defaults = defaults;
  }

  get done(): boolean {
    return this.#inner.done;
  }

  push(event: ServerEvent): readonly ChatChunk[] {
    return this.#inner.push(event);
  }

  end(): readonly ChatChunk[] {
    return this.#inner.end();
  }

  restate(event: ServerEvent): readonly ServerEvent[] | null {
    if (event.data === "[DONE]" || event.data.trim() === "") return null;
    const given = parseEvent(event.data);
    const type = asString(given.type) ?? event.event;
    const before = this.#made.listBefore(type, given);
    const events = before.map((one) => this.#write(String(one.type), one));
    this.#added += before.length;
    const filled = this.#finish(type, this.#made.name(type, given));
    if (filled === given) return null;
    return [...events, { event: event.event, data: JSON.stringify(filled) }];
  }

  #write(type: string, event: JsonObject): ServerEvent {
    return { event: type, data: JSON.stringify(this.#finish(type, event)) };
  }

  /** Returns the same event if it lacks nothing. */
  #finish(type: string, event: JsonObject): JsonObject {
    const { sequence_number: own } = event;
    const isLow = this.#added > 0 && typeof own === "number";
    const numbered = isLow ? { ...event, sequence_number: own + this.#added } : event;
    const filled = fill(this.#complete(type, numbered), { type, sequence_number: this.#number });
    this.#number = Number(filled.sequence_number) + 1;
    return filled;
  }

  #complete(type: string, event: JsonObject): JsonObject {
    if (isObject(event.response)) {
      return { ...event, response: completeResponse(this.#made.addTo(event.response), this.#defaults) };
    }
    if (type === "response.output_item.added") return this.#begin(event);
    if (type === "response.content_part.added") this.#parts++;
    const output_index = this.#findPlace(event);
    const at = { output_index, content_index: Math.max(0, this.#parts - 1) };
    if (PART_EVENTS.test(type)) {
      const filled = fill(event, type.startsWith("response.output_text.") ? { ...at, logprobs: [] } : at);
      return isObject(filled.part) ? { ...filled, part: completePart(filled.part) } : filled;
    }
    if (SUMMARY_EVENTS.test(type)) return fill(event, { output_index, summary_index: 0 });
    if (!ITEM_EVENTS.test(type)) return event;
    const filled = fill(event, { output_index });
    return isObject(filled.item) ? { ...filled, item: completeItem(filled.item, "completed") } : filled;
  }

  #begin(event: JsonObject): JsonObject {
    const item = completeItem(asObject(event.item), "in_progress");
    const filled: JsonObject = { ...fill(event, { output_index: this.#items }), item };
    const id = asString(item.id);
    if (id !== undefined) this.#places.set(id, Number(filled.output_index));
    this.#items = Number(filled.output_index) + 1;
    this.#parts = 0;
    return filled;
  }

  #findPlace({ item_id: id, item }: JsonObject): number {
    const own = asString(id) ?? asString(asObject(item).id);
    return (own === undefined ? undefined : this.#places.get(own)) ?? Math.max(0, this.#items - 1);
  }
}

/** Makes a lane whose answers have all that the form requires. */
export function completeAnswers(lane: ChatLane): ChatLane {
  return {
    ...lane,
    decoder: (card, request, headers) =>
      new CompletingDecoder(lane.decoder(card, request, headers), makeDefaults(request, card)),
    reply: (body, card, request, headers) => {
      const reply = lane.reply(body, card, request, headers);
      return isObject(body)
        ? { ...reply, verbatim: completeResponse(body, makeDefaults(request, card)) }
        : reply;
    },
  };
}
