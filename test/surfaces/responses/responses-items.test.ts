// The items of a Responses input as chat messages: one row per rule of the translation.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { expectRow, findRefusal, MADE_CALL, makeCall, type Row, SEALED } from "./responses-read.ts";

const input = "a";

const ITEM_ROWS: readonly Row[] = [
  {
    name: "a text is a user's message",
    body: { input: "a" },
    ask: { messages: [{ role: "user", content: "a" }] },
  },
  {
    name: "instructions come first, developer and system items stay in their places",
    body: {
      instructions: "Be brief.",
      input: [
        { role: "user", content: "a" },
        { type: "message", role: "developer", content: [{ type: "input_text", text: "b" }] },
        { role: "system", content: "c" },
      ],
    },
    ask: {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "a" },
        { role: "developer", content: [{ type: "text", text: "b" }] },
        { role: "system", content: "c" },
      ],
    },
  },
  {
    name: "reasoning, message and calls of one turn are one message, its results follow",
    body: {
      input: [
        { role: "user", content: "a" },
        {
          type: "reasoning",
          id: "rs_1",
          summary: [{ type: "summary_text", text: "hm" }],
          encrypted_content: "e",
        },
        {
          type: "message",
          role: "assistant",
          content: [
            { type: "output_text", text: "I" },
            { type: "output_text", text: " look." },
          ],
        },
        makeCall({ arguments: "{}" }),
        { type: "custom_tool_call", call_id: "c2", name: "run", input: "ls" },
        { type: "function_call_output", call_id: "c1", output: "rain" },
        { type: "custom_tool_call_output", call_id: "c2", output: [{ type: "input_text", text: "b" }] },
      ],
    },
    ask: {
      messages: [
        { role: "user", content: "a" },
        {
          role: "assistant",
          content: "I look.",
          tool_calls: [MADE_CALL, { id: "c2", type: "custom", custom: { name: "run", input: "ls" } }],
          reasoning_content: "hm",
          reasoning_details: [
            { type: "reasoning.summary", summary: "hm", format: "openai-responses-v1", id: "rs_1" },
            { type: "reasoning.encrypted", data: "e", format: "openai-responses-v1", id: "rs_1" },
          ],
        },
        { role: "tool", tool_call_id: "c1", content: "rain" },
        { role: "tool", tool_call_id: "c2", content: [{ type: "text", text: "b" }] },
      ],
    },
  },
  {
    name: "two messages of one turn stay apart",
    body: {
      input: [
        { role: "user", content: "a" },
        { role: "assistant", content: "One." },
        { role: "assistant", content: "Two." },
      ],
    },
    ask: {
      messages: [
        { role: "user", content: "a" },
        { role: "assistant", content: "One.\n\nTwo." },
      ],
    },
  },
  {
    name: "thinking that led to nothing is no message",
    body: {
      input: [
        { role: "user", content: "a" },
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "e", content: null },
        { role: "user", content: "b" },
      ],
    },
    ask: {
      messages: [
        { role: "user", content: "a" },
        { role: "user", content: "b" },
      ],
    },
  },
  {
    name: "thinking that was sealed here is opened",
    body: {
      input: [
        { role: "user", content: "a" },
        { type: "reasoning", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: SEALED },
        makeCall({ arguments: "{}" }),
        { type: "function_call_output", call_id: "c1", output: "rain" },
      ],
    },
    ask: {
      messages: [
        { role: "user", content: "a" },
        {
          role: "assistant",
          content: null,
          tool_calls: [MADE_CALL],
          reasoning_content: "hm",
          reasoning_details: [
            { type: "reasoning.text", text: "hm", signature: "s", format: "anthropic-claude-v1", index: 0 },
          ],
        },
        { role: "tool", tool_call_id: "c1", content: "rain" },
      ],
    },
  },
  {
    name: "pictures and files are parts",
    body: {
      input: [
        {
          role: "user",
          content: [
            { type: "input_image", image_url: "https://a.test/b.png", detail: "low" },
            { type: "input_file", file_data: "data:application/pdf;base64,AA==", filename: "a.pdf" },
            { type: "input_file", file_url: "https://a.test/b.pdf" },
          ],
        },
      ],
    },
    ask: {
      messages: [
        {
          role: "user",
          content: [
            { type: "image_url", image_url: { url: "https://a.test/b.png", detail: "low" } },
            { type: "file", file: { file_data: "data:application/pdf;base64,AA==", filename: "a.pdf" } },
            { type: "file", file: { file_data: "https://a.test/b.pdf" } },
          ],
        },
      ],
    },
  },
  {
    name: "items of tools that OpenAI runs are named, and are no messages but a search",
    body: {
      input: [
        { role: "user", content: "a" },
        { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "b" } },
        { type: "compaction", id: "cmp_1", encrypted_content: "e" },
      ],
    },
    ask: {
      messages: [
        { role: "user", content: "a" },
        { role: "assistant", content: '[Searched the web for "b"]' },
      ],
    },
    lost: ["input[2]"],
  },
];

test.each(ITEM_ROWS)("$name", expectRow);

describe("incomplete requests", () => {
  const rows: readonly (readonly [string, JsonObject, string])[] = [
    ["missing_required_parameter", {}, "input"],
    ["empty_array", { input: [] }, "input"],
    ["missing_required_parameter", { input: [{ role: "user" }] }, "input[0].content"],
    ["missing_required_parameter", { input: [{ type: "message", content: "a" }] }, "input[0].role"],
    [
      "missing_required_parameter",
      { input: [{ role: "user", content: [{ type: "input_text" }] }] },
      "input[0].content[0].text",
    ],
    [
      "missing_required_parameter",
      { input: [{ role: "user", content: [{ type: "input_image" }] }] },
      "input[0].content[0].image_url",
    ],
    [
      "missing_required_parameter",
      { input: [{ type: "function_call", name: "a", arguments: "" }] },
      "input[0].call_id",
    ],
    [
      "missing_required_parameter",
      { input: [{ type: "function_call_output", output: "a" }] },
      "input[0].call_id",
    ],
    [
      "missing_required_parameter",
      { input: [{ type: "function_call_output", call_id: "a" }] },
      "input[0].output",
    ],
    ["invalid_value", { input: [{ role: "robot", content: "a" }] }, "input[0].role"],
    [
      "unsupported_capability",
      { input: [{ role: "user", content: [{ type: "text_input", text: "a" }] }] },
      "input[0].content[0]",
    ],
    [
      "unsupported_capability",
      { input: [{ type: "from_next_year", role: "user", content: "not a message" }] },
      "input[0]",
    ],
    ["invalid_value", { input, tool_choice: "required" }, "tool_choice"],
    ["invalid_value", { input, model: "a\0b" }, "model"],
    ["decimal_above_max_value", { input, temperature: 3 }, "temperature"],
    ["integer_below_min_value", { input, max_output_tokens: 0 }, "max_output_tokens"],
  ];
  test.each(rows)("%s %j", (code, body, param) => {
    const fault = findRefusal(body);
    expect([String(fault.code), fault.details.param]).toEqual([code, param]);
  });
});
