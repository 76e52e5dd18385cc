// A server that refuses whatever OpenAI's chat-completions API doesn't have.
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";

/** OpenAI API reference, "Create chat completion", November 2026, without sound and searches. */
const BODY_FIELDS =
  `model messages stream stream_options max_tokens max_completion_tokens temperature top_p stop
  tools tool_choice parallel_tool_calls response_format user service_tier frequency_penalty presence_penalty logit_bias
  logprobs top_logprobs metadata n seed prompt_cache_key prompt_cache_retention safety_identifier store
  verbosity`.split(/\s+/);
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  body: BODY_FIELDS,
  system: ["role", "content", "name"],
  user: ["role", "content", "name"],
  assistant: ["role", "content", "name", "tool_calls", "refusal"],
  tool: ["role", "content", "tool_call_id"],
  part: ["type", "text", "image_url", "file"],
  tools: ["type", "function"],
  function: ["name", "description", "parameters", "strict"],
  call: ["id", "type", "function"],
};
const THINKING_FIELDS = ["reasoning_effort"];

/** Returns the first field that the API lacks. */
function findUnknown(body: JsonObject): string | undefined {
  const thinks = /^(openai\/)?gpt-5/.test(String(body.model));
  const unknown = (kind: string, value: unknown, more: readonly string[] = []) =>
    Object.keys(asObject(value)).find((name) => ![...(FIELDS[kind] ?? []), ...more].includes(name));
  const messages = asArray(body.messages).map(asObject);
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const calls = messages.flatMap(({ tool_calls }) => asArray(tool_calls));
  const tools = asArray(body.tools);
  return [
    unknown("body", body, thinks ? THINKING_FIELDS : []),
    ...messages.map((message) => unknown(String(message.role), message)),
    ...parts.map((part) => unknown("part", part)),
    ...calls.map((call) => unknown("call", call)),
    ...tools.map((tool) => unknown("tools", tool) ?? unknown("function", asObject(tool).function)),
  ].find((name) => name !== undefined);
}

/** Returns OpenAI's refusal of the first field that its API lacks, or null. */
export function refuseUnknown(body: JsonObject): Response | null {
  const name = findUnknown(body);
  if (name === undefined) return null;
  const error = { message: `Unrecognized request argument supplied: ${name}`, type: "invalid_request_error" };
  return Response.json({ error }, { status: 400 });
}
