// A call's body without what its server refuses.
import { expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import type { Refusal } from "../../../src/core/models/refusals.ts";
import { mendOutgoing } from "../../../src/dialects/mend.ts";

const call = (body: JsonObject) => ({ url: "http://house.test/v1", headers: {}, body, dropped: [] });
const mend = (body: JsonObject, ...words: Refusal[]) => mendOutgoing(call(body), new Set(words));

const schema = { type: "object", properties: { strict: { type: "string" } } };
const text = (words: string) => ({ type: "text", text: words });

const ROWS: readonly { word: Refusal; body: JsonObject; sent: JsonObject }[] = [
  { word: "field:seed", body: { model: "m", seed: 1 }, sent: { model: "m" } },
  {
    word: "field:tools[].custom.strict",
    body: { tools: [{ name: "a", strict: true, input_schema: schema }, { name: "b" }] },
    sent: { tools: [{ name: "a", input_schema: schema }, { name: "b" }] },
  },
  {
    word: "field:strict",
    body: { tools: [{ type: "function", function: { name: "a", strict: true, parameters: schema } }] },
    sent: { tools: [{ type: "function", function: { name: "a", parameters: schema } }] },
  },
  {
    word: "field:system[].cache_control.scope",
    body: { system: [{ ...text("a"), cache_control: { type: "ephemeral", scope: "global" } }] },
    sent: { system: [{ ...text("a"), cache_control: { type: "ephemeral" } }] },
  },
  {
    word: "field:generation_config.top_k",
    body: { generationConfig: { topK: 1, maxOutputTokens: 2 } },
    sent: { generationConfig: { maxOutputTokens: 2 } },
  },
  {
    word: "field:reasoningEffort",
    body: { reasoning: { effort: "low", summary: "auto" } },
    sent: { reasoning: { summary: "auto" } },
  },
  {
    word: "tool_choice_object",
    body: {
      tools: [{ function: { name: "a" } }, { function: { name: "b" } }],
      tool_choice: { type: "function", function: { name: "b" } },
    },
    sent: { tools: [{ function: { name: "b" } }], tool_choice: "required" },
  },
  { word: "max_tokens", body: { max_tokens: 7 }, sent: { max_completion_tokens: 7 } },
  { word: "max_completion_tokens", body: { max_completion_tokens: 7 }, sent: { max_tokens: 7 } },
  {
    word: "text_parts",
    body: { messages: [{ role: "system", content: [text("a"), text("b")] }] },
    sent: { messages: [{ role: "system", content: "a\n\nb" }] },
  },
];

test.each([...ROWS])("$word", ({ word, body, sent }) => {
  const before = structuredClone(body);
  expect(mend(body, word).body).toEqual(sent);
  expect(body).toEqual(before);
});

test.each<[Refusal, JsonObject]>([
  ["field:seed", { model: "m" }],
  ["field:textFormat", { text: { format: { type: "json_object" } } }],
  ["field:strict", { messages: [{ content: [{ type: "tool_use", input: { strict: true } }] }] }],
  ["field:metadata", { metadata: { guardrails: ["g"] } }],
  ["field:output_config", { output_config: { format: { type: "json_schema" } } }],
  ["tool_choice_object", { tools: [{ function: { name: "a" } }], tool_choice: "auto" }],
  ["tool_choice_object", { tools: [], tool_choice: { type: "function", function: { name: "b" } } }],
  ["max_tokens", { max_tokens: 1, max_completion_tokens: 2 }],
  ["text_parts", { messages: [{ role: "user", content: [text("a"), { type: "image_url" }] }] }],
])("%s changes nothing in %j", (word, body) => {
  const outgoing = call(body);
  expect(mendOutgoing(outgoing, new Set([word]))).toBe(outgoing);
});

test("a field that was left out is named", () => {
  const body = { tools: [{ name: "a", strict: true }] };
  expect(mend(body, "field:tools[].strict").dropped).toEqual(["tools.strict"]);
});
