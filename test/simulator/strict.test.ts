// The simulated providers' validators: requests that each refuses, and its messages.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/core/json/json.ts";
import { type Asked, ask, type KitName } from "./asking.ts";
import { type Simulator, startSimulator } from "./server.ts";

let sim: Simulator;
beforeAll(async () => {
  sim = await startSimulator();
});
afterAll(() => sim.stop());

const says = (role: string, content: unknown, rest: JsonObject = {}) => ({ role, content, ...rest });
const fn = (parameters: JsonObject = {}, rest: JsonObject = {}) => ({
  type: "function",
  function: { name: "f", parameters, ...rest },
});
const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
const called = (id: string) => says("assistant", null, { tool_calls: [call(id)] });
const result = (id: string) => says("tool", "42", { tool_call_id: id });
const hi = says("user", "hi");
const svg = { url: "data:image/svg+xml;base64,AAAA" };

type Row = readonly [why: string, asked: Asked, answer: RegExp];

const OPENAI: readonly Row[] = [
  ["a missing field", { with: { messages: null } }, /"missing_required_parameter"/],
  ["a wrong type", { with: { temperature: "1" } }, /"param":"temperature","code":"invalid_type"/],
  ["an unknown field", { model: "gpt-4o", with: { top_k: 1 } }, /"unknown_parameter"/],
  [
    "an unknown field of a part",
    { model: "gpt-4o", with: { messages: [says("user", [{ type: "text", text: "x", cache_control: {} }])] } },
    /cache_control/,
  ],
  [
    "a result without a call",
    { with: { messages: [hi, result("a")] } },
    /must be a response to a preceeding message/,
  ],
  [
    "a call without a result",
    { with: { messages: [hi, called("a"), hi] } },
    /did not have response messages: a/,
  ],
  [
    "an id over 40 characters",
    { with: { messages: [hi, called("x".repeat(41)), result("x".repeat(41))] } },
    /string_above_max_length/,
  ],
  [
    "an image that isn't one",
    { with: { messages: [says("user", [{ type: "image_url", image_url: svg }])] } },
    /invalid_image_format/,
  ],
  [
    "sampling of a reasoning model",
    { model: "gpt-5", with: { temperature: 0.2 } },
    /"unsupported_parameter"/,
  ],
  [
    "max_tokens of a reasoning model",
    { model: "o3", with: { max_tokens: 5 } },
    /Use 'max_completion_tokens'/,
  ],
  [
    "tools while gpt-5.6 reasons",
    { model: "gpt-5.6-sol", with: { tools: [fn()] } },
    /Function tools with reasoning_effort/,
  ],
  [
    "a strict schema that is open",
    { with: { tools: [fn({ type: "object" }, { strict: true })] } },
    /invalid_function_parameters/,
  ],
  ["tools to a model without", { model: "sim-text", with: { tools: [fn()] } }, /'tools' is not supported/],
  ["a prompt beyond the context", { model: "sim-text", text: "x".repeat(40_000) }, /context_length_exceeded/],
  ["a provider's prefix", { model: "OpenAI#gpt-4o" }, /"model_not_found"/],
];

const item = (type: string, rest: JsonObject) => ({ type, ...rest });
const RESPONSES: readonly Row[] = [
  ["a chat field", { with: { stop: ["x"] } }, /Unknown parameter: 'stop'/],
  [
    "input_text said by the assistant",
    { with: { input: [says("assistant", [{ type: "input_text", text: "x" }])] } },
    /output_text/,
  ],
  [
    "an output without a call",
    { with: { input: [item("function_call_output", { call_id: "a", output: "" })] } },
    /No tool call found/,
  ],
  [
    "a call without an output",
    { with: { input: [item("function_call", { call_id: "a", name: "f", arguments: "{}" })] } },
    /No tool output found/,
  ],
  [
    "thinking that isn't its own",
    { with: { input: [item("reasoning", { id: "rs_1", summary: [], encrypted_content: "x" }), hi] } },
    /invalid_encrypted_content/,
  ],
  [
    "a trigger that isn't the last item",
    { with: { input: [{ type: "compaction_trigger" }, hi] } },
    /must be the final input item/,
  ],
  ["reasoning of gpt-4o", { model: "gpt-4o", with: { reasoning: { effort: "low" } } }, /reasoning.effort/],
];

