// Translates recorded Messages requests into equivalent chat-completion requests, and both into a comparable form.

import { asArray, asObject, asString, isObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { ChatRequest } from "../../../src/operations/chat/form.ts";
import { chatRequest, merged, notPlain, only, without } from "../plain.ts";

const FIELDS = [
  "model",
  "max_tokens",
  "messages",
  "system",
  "tools",
  "tool_choice",
  "stop_sequences",
  "stream",
  "temperature",
  "top_p",
  "metadata",
  "thinking",
  "output_config",
  "anthropic_version",
];

export function chatFromAnthropic(native: JsonObject): ChatRequest {
  only(native, "", ...FIELDS);
  only(asObject(native.metadata), "metadata", "user_id");
  const output = asObject(native.output_config);
  const format = asObject(output.format);
  const thinks = isObject(native.thinking) && native.thinking.type !== "disabled";
  const messages = asArray(native.messages).map(asObject).flatMap(messagesOf);
  return chatRequest(native.model, [...systemOf(native.system), ...messages], {
    max_tokens: native.max_tokens,
    // With thinking enabled, only 1 (the default) is accepted.
    temperature: thinks && native.temperature === 1 ? undefined : native.temperature,
    top_p: native.top_p,
    stop: native.stop_sequences,
    stream: native.stream === true ? true : undefined,
    user: asObject(native.metadata).user_id,
    reasoning_effort: output.effort ?? (thinks ? "medium" : undefined),
    response_format: format.schema
      ? { type: "json_schema", json_schema: { name: "answer", schema: format.schema } }
      : undefined,
    tools: asArray(native.tools).map((tool) => toolOf(asObject(tool))),
    ...choiceOf(asObject(native.tool_choice)),
  });
}

function systemOf(system: unknown): JsonObject[] {
  if (typeof system === "string") return system === "" ? [] : [{ role: "system", content: system }];
  const parts = asArray(system).map((block) => partOf(asObject(block)));
  return parts.length > 0 ? [{ role: "system", content: parts }] : [];
}

function messagesOf(message: JsonObject): JsonObject[] {
  only(message, "message", "role", "content");
  if (message.role !== "user" && message.role !== "assistant") notPlain(`role ${String(message.role)}`);
  if (typeof message.content === "string") return [{ role: message.role, content: message.content }];
  const blocks = asArray(message.content).map(asObject);
  return message.role === "assistant" ? [assistantOf(blocks)] : userOf(blocks);
}

/** Tool results become separate messages, before what the user adds. */
function userOf(blocks: readonly JsonObject[]): JsonObject[] {
  const results = blocks.filter((block) => block.type === "tool_result").map(toolMessageOf);
  const parts = blocks.filter((block) => block.type !== "tool_result").map(partOf);
  if (blocks.findLastIndex((block) => block.type === "tool_result") >= results.length)
    notPlain("result after text");
  return parts.length > 0 ? [...results, { role: "user", content: parts }] : results;
}

function toolMessageOf(block: JsonObject): JsonObject {
  only(block, "tool_result", "type", "tool_use_id", "content", "is_error");
  if (block.is_error === true) notPlain("is_error");
  const content = Array.isArray(block.content)
    ? asArray(block.content).map((part) => partOf(asObject(part)))
    : (asString(block.content) ?? "");
  return { role: "tool", tool_call_id: block.tool_use_id, content };
}

function assistantOf(blocks: readonly JsonObject[]): JsonObject {
  const parts: JsonObject[] = [];
  const calls: JsonObject[] = [];
  const details: JsonObject[] = [];
  for (const block of blocks) {
    if (block.type === "text") {
      if (calls.length > 0) notPlain("text after a call");
      parts.push(partOf(block));
    } else if (block.type === "tool_use") {
      only(block, "tool_use", "type", "id", "name", "input");
      const fn = { name: block.name, arguments: JSON.stringify(block.input) };
      calls.push({ id: block.id, type: "function", function: fn });
    } else if (block.type === "thinking") {
      if (parts.length + calls.length > 0) notPlain("thinking between blocks");
      const { thinking: text, signature } = block;
      const index = details.length;
      details.push({ type: "reasoning.text", text, signature, format: "anthropic-claude-v1", index });
    } else notPlain(`block ${String(block.type)}`);
  }
  const content = parts.length > 0 ? parts : null;
  return {
    role: "assistant",
    content,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(details.length > 0 ? { reasoning_details: details } : {}),
  };
}

/** A text, image or PDF, with its `cache_control`. */
function partOf(block: JsonObject): JsonObject {
  const cache = block.cache_control ? { cache_control: block.cache_control } : {};
  if (block.type === "text") {
    only(block, "text", "type", "text", "cache_control");
    return { type: "text", text: block.text, ...cache };
  }
  only(block, String(block.type), "type", "source", "cache_control");
  const source = asObject(block.source);
  const dataUrl = `data:${String(source.media_type)};base64,${String(source.data)}`;
  if (block.type === "image" && source.type === "url") {
    return { type: "image_url", image_url: { url: source.url }, ...cache };
  }
  if (source.type !== "base64") notPlain(`source ${String(source.type)}`);
  if (block.type === "image") return { type: "image_url", image_url: { url: dataUrl }, ...cache };
  if (block.type === "document") return { type: "file", file: { file_data: dataUrl }, ...cache };
  return notPlain(`block ${String(block.type)}`);
}

function toolOf(tool: JsonObject): JsonObject {
  only(tool, "tool", "name", "description", "input_schema", "strict", "cache_control", "type");
  if (tool.type && tool.type !== "custom") notPlain(`tool ${String(tool.type)}`);
  const { name, description, input_schema: parameters, strict, cache_control } = tool;
  return without({
    type: "function",
    function: without({ name, description, parameters, strict }),
    cache_control,
  });
}

const CHOICES: Readonly<Record<string, string>> = { auto: "auto", any: "required", none: "none" };

function choiceOf(choice: JsonObject): JsonObject {
  const forced = { type: "function", function: { name: choice.name } };
  return without({
    tool_choice: choice.type === "tool" ? forced : CHOICES[asString(choice.type) ?? ""],
    parallel_tool_calls: choice.disable_parallel_tool_use === true ? false : undefined,
  });
}

/**
 * Stated normalisations: a string content is one text block; turns of one role are merged; empty lists, nulls, empty
 * texts and defaults (`stream:false`, tool choice auto, `is_error:false`, tool type custom, `strict:false`, temperature 1
 * beside thinking) are left out; the form of `thinking` is the adapter's choice by model, as is `output_config.effort`
 * beside it.
 */
export function canonicalAnthropic(body: JsonObject): JsonObject {
  const turns = asArray(body.messages).map((message) => {
    const { role, content } = asObject(message);
    return { role, parts: blocksOf(content) };
  });
  const choice = without(asObject(body.tool_choice), "disable_parallel_tool_use");
  if (asObject(body.tool_choice).disable_parallel_tool_use === true) choice.disable_parallel_tool_use = true;
  const plainChoice = choice.type === "auto" && Object.keys(choice).length === 1;
  const output = body.thinking
    ? without(asObject(body.output_config), "effort")
    : asObject(body.output_config);
  return {
    ...without(body, "thinking", "anthropic_version"),
    messages: merged(turns),
    system: blocksOf(body.system),
    stream: body.stream === true,
    temperature: body.thinking && body.temperature === 1 ? undefined : body.temperature,
    tools: asArray(body.tools).map((tool) => canonicalTool(asObject(tool))),
    tool_choice: plainChoice ? {} : choice,
    output_config: output,
  };
}

function canonicalTool(tool: JsonObject): JsonObject {
  const { strict, description, ...rest } = tool;
  return without({ ...rest, strict: strict || undefined, description: description || undefined }, "type");
}

function blocksOf(content: unknown): JsonObject[] {
  const blocks =
    typeof content === "string" ? [{ type: "text", text: content }] : asArray(content).map(asObject);
  return blocks.filter((block) => block.type !== "text" || block.text !== "").map(blockOf);
}

function blockOf(block: JsonObject): JsonObject {
  if (block.type !== "tool_result") return without(block);
  const { is_error, ...rest } = block;
  return without({ ...rest, content: blocksOf(block.content), ...(is_error === true ? { is_error } : {}) });
}
