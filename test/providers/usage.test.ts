// Usage reports with an invalid count, in each dialect's form: the report is ignored, and a later valid one counts.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/core/json/json.ts";
import { findDialect } from "../../src/providers/index.ts";
import { streamed, whole, writeStream } from "../dialects/cases/drive.ts";

/** `1e400` is read as Infinity. */
const MALFORMED: readonly (readonly [unknown])[] = [[Number.POSITIVE_INFINITY], [-1], ["10"], [[1]], [{}]];

const said = { type: "message", content: [{ type: "output_text", text: "a" }] };
const response = (usage: JsonObject) => ({ status: "completed", output: [said], usage });

/** A whole answer around a usage report, and each report with its invalid field. */
const DIALECTS = {
  openai: {
    body: (usage: JsonObject) => ({
      choices: [{ index: 0, message: { role: "assistant", content: "a" }, finish_reason: "stop" }],
      usage,
    }),
    spoilt: (count: unknown) => [
      { prompt_tokens: count, completion_tokens: 5, total_tokens: 15 },
      { prompt_tokens: 10, completion_tokens: count },
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: count },
      { prompt_tokens: 10, completion_tokens: 5, prompt_cache_hit_tokens: count },
      { prompt_tokens: 10, completion_tokens: 5, num_search_queries: count },
    ],
    sound: { prompt_tokens: 10, completion_tokens: 5 },
  },
  anthropic: {
    body: (usage: JsonObject) => ({ type: "message", content: [{ type: "text", text: "a" }], usage }),
    spoilt: (count: unknown) => [
      { input_tokens: count, output_tokens: 5 },
      { input_tokens: 10, output_tokens: count },
      { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: count },
      { input_tokens: 10, output_tokens: 5, server_tool_use: { web_search_requests: count } },
    ],
    sound: { input_tokens: 10, output_tokens: 5 },
  },
  gemini: {
    body: (usageMetadata: JsonObject) => ({
      candidates: [{ content: { parts: [{ text: "a" }] }, finishReason: "STOP" }],
      usageMetadata,
    }),
    spoilt: (count: unknown) => [
      { promptTokenCount: count, candidatesTokenCount: 5 },
      { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: count },
      { promptTokenCount: 10, candidatesTokenCount: 5, cachedContentTokenCount: count },
    ],
    sound: { promptTokenCount: 10, candidatesTokenCount: 5 },
  },
  cohere: {
    body: (usage: JsonObject) => ({
      message: { content: [{ type: "text", text: "a" }] },
      finish_reason: "COMPLETE",
      usage,
    }),
    spoilt: (count: unknown) => [
      { tokens: { input_tokens: count, output_tokens: 5 } },
      { tokens: { input_tokens: 10, output_tokens: 5 }, billed_units: { input_tokens: count } },
      {},
    ],
    sound: { tokens: { input_tokens: 10, output_tokens: 5 } },
  },
  responses: {
    body: response,
    spoilt: (count: unknown) => [
      { input_tokens: count, output_tokens: 5 },
      { input_tokens: 10, output_tokens: 5, input_tokens_details: { cached_tokens: count } },
      {},
    ],
    sound: { input_tokens: 10, output_tokens: 5 },
  },
  perplexity: {
    body: response,
    spoilt: (count: unknown) => [
      { input_tokens: 10, output_tokens: count },
      { input_tokens: 10, output_tokens: 5, tool_calls_details: { search_web: { invocation: count } } },
    ],
    sound: { input_tokens: 10, output_tokens: 5 },
  },
} as const;

type Named = keyof typeof DIALECTS;
const names: readonly Named[] = ["openai", "anthropic", "gemini", "cohere", "responses", "perplexity"];

describe.each([...names])("%s", (name) => {
  const { body, spoilt, sound } = DIALECTS[name];
  const dialect = findDialect(name);

  test("a valid report counts", () => {
    expect(whole(dialect, body(sound)).usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 5 });
  });

  test.each([...MALFORMED])("%p in any of its fields", (count) => {
    for (const report of spoilt(count)) {
      expect([report, whole(dialect, body(report)).usage]).toEqual([report, undefined]);
    }
  });
});

describe("cached tokens that are left out of the prompt", () => {
  const REPORTS = {
    openai: (prompt_tokens: number, cached_tokens: number) => ({
      prompt_tokens,
      completion_tokens: 15,
      total_tokens: prompt_tokens + 15,
      prompt_tokens_details: { cached_tokens, text_tokens: prompt_tokens },
    }),
    responses: (input_tokens: number, cached_tokens: number) => ({
      input_tokens,
      output_tokens: 15,
      total_tokens: input_tokens + 15,
      input_tokens_details: { cached_tokens },
    }),
  };
  test.each(["openai", "responses"] as const)("%s", (name) => {
    const usageOf = (prompt: number, cached: number) =>
      whole(findDialect(name), DIALECTS[name].body(REPORTS[name](prompt, cached))).usage;
    expect(usageOf(203, 314)).toMatchObject({
      prompt_tokens: 517,
      completion_tokens: 15,
      total_tokens: 532,
      prompt_tokens_details: { cached_tokens: 314 },
    });
    expect(usageOf(314, 314)).toMatchObject({ prompt_tokens: 314, total_tokens: 329 });
    expect(usageOf(315, 314)).toMatchObject({ prompt_tokens: 315, total_tokens: 330 });
  });
});

describe("in a stream", () => {
  const anthropic = (...reports: readonly JsonObject[]) => [
    {
      type: "message_start",
      message: { id: "m", content: [], usage: { input_tokens: 10, output_tokens: 1 } },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "a" } },
    ...reports.map((usage) => ({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage })),
    { type: "message_stop" },
  ];
  const usageAfter = (...reports: readonly JsonObject[]) =>
    streamed(findDialect("anthropic"), writeStream(anthropic(...reports))).usage;

  test("an earlier report is not used if the last one is malformed", () => {
    expect(usageAfter({ output_tokens: "5" })).toBeUndefined();
    expect(usageAfter({ output_tokens: 5 })).toMatchObject({ prompt_tokens: 10, completion_tokens: 5 });
  });

  test("a later valid report counts", () => {
    expect(usageAfter({ output_tokens: -1 }, { output_tokens: 5 })).toMatchObject({ completion_tokens: 5 });
  });
});
