// Translates recorded Responses requests into equivalent chat-completion requests, and both into a comparable form.

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

const FIELDS = [
  "model",
  "input",
  "instructions",
  "tools",
  "tool_choice",
  "text",
  "reasoning",
  "max_output_tokens",
  "stream",
  "store",
  "include",
  "temperature",
  "top_p",
  "parallel_tool_calls",
  "prompt_cache_key",
  "user",
  "service_tier",
];

export function chatFromResponses(native: JsonObject): ChatRequest {
  only(native, "", ...FIELDS);
  if (asArray(native.include).some((one) => one !== "reasoning.encrypted_content")) notPlain("include");
  const reasoning = asObject(native.reasoning);
  only(reasoning, "reasoning", "effort", "summary");
  const instructions = native.instructions ? [{ role: "system", content: native.instructions }] : [];
  return chatRequest(native.model, [...instructions, ...messagesOf(native.input)], {
    max_completion_tokens: native.max_output_tokens,
    temperature: native.temperature,
    top_p: native.top_p,
    parallel_tool_calls: native.parallel_tool_calls,
    prompt_cache_key: native.prompt_cache_key,
    user: native.user,
    service_tier: native.service_tier,
    stream: native.stream === true ? true : undefined,
    reasoning_effort: reasoning.effort,
    response_format: formatOf(asObject(asObject(native.text).format)),
    tools: asArray(native.tools).map((tool) => toolOf(asObject(tool))),
    tool_choice: choiceOf(native.tool_choice),
  });
}

function formatOf(format: JsonObject): JsonObject | undefined {
  if (format.type !== "json_schema") return format.type === "json_object" ? { type: format.type } : undefined;
  const { type, ...inner } = format;
  return { type, json_schema: without(inner) };
}

function toolOf(tool: JsonObject): JsonObject {
  only(tool, "tool", "type", "name", "description", "parameters", "strict");
  if (tool.type !== "function") notPlain(`tool ${String(tool.type)}`);
  const { type, ...fn } = tool;
  return { type, function: without(fn) };
}

function choiceOf(choice: unknown): unknown {
  if (!isObject(choice)) return choice;
  if (choice.type === "function") return { type: "function", function: { name: choice.name } };
  if (choice.type !== "allowed_tools") notPlain("tool_choice");
  const tools = asArray(choice.tools).map((tool) => ({
    type: "function",
    function: { name: asObject(tool).name },
  }));
  return { type: "allowed_tools", allowed_tools: { mode: choice.mode, tools } };
}

/** Consecutive items of an assistant (thinking, text, calls) are one message. */
function messagesOf(input: unknown): JsonObject[] {
  if (typeof input === "string") return [{ role: "user", content: input }];
  const messages: JsonObject[] = [];
  for (const item of asArray(input).map(asObject)) {
    const made = messageOf(item);
    const last = messages.at(-1);
    const goesOn = last?.role === "assistant" && made.role === "assistant" && !(last.content && made.content);
    if (!goesOn || !last) messages.push(made);
    else if (last.tool_calls && made.content) notPlain("text after a call");
    else messages[messages.length - 1] = joined(last, made);
  }
  return messages;
}

function joined(before: JsonObject, after: JsonObject): JsonObject {
  const both = (field: string) => [...asArray(before[field]), ...asArray(after[field])];
  return without({
    ...before,
    ...after,
    tool_calls: both("tool_calls"),
    reasoning_details: both("reasoning_details"),
  });
}