const use = (id: string) => says("assistant", [{ type: "tool_use", id, name: "f", input: {} }]);
const answered = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "42" });
const ANTHROPIC: readonly Row[] = [
  ["no max_tokens", { with: { max_tokens: undefined } }, /max_tokens: Field required/],
  ["no version", { headers: { "anthropic-version": "" } }, /anthropic-version/],
  ["an unknown field", { with: { n: 1 } }, /n: Extra inputs are not permitted/],
  ["roles that don't alternate", { with: { messages: [hi, hi] } }, /roles must alternate/],
  [
    "an effort of a turn without its beta",
    { with: { messages: [hi, { role: "system", content: "x", output_config: { effort: "low" } }] } },
    /messages.1.output_config: Extra inputs are not permitted/,
  ],
  [
    "a result without a call",
    { with: { messages: [says("user", [answered("a")])] } },
    /unexpected `tool_use_id`/,
  ],
  [
    "a call without a result",
    { with: { messages: [hi, use("a"), hi] } },
    /without `tool_result` blocks immediately after: a/,
  ],
  [
    "text before a result",
    { with: { messages: [hi, use("a"), says("user", [{ type: "text", text: "x" }, answered("a")])] } },
    /Did not find 1 `tool_result` block/,
  ],
  [
    "an id with a dot",
    { with: { messages: [hi, use("a.b"), says("user", [answered("a.b")])] } },
    /does not match/,
  ],
  ["a temperature above 1", { with: { temperature: 1.5 } }, /range: 0..1/],
  [
    "sampling of the newest",
    { model: "claude-sonnet-5", with: { temperature: 1 } },
    /deprecated for this model/,
  ],
  [
    "a forced tool while thinking",
    {
      with: {
        thinking: { type: "adaptive" },
        tools: [{ name: "f", input_schema: { type: "object" } }],
        tool_choice: { type: "any" },
      },
    },
    /Thinking may not be enabled/,
  ],
  [
    "a budget above max_tokens",
    { with: { thinking: { type: "enabled", budget_tokens: 9000 } } },
    /must be greater than/,
  ],
  [
    "an image that isn't one",
    {
      with: {
        messages: [
          says("user", [
            { type: "image", source: { type: "base64", media_type: "image/svg+xml", data: "AAAA" } },
          ]),
        ],
      },
    },
    /image\/svg\+xml/,
  ],
  [
    "a schema with limits",
    { with: { output_config: { format: { type: "json_schema", schema: { type: "integer", minimum: 1 } } } } },
    /'minimum' is not supported/,
  ],
  ["a blank stop sequence", { with: { stop_sequences: [" "] } }, /non-whitespace/],
];

const part = (kind: string, value: unknown) => ({ [kind]: value });
const modelCalls = says("model", undefined, { parts: [part("functionCall", { name: "f", args: {} })] });
const asks = says("user", undefined, { parts: [part("text", "hi")] });
const responds = (name: string) =>
  says("user", undefined, { parts: [part("functionResponse", { name, response: {} })] });
