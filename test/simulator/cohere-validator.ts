// Validates requests to Cohere's v2 chat: fields, roles, the order of calls and results, and JSON together with tools.
import { asArray, asObject, type JsonObject } from "../../src/core/json.ts";
import { reject } from "../../src/simulator/problem.ts";
import { checkToolOrder } from "./call-order.ts";
import { imageUrl } from "./openai-shapes.ts";
import {
  anything,
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
} from "./validator.ts";

const of = (fields: Fields, required: readonly string[] = []) => shape(fields, { required, nullable: true });
const textPart = of({ type: anything, text }, ["text"]);
const texts = textOr(list(variant("type", { text: textPart })));
const image = of(
  { type: anything, image_url: of({ url: imageUrl, detail: checkChoice("auto", "low", "high") }, ["url"]) },
  ["image_url"],
);
const document = of({ type: anything, document: of({ id: text, data: textOr(record) }, ["data"]) }, [
  "document",
]);
const call = of(
  {
    id: matching(/^.+$/s),
    type: checkChoice("function"),
    function: of({ name: matching(/^[a-zA-Z0-9_-]+$/), arguments: text }, ["name", "arguments"]),
  },
  ["id", "type", "function"],
);
const message = variant("role", {
  system: of({ role: anything, content: texts }, ["content"]),
  user: of(
    { role: anything, content: textOr(list(variant("type", { text: textPart, image_url: image }), 1)) },
    ["content"],
  ),
  assistant: of({
    role: anything,
    content: textOr(
      list(variant("type", { text: textPart, thinking: of({ type: anything, thinking: text }) })),
    ),
    tool_calls: list(call),
    tool_plan: text,
    citations: list(record),
  }),
  tool: of(
    {
      role: anything,
      tool_call_id: text,
      content: textOr(list(variant("type", { text: textPart, document }))),
    },
    ["tool_call_id", "content"],
  ),
});
const tool = of(
  {
    type: checkChoice("function"),
    function: of({ name: matching(/^[a-zA-Z0-9_-]+$/), description: text, parameters: record }, ["name"]),
  },
  ["type", "function"],
);
const request = of(
  {
    model: text,
    messages: list(message, 1),
    stream: flag,
    tools: list(tool),
    strict_tools: flag,
    tool_choice: checkChoice("REQUIRED", "NONE"),
    documents: list(textOr(record)),
    citation_options: record,
    response_format: of({ type: checkChoice("text", "json_object"), json_schema: record, schema: record }, [
      "type",
    ]),
    safety_mode: checkChoice("CONTEXTUAL", "STRICT", "OFF", "NONE"),
    max_tokens: integer(1),
    stop_sequences: list(text, 0, 5),
    temperature: number(0, 1),
    seed: integer(0),
    frequency_penalty: number(0, 1),
    presence_penalty: number(0, 1),
    k: integer(0, 500),
    p: number(0.01, 0.99),
    logprobs: flag,
    thinking: of({ type: checkChoice("enabled", "disabled"), token_budget: integer(1) }, ["type"]),
    priority: integer(0, 999),
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
