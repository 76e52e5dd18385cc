// Recorded requests in OpenAI's form (OpenAI's and Mistral's) as clients send them, and their comparable form.

import {
  asArray,
  asObject,
  asString,
  isObject,
  type JsonObject,
  parseJson,
} from "../../../src/core/json/json.ts";
import type { ChatRequest } from "../../../src/operations/chat/form.ts";
import { chatRequest, notPlain, only, without } from "../plain.ts";
import { STANDARD_FIELDS } from "../standard-fields.ts";

/** Checked requests have no nulls, and `stop` is a list. Deprecated `functions` become `tools`. */
export function chatFromOpenAi(native: JsonObject): ChatRequest {
  only(native, "", ...STANDARD_FIELDS);
  // Shut down since 2026-10-23 (wire facts §1.5). It was the only reasoning model that accepted `stop`.
  if (/^o3-mini/.test(String(native.model)) && native.stop) notPlain("stop of o3-mini");
  const { messages, model, stop, tools, temperature, tool_choice: choice, ...rest } = native;
  const conversation = asArray(messages).map((message) => without(asObject(message)));
  return chatRequest(model, conversation, {
    ...rest,
    // 1 is the default and the only value that reasoning models accept. A tool choice without tools means nothing.
    temperature: temperature === 1 ? undefined : temperature,
    tool_choice: asArray(tools).length > 0 ? choice : undefined,
    stop: typeof stop === "string" ? [stop] : stop,
    tools: asArray(tools).map((tool) => ({ type: "function", ...asObject(tool) })),
    stream: native.stream === true ? true : undefined,
  });
}

export function chatFromMistral(native: JsonObject): ChatRequest {
  const { random_seed: seed, safe_prompt: safe, tool_choice: choice, ...rest } = native;
  if (safe === true) notPlain("safe_prompt");
  const messages = asArray(native.messages).map(asObject).map(mistralMessage);
  return chatFromOpenAi({ ...rest, seed, messages, tool_choice: choice === "any" ? "required" : choice });
}

function mistralMessage(message: JsonObject): JsonObject {
  const { prefix: _prefix, ...rest } = message;
  for (const part of asArray(message.content).map(asObject)) {
    if (part.type === "thinking" || part.type === "document_url") notPlain(String(part.type));
    if (part.type === "input_audio" && typeof part.input_audio === "string")
      notPlain("audio without its format");
  }
  const content = Array.isArray(message.content)
    ? asArray(message.content).map((part) => imageAsObject(asObject(part)))
    : message.content;
  return { ...rest, content };
}

function imageAsObject(part: JsonObject): JsonObject {
  return typeof part.image_url === "string" ? { ...part, image_url: { url: part.image_url } } : part;
}

/** Like canonicalOpenAi, but Mistral refuses OpenAI's name of the limit, and any unknown field, with 422. */
export function canonicalMistral(body: JsonObject): JsonObject {
  const { max_tokens, max_completion_tokens } = body;
  return { ...canonicalOpenAi(body), max_tokens, max_completion_tokens };
}

/** Fields that a vendor's adapter translates or drops, by the wire facts (§4). */
const TRANSLATED: Readonly<Record<string, readonly string[]>> = {
  // Thinks by default, and then sampling has no effect. There is no seed, and efforts are its own.
  deepseek: ["temperature", "seed", "thinking", "reasoning_effort"],
  // Thinking is a switch, and streamed arguments must be requested.
  zai: ["thinking", "reasoning_effort", "tool_stream"],
};

export function findTranslated(file: string): readonly string[] {
  return TRANSLATED[file] ?? [];
}

/** For servers of the OpenAI dialect. Clients of other models don't send their own fields (`cache_control`). */
export function chatFromCompatible(native: JsonObject): ChatRequest {
  for (const message of asArray(native.messages).map(asObject)) {
    if (message.cache_control) notPlain("message.cache_control");
  }
  return chatFromOpenAi(native);
}

/**
 * Like canonicalOpenAi. In addition, thinking in the history is vendor-specific: some require it back, some refuse it.
 * OpenRouter requires its `reasoning_details` unchanged.
 */
export function canonicalCompatible(body: JsonObject, file: string): JsonObject {
  const texts = ["reasoning", "reasoning_content"];
  const theirs = file === "openrouter" ? texts : [...texts, "reasoning_details"];
  const messages = asArray(body.messages).map((message) => without(asObject(message), ...theirs));
  return without(canonicalOpenAi({ ...body, messages }), "model", ...findTranslated(file));
}

/**
 * Normalisations: a string content is one text; `stop` is a list; max_tokens and max_completion_tokens are one field,
 * developer and system one role; tool choice any is required; usage in streams is always requested; a tool without a
 * type is a function; a tool result's name, `prefix:false`, nulls, empty texts, the spelling of arguments, a tool
 * choice without tools and defaults (`stream:false`, `strict:false`, `n:1`, format text, temperature 1) don't matter.
 * Mistral's ids have 9 characters, so ids are compared by their order.
 */
export function canonicalOpenAi(body: JsonObject): JsonObject {
  const ids = new Map<unknown, number>();
  const { stop, tool_choice: choice, max_tokens: old, ...rest } = body;
  const format = asObject(body.response_format);
  const plainFormat = format.type === undefined || format.type === "text";
  return {
    ...without(rest, "stream_options", "max_completion_tokens", "n", "safe_prompt"),
    limit: old ?? body.max_completion_tokens,
    n: body.n ?? 1,
    temperature: body.temperature === 1 ? undefined : (body.temperature ?? undefined),
    stop: typeof stop === "string" ? [stop] : asArray(stop),
    stream: body.stream === true,
    tool_choice: asArray(body.tools).length === 0 ? null : choice === "any" ? "required" : (choice ?? null),
    response_format: plainFormat ? {} : canonicalFormat(format),
    tools: asArray(body.tools).map((tool) => canonicalTool(asObject(tool))),
    messages: asArray(body.messages).map((message) => canonicalMessage(asObject(message), ids)),
  };
}

function canonicalFormat(format: JsonObject): JsonObject {
  if (!isObject(format.json_schema)) return format;
  const { strict, description, ...rest } = format.json_schema;
  const kept = { ...rest, description: description || undefined, strict: strict || undefined };
  return { ...format, json_schema: without(kept) };
}

function canonicalTool(tool: JsonObject): JsonObject {
  const { strict, ...fn } = asObject(tool.function);
  return {
    ...tool,
    type: tool.type ?? "function",
    function: without({ ...fn, strict: strict || undefined }),
  };
}

function canonicalMessage(message: JsonObject, ids: Map<unknown, number>): JsonObject {
  const order = (id: unknown) => {
    if (!ids.has(id)) ids.set(id, ids.size);
    return ids.get(id);
  };
  const role = message.role === "developer" ? "system" : message.role;
  const calls = asArray(message.tool_calls).map((one) => {
    const { id, function: fn } = asObject(one);
    const input = asString(asObject(fn).arguments) ?? "";
    return { id: order(id), name: asObject(fn).name, input: parseJson(input) ?? input };
  });
  const extras = without(message, "role", "content", "tool_calls", "tool_call_id", "name", "prefix");
  return without({
    ...extras,
    role,
    name: role === "tool" ? undefined : message.name,
    prefix: message.prefix === true ? true : undefined,
    content: partsOf(message.content),
    calls,
    result: role === "tool" ? order(message.tool_call_id) : undefined,
  });
}

function partsOf(content: unknown): unknown[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return asArray(content).map((part) => imageAsObject(without(asObject(part))));
}
