// Validates requests to Mistral's chat: fields, ids of nine characters, and the order of turns.
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
  wordOr,
} from "./validator.ts";

const of = (fields: Fields, required: readonly string[] = []) => shape(fields, { required, nullable: true });
const CALL_ID = matching(/^[a-zA-Z0-9]{9}$/);
const NAME = matching(/^[a-zA-Z0-9_-]{1,256}$/);

const textPart = of({ type: anything, text }, ["text"]);
const thinkingPart = of({ type: anything, thinking: list(textPart), closed: flag, signature: text }, [
  "thinking",
]);
const userPart = variant("type", {
  text: textPart,
  image_url: of({ type: anything, image_url: textOr(of({ url: imageUrl, detail: text }, ["url"])) }, [
    "image_url",
  ]),
  document_url: of({ type: anything, document_url: text, document_name: text }, ["document_url"]),
  input_audio: of({ type: anything, input_audio: anything }, ["input_audio"]),
  file: of({ type: anything, file_id: text }, ["file_id"]),
  reference: of({ type: anything, reference_ids: list(integer()) }),
});
const call = of(
  {
    id: CALL_ID,
    type: checkChoice("function"),
    index: integer(0),
    function: of({ name: NAME, arguments: textOr(record) }, ["name", "arguments"]),
  },
  ["function"],
);
const texts = textOr(list(textPart));
const message = variant("role", {
  system: of({ role: anything, content: texts }, ["content"]),
  user: of({ role: anything, content: textOr(list(userPart)) }, ["content"]),
  assistant: of({
    role: anything,
    content: textOr(list(variant("type", { text: textPart, thinking: thinkingPart }))),
    tool_calls: list(call),
    prefix: flag,
  }),
  tool: of({ role: anything, content: texts, tool_call_id: CALL_ID, name: text }, [
    "content",
    "tool_call_id",
  ]),
});
const tool = of(
  {
    type: checkChoice("function"),
    function: of({ name: NAME, description: text, strict: flag, parameters: record }, ["name", "parameters"]),
  },
  ["function"],
);
const format = of({
  type: checkChoice("text", "json_object", "json_schema"),
  json_schema: of({ name: text, description: text, schema: record, strict: flag }, ["name", "schema"]),
});
const request = of(
  {
    model: text,
    messages: list(message, 1),
    temperature: number(0, 1.5),
    top_p: number(0, 1),
    max_tokens: integer(0),
    stream: flag,
    stop: textOr(list(text)),
    random_seed: integer(0),
    metadata: record,
    response_format: format,
    tools: list(tool),
    tool_choice: wordOr(
      ["auto", "none", "any", "required"],
      of({ type: text, function: of({ name: text }) }),
    ),
    presence_penalty: number(-2, 2),
    frequency_penalty: number(-2, 2),
    n: integer(1),
    prediction: record,
    parallel_tool_calls: flag,
    reasoning_effort: checkChoice("none", "high"),
    prompt_mode: checkChoice("reasoning"),
    guardrails: anything,
    prompt_cache_key: text,
    service_tier: text,
    safe_prompt: flag,
    document_image_limit: integer(0),
    document_page_limit: integer(0),
  },
  ["model", "messages"],
);

function checkMessages(body: JsonObject): void {
  const messages = asArray(body.messages).map(asObject);
  checkToolOrder(messages, {
    stray: (id) => `Unexpected tool call id ${id} in tool results`,
    unanswered: () => "Not the same number of function calls and responses",
  });
  const last = messages.at(-1);
  if (last?.role !== "user" && last?.role !== "tool" && last?.prefix !== true)
    reject(
      "unsupported",
      `Expected last role User or Tool (or Assistant with prefix True) for serving but got ${String(last?.role)}`,
    );
  const empty = messages.some(
    ({ role, content, tool_calls: calls }) => role === "assistant" && !content && !calls,
  );
  if (empty) reject("unsupported", "Assistant message must have either content or tool_calls, but not none.");
}

/** Throws a Rejection for a request that Mistral refuses ("Mistral API: Chat completion"). */
export function checkMistralRequest(body: JsonObject): void {
  if (body.logprobs === true) reject("context", "Logprobs are not enabled for this model", ["logprobs"]);
  request(body, []);
  checkMessages(body);
}
