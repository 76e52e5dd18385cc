// Gemini's address, key, sampling, format and thinking fields, by model generation.
import { describe, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { gemini } from "../../../src/dialects/gemini/dialect.ts";
import type { ChatRequest } from "../../../src/operations/chat/form.ts";
import { BASE, encoded, makeCard, tool } from "./gemini-cases.ts";

describe("address and key", () => {
  const rows: [string, string, boolean, string][] = [
    ["a plain name", "gemini-3.8-flash", false, "/models/gemini-3.8-flash:generateContent"],
    ["a stream", "gemini-3.8-flash", true, "/models/gemini-3.8-flash:streamGenerateContent?alt=sse"],
    [
      "a name with its collection",
      "models/gemini-3.8-flash",
      false,
      "/models/gemini-3.8-flash:generateContent",
    ],
    ["a tuned model", "tunedModels/mine", false, "/tunedModels/mine:generateContent"],
    ["a name that climbs", "../../x?y#z", false, "/models/..%2F..%2Fx%3Fy%23z:generateContent"],
  ];
  test.each(rows)("%s", (_what, name, stream, path) => {
    const outgoing = encoded({ stream }, name);
    expect(outgoing.url).toBe(BASE + path);
    expect(outgoing.headers).toEqual({ "x-goog-api-key": "AIza-secret", "x-team": "7" });
  });
});

describe("fields", () => {
  const schema = { type: "object", properties: { a: { const: "x" } }, additionalProperties: false };
  const format = { type: "json_schema", json_schema: { name: "n", schema } } as const;
  const cleaned = { type: "object", properties: { a: { enum: ["x"] } }, additionalProperties: false };
  const asJson = { responseMimeType: "application/json", responseJsonSchema: cleaned };
  const rows: [string, string, Partial<ChatRequest>, JsonObject | undefined, string[]][] = [
    [
      "sampling",
      "gemini-3.8-flash",
      { temperature: 0.5, top_p: 0.9, seed: 7, stop: ["a", ""], max_tokens: 9 },
      { maxOutputTokens: 9, temperature: 0.5, topP: 0.9, seed: 7, stopSequences: ["a"] },
      [],
    ],
    ["n", "gemini-2.5-flash", { n: 3 }, { candidateCount: 3 }, []],
    [
      "a limit above the model's",
      "gemini-3.8-flash",
      { max_tokens: 5000 },
      { maxOutputTokens: 1000 },
      ["max_tokens"],
    ],
    ["a seed of 64 bits", "gemini-3.8-flash", { seed: 2 ** 33 + 5 }, { seed: 5 }, ["seed"]],
    ["penalties, 2.0", "gemini-2.0-flash", { presence_penalty: 1 }, { presencePenalty: 1 }, []],
    [
      "penalties and log probabilities, 2.5",
      "gemini-2.5-flash",
      { frequency_penalty: 1, logprobs: true, top_logprobs: 2 },
      undefined,
      ["frequency_penalty", "logprobs", "top_logprobs"],
    ],
    [
      "log probabilities, 2.0",
      "gemini-2.0-flash",
      { logprobs: true, top_logprobs: 2 },
      { responseLogprobs: true, logprobs: 2 },
      [],
    ],
    [
      "a JSON object",
      "gemini-2.5-flash",
      { response_format: { type: "json_object" } },
      { responseMimeType: "application/json" },
      [],
    ],
    ["a schema", "gemini-2.5-flash", { response_format: format }, asJson, []],
    [
      "a schema beside tools, 3",
      "gemini-3.8-flash",
      { response_format: format, tools: [tool()] },
      asJson,
      [],
    ],
    [
      "a schema beside tools, 2.5",
      "gemini-2.5-flash",
      { response_format: format, tools: [tool()] },
      undefined,
      ["response_format"],
    ],
    [
      "a schema beside a forced call",
      "gemini-3.8-flash",
      { response_format: format, tools: [tool()], tool_choice: "required" },
      undefined,
      ["response_format"],
    ],
    [
      "fields that Gemini lacks",
      "gemini-3.8-flash",
      { user: "u", logit_bias: { "1": 2 }, parallel_tool_calls: false },
      undefined,
      ["user", "logit_bias", "parallel_tool_calls"],
    ],
    ["text is what it answers in", "gemini-3.8-flash", { modalities: ["text"] }, undefined, []],
    [
      "pictures, where it draws",
      "gemini-2.5-flash-image",
      { modalities: ["image", "text"] },
      { responseModalities: ["IMAGE", "TEXT"] },
      [],
    ],
    ["pictures, where it does not", "gemini-3.8-flash", { modalities: ["image"] }, undefined, ["modalities"]],
  ];
  test.each(rows)("%s", (_what, name, fields, config, dropped) => {
    const { body, dropped: named } = encoded(fields, name);
    expect(body.generationConfig).toEqual(config);
    expect([...named].sort()).toEqual([...dropped].sort());
  });

  test("JSON that can't be enforced is requested in the prompt, unless a call is forced", () => {
    const asked = encoded({ response_format: format, tools: [tool()] }, "gemini-2.5-flash").body;
    expect(asked.systemInstruction).toBeUndefined();
    expect(JSON.stringify(asked.contents)).toContain("JSON Schema");
    const forced = { response_format: format, tools: [tool()], tool_choice: "required" } as const;
    expect(encoded(forced).body.systemInstruction).toBeUndefined();
  });

  test("several choices per call are only supported up to generation 2", () => {
    const counts = ["gemini-2.5-pro", "gemini-3-flash-preview", "gemini-9-ultra"].map((name) =>
      gemini.chat.answersPerCall(makeCard(name), { model: name, messages: [] }),
    );
    expect(counts).toEqual([8, 1, 1]);
  });
});

describe("thinking", () => {
  const rows: [string, ChatRequest["reasoning_effort"], JsonObject | undefined, boolean][] = [
    ["gemini-2.5-flash", "none", { thinkingBudget: 0 }, false],
    ["gemini-2.5-pro", "none", { thinkingBudget: 128 }, true],
    ["gemini-2.5-pro", "max", { thinkingBudget: 32_768, includeThoughts: true }, false],
    ["gemini-2.5-flash", "low", { thinkingBudget: 1024, includeThoughts: true }, false],
    ["gemini-3-flash-preview", "minimal", { thinkingLevel: "MINIMAL", includeThoughts: true }, false],
    ["gemini-3.1-pro-preview", "minimal", { thinkingLevel: "LOW", includeThoughts: true }, true],
    ["gemini-3-pro-preview", "medium", { thinkingLevel: "HIGH", includeThoughts: true }, true],
    ["gemini-3.7-flash", "none", { thinkingLevel: "LOW" }, true],
    ["gemini-4-argon", "xhigh", { thinkingLevel: "HIGH", includeThoughts: true }, false],
    ["gemini-4-neon", "xhigh", { thinkingLevel: "XHIGH", includeThoughts: true }, false],
    ["gemini-4-neon", "max", { thinkingLevel: "XHIGH", includeThoughts: true }, false],
    ["gemini-4-neon", "minimal", { thinkingLevel: "LOW", includeThoughts: true }, true],
    ["gemini-2.0-flash", "high", undefined, true],
  ];
  test.each(rows)("%s, %s", (name, effort, thinkingConfig, changed) => {
    const { body, dropped } = encoded({ reasoning_effort: effort }, name);
    expect(asObject(body.generationConfig).thinkingConfig).toEqual(thinkingConfig);
    expect(dropped.includes("reasoning_effort")).toBe(changed);
  });
});