function messageOf(item: JsonObject): JsonObject {
  switch (item.type ?? "message") {
    case "message":
      only(item, "message", "type", "role", "content", "id", "status", "phase");
      return { role: item.role, content: contentOf(item.content) };
    case "function_call": {
      only(item, "function_call", "type", "call_id", "name", "arguments", "id", "status");
      const fn = { name: item.name, arguments: item.arguments };
      return { role: "assistant", tool_calls: [{ id: item.call_id, type: "function", function: fn }] };
    }
    case "function_call_output":
      only(item, "function_call_output", "type", "call_id", "output", "id", "status");
      if (typeof item.output !== "string") notPlain("output parts");
      return { role: "tool", tool_call_id: item.call_id, content: item.output };
    case "reasoning":
      return { role: "assistant", reasoning_details: detailsOf(item) };
    default:
      return notPlain(`item ${String(item.type)}`);
  }
}

/** OpenRouter's form: a summary and the encrypted thinking, with the same id. */
function detailsOf(item: JsonObject): JsonObject[] {
  if (!item.encrypted_content || asArray(item.content).length > 0)
    notPlain("reasoning that is not encrypted");
  const shared = { format: "openai-responses-v1", id: item.id ?? null, index: 0 };
  const summaries = asArray(item.summary).map((part) => {
    return { type: "reasoning.summary", summary: asObject(part).text, ...shared };
  });
  return [...summaries, { type: "reasoning.encrypted", data: item.encrypted_content, ...shared }];
}

function contentOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((one) => {
    const part = asObject(one);
    if (part.type === "input_text" || part.type === "output_text") return { type: "text", text: part.text };
    if (part.type === "input_image") {
      only(part, "input_image", "type", "image_url", "detail");
      return { type: "image_url", image_url: without({ url: part.image_url, detail: part.detail }) };
    }
    if (part.type !== "input_file") notPlain(`part ${String(part.type)}`);
    only(part, "input_file", "type", "file_data", "filename");
    return { type: "file", file: without({ file_data: part.file_data, filename: part.filename }) };
  });
}

/**
 * Stated normalisations: a string input is one user message, a string content one text, instructions the first message;
 * developer and system are one role; input and output texts are texts; ids, states and phases of items don't matter;
 * `store`, `include` and `reasoning.summary` are the adapter's choice (the gateway keeps nothing upstream and asks for
 * thinking); nulls and defaults (`stream:false`, `strict:false`, tool choice auto, detail auto, empty annotations) are left out.
 */
export function canonicalResponses(body: JsonObject): JsonObject {
  const items =
    typeof body.input === "string" ? [{ role: "user", content: body.input }] : asArray(body.input);
  const first = body.instructions ? [{ role: "system", content: body.instructions }] : [];
  const text = asObject(body.text);
  const { strict, ...format } = asObject(text.format);
  return {
    ...without(body, "instructions", "store", "include", "truncation"),
    input: [...first, ...items].map((item) => canonicalItem(asObject(item))),
    reasoning: without(asObject(body.reasoning), "summary"),
    stream: body.stream === true,
    text: {
      ...text,
      format: format.type === "text" ? {} : without({ ...format, strict: strict || undefined }),
    },
    tool_choice: body.tool_choice ?? "auto",
    tools: asArray(body.tools).map((one) => {
      const { strict: strictly, ...tool } = asObject(one);
      return without({ ...tool, strict: strictly || undefined });
    }),
  };
}

function canonicalItem(item: JsonObject): JsonObject {
  const rest = without(item, "id", "status", "phase");
  if (item.type === "function_call") {
    const input = asString(item.arguments) ?? "";
    return { ...rest, arguments: parseJson(input) ?? input };
  }
  if ((item.type ?? "message") !== "message") return rest;
  const parts =
    typeof item.content === "string" ? [{ type: "text", text: item.content }] : asArray(item.content);
  const role = item.role === "developer" ? "system" : item.role;
  return { type: "message", role, content: parts.map((part) => canonicalPart(asObject(part))) };
}

function canonicalPart(part: JsonObject): JsonObject {
  const texts = part.type === "input_text" || part.type === "output_text";
  const detail = part.detail === "auto" ? undefined : part.detail;
  return without({ ...part, type: texts ? "text" : part.type, detail }, "annotations", "logprobs");
}
