// Validates requests to Perplexity's Agent: fields on every level, reserved names, and calls without outputs.
import { asArray, asObject, isObject, type JsonObject } from "../../src/core/json/json.ts";
import { signCall } from "../../src/simulator/perplexity.ts";
import { reject } from "../../src/simulator/problem.ts";
import { checkCallOrder } from "./call-order.ts";
import type { Check, Fields } from "./validator.ts";
import * as is from "./validator.ts";

const of = (fields: Fields, required: readonly string[] = []) =>
  is.shape(fields, { required, nullable: true });
const parts = is.list(
  is.variant("type", {
    input_text: of({ type: is.anything, text: is.text }, ["text"]),
    output_text: of({ type: is.anything, text: is.text }, ["text"]),
    input_image: of({ type: is.anything, image_url: is.matching(/^(https?:\/\/|data:image\/)/) }, [
      "image_url",
    ]),
  }),
);
const role = is.checkChoice("user", "assistant", "system", "developer");
const message = of({ type: is.anything, role, content: is.textOr(parts) }, ["role", "content"]);
const named = {
  type: is.anything,
  call_id: is.matching(/^.{1,64}$/s),
  name: is.matching(/^[a-zA-Z0-9_-]{1,64}$/),
};
const item = is.variant("type", {
  message,
  function_call: of(
    { ...named, id: is.text, arguments: is.text, status: is.text, thought_signature: is.text },
    ["call_id", "name", "arguments"],
  ),
  function_call_output: of({ ...named, output: is.textOr(is.list(is.record)), thought_signature: is.text }, [
    "call_id",
    "output",
  ]),
});
const anyItem: Check = (value, path) =>
  (isObject(value) && value.type === undefined ? message : item)(value, path);

const RESERVED: readonly unknown[] = [
  "web_search",
  "search_web",
  "search_files",
  "people_search",
  "search_people",
  "fetch_url",
  "finance_search",
  "sandbox",
];
const functionName: Check = (value, path) => {
  is.matching(/^[a-zA-Z0-9_-]{1,64}$/)(value, path);
  if (RESERVED.includes(value))
    reject("value", `invalid tools in request: custom function name "${String(value)}" is reserved`, path);
};
const domains = is.list(is.text, 0, 20);
const filters = of({
  search_domain_filter: domains,
  search_language_filter: is.list(is.text),
  search_recency_filter: is.checkChoice("hour", "day", "week", "month", "year"),
  search_after_date_filter: is.text,
  search_before_date_filter: is.text,
  last_updated_after_filter: is.text,
  last_updated_before_filter: is.text,
});
const webSearch = of({
  type: is.anything,
  filters,
  search_context_size: is.checkChoice("low", "medium", "high"),
  user_location: is.record,
  max_tokens: is.integer(1),
  max_tokens_per_page: is.integer(1),
});
const tool = is.variant("type", {
  function: of(
    { type: is.anything, name: functionName, description: is.text, parameters: is.record, strict: is.flag },
    ["name"],
  ),
  web_search: webSearch,
  fetch_url: of({ type: is.anything, max_urls: is.integer(1) }),
});
const request = of({
  model: is.text,
  models: is.list(is.text, 1, 5),
  preset: is.checkChoice("fast", "low", "medium", "high"),
  input: is.textOr(is.list(anyItem, 1)),
  instructions: is.text,
  max_output_tokens: is.integer(16),
  max_steps: is.integer(1, 10),
  max_tool_calls: is.integer(0),
  temperature: is.number(0, 2),
  top_p: is.number(0, 1),
  stream: is.flag,
  stream_options: of({ include_usage: is.flag }),
  parallel_tool_calls: is.flag,
  reasoning: of({ effort: is.checkChoice("minimal", "low", "medium", "high", "xhigh", "max") }),
  response_format: of(
    {
      type: is.checkChoice("json_schema"),
      json_schema: of({ name: is.text, description: is.text, schema: is.record, strict: is.flag }, [
        "schema",
      ]),
    },
    ["type", "json_schema"],
  ),
  language_preference: is.text,
  tools: is.list(tool),
  tool_choice: is.wordOr(["none", "auto", "required"], of({ type: is.text, name: is.text })),
  metadata: is.metadata,
  user: is.textUpTo(is.IDENTIFIER_CHARACTERS_MAX),
  store: is.flag,
  previous_response_id: is.text,
});

function checkSignatures(body: JsonObject): void {
  for (const each of asArray(body.input)) {
    const { type, name, arguments: given, thought_signature: signature } = asObject(each);
    if (type !== "function_call" || (signature ?? null) === null) continue;
    if (signature !== signCall(String(name), String(given)))
      reject("value", "invalid thought_signature", ["input"]);
  }
}

/** Throws a Rejection for a request that Perplexity refuses (migration reference "Sonar to Agent API", 2026-09). */
export function checkAgentRequest(body: JsonObject): void {
  request(body, []);
  if ((body.input ?? null) === null) reject("missing", "input is required", ["input"]);
  if ((body.model ?? body.models ?? body.preset ?? null) === null)
    reject("value", "one of model, models or preset is required", ["model"]);
  const model = String(body.model ?? "");
  if (/^(perplexity\/)?sonar-/.test(model))
    reject("not_found", `model "${model}" is not available`, ["model"]);
  if (model.startsWith("anthropic/") && body.max_output_tokens === undefined)
    reject("missing", "max_output_tokens is required for anthropic models", ["max_output_tokens"]);
  checkCallOrder(body.input);
  checkSignatures(body);
}
