// Validates requests to Perplexity's Agent: fields on every level, reserved names, and calls without outputs.
import { asArray, asObject, isObject, type JsonObject } from "../../src/core/json.ts";
import { signCall } from "../../src/simulator/perplexity.ts";
import { reject } from "../../src/simulator/problem.ts";
import { checkCallOrder } from "./call-order.ts";
import {
  anything,
  type Check,
  checkChoice,
  type Fields,
  flag,
  integer,
  list,
  matching,
  number,
  record,
  shape,
  text,
  textOr,
  variant,
  wordOr,
} from "./validator.ts";

const of = (fields: Fields, required: readonly string[] = []) => shape(fields, { required, nullable: true });
const parts = list(
  variant("type", {
    input_text: of({ type: anything, text }, ["text"]),
    output_text: of({ type: anything, text }, ["text"]),
    input_image: of({ type: anything, image_url: matching(/^(https?:\/\/|data:image\/)/) }, ["image_url"]),
  }),
);
const role = checkChoice("user", "assistant", "system", "developer");
const message = of({ type: anything, role, content: textOr(parts) }, ["role", "content"]);
const named = { type: anything, call_id: text, name: text };
const item = variant("type", {
  message,
  function_call: of({ ...named, id: text, arguments: text, status: text, thought_signature: text }, [
    "call_id",
    "name",
    "arguments",
  ]),
  function_call_output: of({ ...named, output: textOr(list(record)), thought_signature: text }, [
    "call_id",
    "output",
  ]),
});
const anyItem: Check = (value, path) =>
  (isObject(value) && value.type === undefined ? message : item)(value, path);

const RESERVED: readonly unknown[] = [
  "web_search",
  "search_web",
  "people_search",
  "search_people",
  "fetch_url",
  "finance_search",
  "sandbox",
];
const functionName: Check = (value, path) => {
  matching(/^[a-zA-Z0-9_-]{1,64}$/)(value, path);
  if (RESERVED.includes(value)) reject("value", `tool name "${String(value)}" is reserved`, path);
};
const domains = list(text, 0, 20);
const filters = of({
  search_domain_filter: domains,
  search_language_filter: list(text),
  search_recency_filter: checkChoice("hour", "day", "week", "month", "year"),
  search_after_date_filter: text,
  search_before_date_filter: text,
  last_updated_after_filter: text,
  last_updated_before_filter: text,
});
const webSearch = of({
  type: anything,
  filters,
  search_context_size: checkChoice("low", "medium", "high"),
  user_location: record,
  max_tokens: integer(1),
  max_tokens_per_page: integer(1),
});
const tool = variant("type", {
  function: of({ type: anything, name: functionName, description: text, parameters: record, strict: flag }, [
    "name",
  ]),
  web_search: webSearch,
  fetch_url: of({ type: anything, max_urls: integer(1) }),
});
const request = of({
  model: text,
  models: list(text, 1, 5),
  preset: checkChoice("fast", "low", "medium", "high"),
  input: textOr(list(anyItem, 1)),
  instructions: text,
  max_output_tokens: integer(16),
  max_steps: integer(1, 10),
  max_tool_calls: integer(0),
  temperature: number(0, 2),
  top_p: number(0, 1),
  stream: flag,
  stream_options: of({ include_usage: flag }),
  parallel_tool_calls: flag,
  reasoning: of({ effort: checkChoice("minimal", "low", "medium", "high", "xhigh", "max") }),
  response_format: of(
    {
      type: checkChoice("json_schema"),
      json_schema: of({ name: text, description: text, schema: record, strict: flag }, ["schema"]),
    },
    ["type", "json_schema"],
  ),
  language_preference: text,
  tools: list(tool),
  tool_choice: wordOr(["none", "auto", "required"], of({ type: text, name: text })),
  metadata: record,
  user: text,
  store: flag,
  previous_response_id: text,
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
