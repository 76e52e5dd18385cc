// Validates requests to Mistral's chat: fields, ids of nine characters, and the order of turns.
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import { reject } from "../../src/simulator/problem.ts";
import { checkToolOrder } from "./call-order.ts";
import { imageUrl } from "./openai-shapes.ts";
import { checkTemplate } from "./template-guards.ts";
import type { Fields } from "./validator.ts";
import * as is from "./validator.ts";

const of = (fields: Fields, required: readonly string[] = []) =>
  is.shape(fields, { required, nullable: true });
const CALL_ID = is.matching(/^[a-zA-Z0-9]{9}$/);
const NAME = is.matching(/^[a-zA-Z0-9_-]{1,256}$/);

const textPart = of({ type: is.anything, text: is.text }, ["text"]);
const thinkingPart = of(
  { type: is.anything, thinking: is.list(textPart), closed: is.flag, signature: is.text },
  ["thinking"],
);
const userPart = is.variant("type", {
  text: textPart,
  image_url: of(
    { type: is.anything, image_url: is.textOr(of({ url: imageUrl, detail: is.text }, ["url"])) },
    ["image_url"],
  ),
  document_url: of({ type: is.anything, document_url: is.text, document_name: is.text }, ["document_url"]),
  input_audio: of({ type: is.anything, input_audio: is.anything }, ["input_audio"]),
  file: of({ type: is.anything, file_id: is.text }, ["file_id"]),
  reference: of({ type: is.anything, reference_ids: is.list(is.integer()) }),
});
const call = of(
  {
    id: CALL_ID,
    type: is.checkChoice("function"),
    index: is.integer(0),
    function: of({ name: NAME, arguments: is.textOr(is.record) }, ["name", "arguments"]),
  },
  ["function"],
);
const texts = is.textOr(is.list(textPart));
const message = is.variant("role", {
  system: of({ role: is.anything, content: texts }, ["content"]),
  user: of({ role: is.anything, content: is.textOr(is.list(userPart)) }, ["content"]),
  assistant: of({
    role: is.anything,
    content: is.textOr(is.list(is.variant("type", { text: textPart, thinking: thinkingPart }))),
    tool_calls: is.list(call),
    prefix: is.flag,
  }),
  tool: of({ role: is.anything, content: texts, tool_call_id: CALL_ID, name: is.text }, [
    "content",
    "tool_call_id",
  ]),
});
const tool = of(
  {
    type: is.checkChoice("function"),
    function: of({ name: NAME, description: is.text, strict: is.flag, parameters: is.record }, [
      "name",
      "parameters",
    ]),
  },
  ["function"],
);
const format = of({
  type: is.checkChoice("text", "json_object", "json_schema"),
  json_schema: of({ name: is.text, description: is.text, schema: is.record, strict: is.flag }, [
    "name",
    "schema",
  ]),
});
const request = of(
  {
    model: is.text,
    messages: is.list(message, 1),
    temperature: is.number(0, 1.5),
    top_p: is.number(0, 1),
    max_tokens: is.integer(0),
    stream: is.flag,
    stop: is.textOr(is.list(is.text)),
    random_seed: is.integer(0),
    metadata: is.record,
    response_format: format,
    tools: is.list(tool),
    tool_choice: is.wordOr(
      ["auto", "none", "any", "required"],
      of({ type: is.text, function: of({ name: is.text }) }),
    ),
    presence_penalty: is.number(-2, 2),
    frequency_penalty: is.number(-2, 2),
    n: is.integer(1),
    prediction: is.record,
    parallel_tool_calls: is.flag,
    reasoning_effort: is.checkChoice("none", "high"),
    prompt_mode: is.checkChoice("reasoning"),
    guardrails: is.anything,
    prompt_cache_key: is.text,
    service_tier: is.text,
    safe_prompt: is.flag,
    document_image_limit: is.integer(0),
    document_page_limit: is.integer(0),
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
  checkTemplate(body.messages, String(body.model));
}
