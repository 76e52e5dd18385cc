// Translates recorded Converse requests into equivalent chat-completion requests, and both into a comparable form.
import {
  asArray,
  asObject,
  asString,
  isObject,
  type JsonObject,
  parseJson,
} from "../../../src/core/json/json.ts";
import type { ChatRequest } from "../../../src/operations/chat/form.ts";
import type { Recording } from "../load.ts";
import { chatRequest, merged, notPlain, only, without } from "../plain.ts";

const FIELDS = [
  "messages",
  "system",
  "inferenceConfig",
  "toolConfig",
  "outputConfig",
  "additionalModelRequestFields",
];
const MARK = { cache_control: { type: "ephemeral" } };

/** The id in the address is the full one. */
export function readModelId({ url, model }: Recording): string {
  return decodeURIComponent(/\/model\/([^/]+)/.exec(url)?.[1] ?? model);
}

export function chatFromConverse(native: JsonObject, recording: Recording): ChatRequest {
  only(native, "", ...FIELDS);
  const { maxTokens, temperature, topP, stopSequences, ...others } = asObject(native.inferenceConfig);
  only(others, "inferenceConfig");
  const { tools, toolChoice } = asObject(native.toolConfig);
  if (asObject(asArray(native.messages)[0]).role === "assistant") notPlain("a first turn of the assistant's");
  const messages = asArray(native.messages).map(asObject).flatMap(toMessages);
  const system = toParts(native.system);
  return chatRequest(
    readModelId(recording),
    [...(system.length > 0 ? [{ role: "system", content: system }] : []), ...messages],
    {
      max_tokens: maxTokens,
      temperature,
      top_p: topP,
      stop: stopSequences,
      stream: recording.api === "bedrock-converse-stream" ? true : undefined,
      tools: asArray(tools).map((tool) => toTool(asObject(tool))),
      tool_choice: toChoice(asObject(toolChoice)),
      response_format: toFormat(asObject(native.outputConfig)),
      reasoning_effort: toEffort(asObject(native.additionalModelRequestFields)),
    },
  );
}

function toEffort(fields: JsonObject): unknown {
  const { reasoningConfig, reasoning_config: config, reasoning_effort: effort, ...others } = fields;
  only(others, "additionalModelRequestFields");
  if (isObject(config)) notPlain("reasoning_config of Claude's");
  return asObject(reasoningConfig).maxReasoningEffort ?? config ?? effort;
}

function toFormat({ textFormat }: JsonObject): JsonObject | undefined {
  const { jsonSchema } = asObject(asObject(textFormat).structure);
  if (!isObject(jsonSchema)) return undefined;
  const schema = parseJson(asString(jsonSchema.schema) ?? "");
  return { type: "json_schema", json_schema: { ...jsonSchema, schema } };
}

function toChoice({ auto, any, tool }: JsonObject): unknown {
  if (isObject(tool)) return { type: "function", function: { name: tool.name } };
  return any ? "required" : auto ? "auto" : undefined;
}

function toTool(tool: JsonObject): JsonObject {
  only(tool, "tool", "toolSpec");
  const { name, description, inputSchema, strict, ...others } = asObject(tool.toolSpec);
  only(others, "toolSpec");
  const parameters = asObject(inputSchema).json;
  return { type: "function", function: without({ name, description, parameters, strict }) };
}

function toMessages(message: JsonObject): JsonObject[] {
  const blocks = asArray(message.content).map(asObject);
  if (message.role === "assistant") return [toAssistant(blocks)];
  const results = blocks.filter(({ toolResult }) => isObject(toolResult));
  if (blocks.findLastIndex(({ toolResult }) => isObject(toolResult)) >= results.length)
    notPlain("a result after text");
  const parts = toParts(blocks.slice(results.length));
  const messages = results.map(toResult);
  return parts.length > 0 ? [...messages, { role: "user", content: parts }] : messages;
}

function toResult(block: JsonObject): JsonObject {
  const { toolUseId, content, status } = asObject(block.toolResult);
  const failed = status === undefined ? {} : { is_error: status === "error" };
  return { role: "tool", tool_call_id: toolUseId, content: toParts(content), ...failed };
}

