// The simulated providers' wire formats: events, whole answers and errors in three dialects.
import { asArray, asNumber, asObject, asString, type JsonObject } from "../../src/core/json/json.ts";
import type { Counted, Shape } from "./cards.ts";

/** The parts of a call that a provider reads. */
export interface Asked {
  readonly choices: number;
  /** Output tokens per choice. Null if the request has no limit. */
  readonly limit: number | null;
  readonly stream: boolean;
  readonly promptBytes: number;
}

export interface Speech {
  asked(url: string, body: JsonObject): Asked;
  /** The events before the first piece. */
  start(soFar: Counted | null): readonly string[];
  piece(choice: number, text: string, soFar: Counted | null): readonly string[];
  /** The end of all choices, with the total count unless the provider doesn't report it. */
  finish(choices: number, counted: Counted | null): readonly string[];
  /** The mark after the end, if the dialect has one. */
  mark(): readonly string[];
  whole(texts: readonly string[], counted: Counted | null): JsonObject;
  errorEvent(): string;
}

function event(data: JsonObject, name?: string): string {
  return `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** The bytes of a prompt's text, wherever the dialect puts it. */
function textBytes(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + textBytes(one), 0);
  const { content, text, parts } = asObject(value);
  if (typeof content === "string") return Buffer.byteLength(content);
  if (typeof text === "string") return Buffer.byteLength(text);
  return textBytes(asArray(content ?? parts));
}

function openaiUsage(counted: Counted): JsonObject {
  return {
    prompt_tokens: counted.prompt,
    completion_tokens: counted.completion,
    total_tokens: counted.prompt + counted.completion,
    prompt_tokens_details: { cached_tokens: counted.cached },
    completion_tokens_details: { reasoning_tokens: counted.reasoning },
  };
}

const openai: Speech = {
  asked: (_url, body) => ({
    choices: asNumber(body.n) ?? 1,
    limit: asNumber(body.max_completion_tokens) ?? asNumber(body.max_tokens) ?? null,
    stream: body.stream === true,
    promptBytes: textBytes(body.messages),
  }),
  start: () => [],
  piece: (index, content) => [
    event({ object: "chat.completion.chunk", choices: [{ index, delta: { content }, finish_reason: null }] }),
  ],
  finish: (choices, counted) => [
    ...Array.from({ length: choices }, (_, index) =>
      event({ object: "chat.completion.chunk", choices: [{ index, delta: {}, finish_reason: "stop" }] }),
    ),
    ...(counted
      ? [event({ object: "chat.completion.chunk", choices: [], usage: openaiUsage(counted) })]
      : []),
  ],
  mark: () => ["data: [DONE]\n\n"],
  whole: (texts, counted) => ({
    object: "chat.completion",
    choices: texts.map((content, index) => ({
      index,
      message: { role: "assistant", content },
      finish_reason: "stop",
    })),
    ...(counted ? { usage: openaiUsage(counted) } : {}),
  }),
  errorEvent: () => event({ error: { message: "It broke.", type: "server_error", code: "server_error" } }),
};

function anthropicUsage(counted: Counted): JsonObject {
  return {
    input_tokens: counted.prompt - counted.cached - counted.cacheWrite,
    cache_read_input_tokens: counted.cached,
    cache_creation_input_tokens: counted.cacheWrite,
    output_tokens: counted.completion,
  };
}

const anthropic: Speech = {
  asked: (_url, body) => ({
    choices: 1,
    limit: asNumber(body.max_tokens) ?? null,
    stream: body.stream === true,
    promptBytes: textBytes(body.messages),
  }),
  start: (soFar) => [
    event(
      {
        type: "message_start",
        message: {
          id: "msg_1",
          type: "message",
          role: "assistant",
          content: [],
          ...(soFar ? { usage: anthropicUsage(soFar) } : {}),
        },
      },
      "message_start",
    ),
    event(
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      "content_block_start",
    ),
  ],
  piece: (_choice, text) => [
    event(
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
      "content_block_delta",
    ),
  ],
  finish: (_choices, counted) => [
    event({ type: "content_block_stop", index: 0 }, "content_block_stop"),
    event(
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn" },
        ...(counted ? { usage: anthropicUsage(counted) } : {}),
      },
      "message_delta",
    ),
  ],
  mark: () => [event({ type: "message_stop" }, "message_stop")],
  whole: (texts, counted) => ({
    type: "message",
    role: "assistant",
    content: texts.map((text) => ({ type: "text", text })),
    stop_reason: "end_turn",
    ...(counted ? { usage: anthropicUsage(counted) } : {}),
  }),
  errorEvent: () => event({ type: "error", error: { type: "api_error", message: "It broke." } }, "error"),
};

function geminiUsage(counted: Counted): JsonObject {
  return {
    promptTokenCount: counted.prompt,
    cachedContentTokenCount: counted.cached,
    candidatesTokenCount: counted.completion - counted.reasoning,
    thoughtsTokenCount: counted.reasoning,
    totalTokenCount: counted.prompt + counted.completion,
  };
}

function metadata(counted: Counted | null): JsonObject {
  return counted ? { usageMetadata: geminiUsage(counted) } : {};
}

const gemini: Speech = {
  asked(url, body) {
    const config = asObject(body.generationConfig);
    return {
      choices: asNumber(config.candidateCount) ?? 1,
      limit: asNumber(config.maxOutputTokens) ?? null,
      stream: url.includes("streamGenerateContent"),
      promptBytes: textBytes(body.contents),
    };
  },
  start: () => [],
  piece: (index, text, soFar) => [
    event({ candidates: [{ index, content: { role: "model", parts: [{ text }] } }], ...metadata(soFar) }),
  ],
  finish: (choices, counted) => [
    event({
      candidates: Array.from({ length: choices }, (_, index) => ({ index, finishReason: "STOP" })),
      ...metadata(counted),
    }),
  ],
  mark: () => [],
  whole: (texts, counted) => ({
    candidates: texts.map((text, index) => ({
      index,
      content: { role: "model", parts: [{ text }] },
      finishReason: "STOP",
    })),
    ...metadata(counted),
  }),
  errorEvent: () => event({ error: { code: 500, message: "It broke.", status: "INTERNAL" } }),
};

export const SPEECH: Readonly<Record<Shape, Speech>> = { openai, anthropic, gemini };

/** Returns the model named by the call. */
export function readModelName(url: string, body: JsonObject): string {
  return asString(body.model) ?? /\/models\/([^:/]+):/.exec(url)?.[1] ?? "";
}
