// Validates requests to Cohere's v2 chat: fields, roles, the order of calls and results, and JSON together with tools.
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import { reject } from "../../src/simulator/problem.ts";
import { checkToolOrder } from "./call-order.ts";
import { imageUrl } from "./openai-shapes.ts";
import type { Fields } from "./validator.ts";
import * as is from "./validator.ts";

const of = (fields: Fields, required: readonly string[] = []) =>
  is.shape(fields, { required, nullable: true });
const textPart = of({ type: is.anything, text: is.text }, ["text"]);
const texts = is.textOr(is.list(is.variant("type", { text: textPart })));
const image = of(
  {
    type: is.anything,
    image_url: of({ url: imageUrl, detail: is.checkChoice("auto", "low", "high") }, ["url"]),
  },
  ["image_url"],
);
const document = of(
  { type: is.anything, document: of({ id: is.text, data: is.textOr(is.record) }, ["data"]) },
  ["document"],
);
/** Bounds that Cohere doesn't document: the shortest of other providers'. */
const NAME = is.matching(/^[a-zA-Z0-9_-]{1,64}$/);
const CALL_ID = is.matching(/^.{1,64}$/s);
const call = of(
  {
    id: CALL_ID,
    type: is.checkChoice("function"),
    function: of({ name: NAME, arguments: is.text }, ["name", "arguments"]),
  },
  ["id", "type", "function"],
);
const message = is.variant("role", {
  system: of({ role: is.anything, content: texts }, ["content"]),
  user: of(
    {
      role: is.anything,
      content: is.textOr(is.list(is.variant("type", { text: textPart, image_url: image }), 1)),
    },
    ["content"],
  ),
  assistant: of({
    role: is.anything,
    content: is.textOr(
      is.list(is.variant("type", { text: textPart, thinking: of({ type: is.anything, thinking: is.text }) })),
    ),
    tool_calls: is.list(call),
    tool_plan: is.text,
    citations: is.list(is.record),
  }),
  tool: of(
    {
      role: is.anything,
      tool_call_id: CALL_ID,
      content: is.textOr(is.list(is.variant("type", { text: textPart, document }))),
    },
    ["tool_call_id", "content"],
  ),
});
const tool = of(
  {
    type: is.checkChoice("function"),
    function: of({ name: NAME, description: is.text, parameters: is.record }, ["name"]),
  },
  ["type", "function"],
);
const request = of(
  {
    model: is.text,
    messages: is.list(message, 1),
    stream: is.flag,
    tools: is.list(tool),
    strict_tools: is.flag,
    tool_choice: is.checkChoice("REQUIRED", "NONE"),
    documents: is.list(is.textOr(is.record)),
    citation_options: is.record,
    response_format: of(
      { type: is.checkChoice("text", "json_object"), json_schema: is.record, schema: is.record },
      ["type"],
    ),
    safety_mode: is.checkChoice("CONTEXTUAL", "STRICT", "OFF", "NONE"),
    max_tokens: is.integer(1),
    stop_sequences: is.list(is.text, 0, 5),
    temperature: is.number(0, 1),
    seed: is.integer(0),
    frequency_penalty: is.number(0, 1),
    presence_penalty: is.number(0, 1),
    k: is.integer(0, 500),
    p: is.number(0.01, 0.99),
    logprobs: is.flag,
    thinking: of({ type: is.checkChoice("enabled", "disabled"), token_budget: is.integer(1) }, ["type"]),
    priority: is.integer(0, 999),
  },
  ["model", "messages"],
);

/** Throws a Rejection for a request that Cohere refuses ("Cohere API v2: Chat"). */
export function checkCohereRequest(body: JsonObject): void {
  request(body, []);
  checkToolOrder(asArray(body.messages), {
    stray: (id) => `all tool results must correspond to a previous tool call: ${id}`,
    unanswered: (ids) => `all tool calls must have a tool result: ${ids.join(", ")}`,
  });
  if (body.tool_choice !== undefined && asArray(body.tools).length === 0)
    reject("value", "tool_choice may only be set with tools");
  if (asObject(body.response_format).type === "json_object" && asArray(body.tools).length > 0)
    reject("value", "cannot use response_format json_object with tools");
}