function toAssistant(blocks: readonly JsonObject[]): JsonObject {
  const said = blocks.filter(({ text, cachePoint }) => text !== undefined || cachePoint !== undefined);
  const calls = blocks.flatMap(({ toolUse }) => {
    if (!isObject(toolUse)) return [];
    const { toolUseId: id, name, input } = toolUse;
    return [{ id, type: "function", function: { name, arguments: JSON.stringify(input) } }];
  });
  const details = blocks.flatMap(({ reasoningContent }, index) => {
    if (!isObject(reasoningContent)) return [];
    const { reasoningText, redactedContent: data } = reasoningContent;
    return [
      { type: "reasoning.text", format: "bedrock-converse-v1", index, data, ...asObject(reasoningText) },
    ];
  });
  if (said.length + calls.length + details.length < blocks.length) notPlain("a block of the assistant's");
  if (blocks.findLastIndex(({ text }) => text !== undefined) > blocks.length - 1 - calls.length)
    notPlain("text after a call");
  return {
    role: "assistant",
    content: said.length > 0 ? toParts(said) : null,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(details.length > 0 ? { reasoning_details: details } : {}),
  };
}

/** A cache point marks the part before it. */
function toParts(blocks: unknown): JsonObject[] {
  const parts: JsonObject[] = [];
  for (const block of asArray(blocks).map(asObject)) {
    if (block.cachePoint === undefined) parts.push(toPart(block));
    else parts.push({ ...(parts.pop() ?? notPlain("a cache point before all")), ...MARK });
  }
  return parts;
}

function toPart({ text, image, document, ...others }: JsonObject): JsonObject {
  if (text !== undefined) return { type: "text", text };
  const [kind = "nothing"] = Object.keys(others);
  const { format, name, source, citations } = asObject(image ?? document);
  if (citations !== undefined) notPlain("citations of documents");
  const { bytes } = asObject(source);
  if (typeof bytes !== "string") notPlain(`${kind} or a source without bytes`);
  if (image !== undefined)
    return { type: "image_url", image_url: { url: `data:image/${String(format)};base64,${bytes}` } };
  const file_data = `data:application/octet-stream;base64,${bytes}`;
  return { type: "file", file: { file_data, filename: `${String(name)}.${String(format)}` } };
}

/**
 * Normalisations: turns of one role are merged; empty lists and objects, tool choice auto, `strict: false` and the
 * status of a tool that did not fail are dropped; a schema's text is compared as JSON, without the closing of its
 * objects; a tool without parameters takes an object.
 */
export function canonicalConverse(body: JsonObject): JsonObject {
  const turns = asArray(body.messages).map((message) => {
    const { role, content } = asObject(message);
    return { role, parts: asArray(content).map((block) => withoutSuccess(asObject(block))) };
  });
  const { tools, toolChoice } = asObject(body.toolConfig);
  const { textFormat } = asObject(body.outputConfig);
  const { jsonSchema } = asObject(asObject(textFormat).structure);
  const { schema, ...named } = asObject(jsonSchema);
  return {
    messages: merged(turns),
    system: asArray(body.system),
    inference: without(asObject(body.inferenceConfig)),
    additional: asObject(body.additionalModelRequestFields),
    tools: asArray(tools).map(toCanonicalTool),
    choice: isObject(asObject(toolChoice).auto) ? {} : asObject(toolChoice),
    schema: openObjects(asString(schema) ?? "null"),
    named,
  };
}

function openObjects(schema: string): unknown {
  const isClosing = (key: string, value: unknown) => key === "additionalProperties" && value === false;
  return JSON.parse(schema, (key, value) => (isClosing(key, value) ? undefined : value));
}

function withoutSuccess(block: JsonObject): JsonObject {
  const { status, ...result } = asObject(block.toolResult);
  return status === "success" ? { ...block, toolResult: result } : block;
}

function toCanonicalTool(tool: unknown): JsonObject {
  const { toolSpec, ...others } = asObject(tool);
  const { strict, inputSchema, ...spec } = asObject(toolSpec);
  const json = { type: "object", ...asObject(asObject(inputSchema).json) };
  return { ...others, ...spec, json, strict: strict === true };
}
