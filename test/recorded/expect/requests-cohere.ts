// Translates recorded Cohere v2 requests into equivalent chat-completion requests, and both into a comparable form.

import { asArray, asObject, asString, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import type { ChatRequest } from "../../../src/operations/chat/form.ts";
import { chatRequest, notPlain, only, toolResult, without } from "../plain.ts";

const FIELDS = [
  "model",
  "messages",
  "max_tokens",
  "stream",
  "tools",
  "tool_choice",
  "temperature",
  "response_format",
  "stop_sequences",
  "p",
  "seed",
  "frequency_penalty",
  "presence_penalty",
  "thinking",
];
const CHOICES: Readonly<Record<string, string>> = { NONE: "none", REQUIRED: "required" };

export function chatFromCohere(native: JsonObject): ChatRequest {
  only(native, "", ...FIELDS);
  return chatRequest(native.model, asArray(native.messages).map(asObject).map(messageOf), {
    max_tokens: native.max_tokens,
    temperature: native.temperature,
    top_p: native.p,
    seed: native.seed,
    frequency_penalty: native.frequency_penalty,
    presence_penalty: native.presence_penalty,
    stop: native.stop_sequences,
    stream: native.stream === true ? true : undefined,
    tools: native.tools,
    tool_choice: CHOICES[asString(native.tool_choice) ?? ""],
    response_format: formatOf(asObject(native.response_format)),
    reasoning_effort: asObject(native.thinking).type === "enabled" ? "medium" : undefined,
  });
}

function formatOf(format: JsonObject): JsonObject | undefined {
  const schema = format.json_schema ?? format.schema;
  if (schema) return { type: "json_schema", json_schema: { name: "answer", schema } };
  return format.type ? { type: format.type } : undefined;
}

/** The plan before a call is the text beside the calls in OpenAI's assistant turn. */
function messageOf(message: JsonObject): JsonObject {
  only(message, "message", "role", "content", "tool_calls", "tool_plan", "tool_call_id");
  const { tool_plan: plan, ...rest } = message;
  const content = message.content ?? plan;
  if (message.role === "tool") return { ...rest, content: resultOf(message.content) };
  return without({ ...rest, content });
}

function resultOf(content: unknown): string {
  if (typeof content === "string") return content;
  const [part, ...more] = asArray(content).map(asObject);
  const document = asObject(part?.document);
  if (!part || more.length > 0 || part.type !== "document") notPlain("several documents");
  only(document, "document", "data");
  return typeof document.data === "string" ? document.data : JSON.stringify(document.data);
}

/**
 * Normalisations: a string content is one text; a text beside calls is the plan; tool results are unwrapped; the schema
 * may have either name; `thinking` is the adapter's choice; nulls and `stream:false` are dropped.
 */
export function canonicalCohere(body: JsonObject): JsonObject {
  const format = asObject(body.response_format);
  return {
    ...without(body, "thinking"),
    stream: body.stream === true,
    messages: asArray(body.messages).map(asObject).map(canonicalMessage),
    response_format: without({ type: format.type, schema: format.json_schema ?? format.schema }),
  };
}

function canonicalMessage(message: JsonObject): JsonObject {
  const calls = asArray(message.tool_calls).map((call) => {
    const { id, function: fn } = asObject(call);
    return { id, name: asObject(fn).name, input: parseJson(String(asObject(fn).arguments)) };
  });
  const content = partsOf(message.content);
  if (message.role === "tool") {
    const only = content.length === 1 ? asObject(content[0]) : {};
    const data = asObject(only.document).data ?? only.text;
    return { role: "tool", id: message.tool_call_id, result: toolResult(data) };
  }
  const plan = message.tool_plan ? [{ type: "text", text: message.tool_plan }] : [];
  return without({ role: message.role, content: [...plan, ...content], calls });
}

function partsOf(content: unknown): unknown[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return asArray(content).filter((part) => asObject(part).text !== "");
}