const declares = (parameters: JsonObject) => ({
  tools: [{ functionDeclarations: [{ name: "f", parameters }] }],
});
const config = (generationConfig: JsonObject) => ({ with: { generationConfig } });
const GEMINI: readonly Row[] = [
  ["an unknown field", { with: { foo: 1 } }, /Unknown name \\"foo\\": Cannot find field/],
  [
    "a response of another name",
    { with: { contents: [asks, modelCalls, responds("g")] } },
    /function response turn/,
  ],
  [
    "a call without a response",
    { with: { contents: [asks, modelCalls, asks] } },
    /number of function response parts/,
  ],
  [
    "a call without its signature",
    { model: "gemini-3-pro", with: { contents: [asks, modelCalls, responds("f")] } },
    /missing a thought_signature/,
  ],
  [
    "a schema beyond the subset",
    { with: declares({ type: "object", additionalProperties: false }) },
    /additionalProperties/,
  ],
  [
    "level and budget",
    config({ thinkingConfig: { thinkingLevel: "LOW", thinkingBudget: 1 } }),
    /only set only one/,
  ],
  [
    "thoughts without thinking",
    config({ thinkingConfig: { includeThoughts: true, thinkingBudget: 0 } }),
    /include_thoughts is only enabled/,
  ],
  ["a schema without JSON", config({ responseJsonSchema: {} }), /response_mime_type/],
  [
    "a penalty of the third",
    { model: "gemini-3-flash-preview", ...config({ presencePenalty: 1 }) },
    /Penalty is not enabled/,
  ],
  ["a penalty of the fourth", { model: "gemini-4-neon", ...config({ frequencyPenalty: 1 }) }, /Penalty/],
  [
    "a name that is required, but not there",
    { with: declares({ type: "OBJECT", required: ["x"] }) },
    /required\[0\]: property is not defined/,
  ],
  ["an empty text", { text: "" }, /oneof field 'data'/],
];

const MISTRAL: readonly Row[] = [
  ["an unknown field", { with: { seed: 1 } }, /"extra_forbidden","loc":\["body","seed"\]/],
  [
    "an id that isn't nine characters",
    { with: { messages: [hi, called("call_1234"), result("call_1234")] } },
    /"loc":\["body","messages",1,"tool_calls",0,"id"\]/,
  ],
  [
    "an assistant's last word",
    { with: { messages: [hi, says("assistant", "x")] } },
    /Expected last role User or Tool/,
  ],
  [
    "a call without a result",
    { with: { messages: [hi, called("abcdefghi"), hi] } },
    /same number of function calls/,
  ],
];
const PERPLEXITY: readonly Row[] = [
  ["an unknown field", { with: { stop: ["x"] } }, /json: unknown field \\"stop\\"/],
  ["a nested unknown field", { with: { tools: [{ type: "web_search", foo: 1 }] } }, /"param":"foo"/],
  ["a reserved name", { with: { tools: [{ type: "function", name: "web_search" }] } }, /reserved/],
  ["few output tokens", { with: { max_output_tokens: 15 } }, /max_output_tokens/],
  ["sonar-pro", { model: "perplexity/sonar-pro" }, /invalid_model/],
  ["anthropic without a limit", { model: "anthropic/claude" }, /max_output_tokens/],
];
const COHERE: readonly Row[] = [
  ["an unknown field", { with: { n: 1 } }, /'n' is not a valid field/],
  ["a role that it doesn't have", { with: { messages: [says("developer", "x"), hi] } }, /developer/],
  ["a temperature above 1", { with: { temperature: 2 } }, /range: 0..1/],
  ["a small tool_choice", { with: { tools: [fn()], tool_choice: "required" } }, /REQUIRED/],
  ["a result without a call", { with: { messages: [hi, result("a")] } }, /must correspond/],
];

const TABLE: readonly (readonly [KitName, readonly Row[]])[] = [
  ["openai", OPENAI],
  ["responses", RESPONSES],
  ["anthropic", ANTHROPIC],
  ["gemini", GEMINI],
  ["mistral", MISTRAL],
  ["perplexity", PERPLEXITY],
  ["cohere", COHERE],
];
describe.each(TABLE)("%s refuses", (name, rows) => {
  test.each(rows)("%s", async (_why, asked, answer) => {
    const { status, text } = await ask(sim, name, asked);
    expect([400, 404, 422]).toContain(status);
    expect(text).toMatch(answer);
  });
});

test("a compatible server ignores unknown fields that OpenAI rejects", async () => {
  expect((await ask(sim, "openai", { with: { top_k: 1, stream: null } })).status).toBe(200);
});
