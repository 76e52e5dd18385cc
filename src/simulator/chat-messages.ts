// Reads chat messages in OpenAI's form, shared by Mistral and Cohere, into turns.
import { asArray, asNumber, asObject, asString, isObject, type JsonObject } from "../core/json/json.ts";
import { parseDataUrl } from "../operations/chat/prompt/data-url.ts";
import { countBase64Bytes } from "./formats.ts";
import type { Media, OfferedTool, Prompt, Turn } from "./types.ts";

/** Returns the type and size of a data URL's content. Other URLs aren't fetched, so their size is null. */
export function parseMedia(kind: Media["kind"], url: string): Media {
  const data = parseDataUrl(url);
  if (data) return { kind, mediaType: data.mediaType, bytes: countBase64Bytes(data.base64) };
  return { kind, mediaType: url, bytes: null };
}

function readMedia(part: JsonObject): readonly Media[] {
  const image = part.image_url;
  if (image !== undefined)
    return [parseMedia("image", asString(image) ?? asString(asObject(image).url) ?? "")];
  const { data, format } = asObject(part.input_audio);
  if (typeof data === "string")
    return [{ kind: "audio", mediaType: `audio/${String(format)}`, bytes: countBase64Bytes(data) }];
  const { file_data: file } = asObject(part.file);
  if (typeof file === "string") return [parseMedia("file", file)];
  const link = asString(part.document_url);
  return link === undefined ? [] : [parseMedia("file", link)];
}

/** Joins the texts of all parts. A string is returned unchanged. */
export function joinText(content: unknown): string {
  if (typeof content === "string") return content;
  return asArray(content)
    .map((part) => asString(asObject(part).text) ?? "")
    .join("");
}

/** Returns a part's text. A Cohere document's text is its `data`, as JSON unless it is a string. */
function readText(part: JsonObject): string {
  const document = part.document;
  if (document === undefined) return asString(part.text) ?? "";
  const data = asObject(document).data;
  return asString(data) ?? JSON.stringify(data);
}

function readTurn(message: JsonObject): Turn {
  const content = message.content;
  const parts = asArray(content).filter(isObject);
  const text = asString(content) ?? parts.map(readText).join("");
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", text };
    case "assistant":
      return { role: "assistant", text, calls: readCalls(message) };
    case "tool":
      return { role: "tool", text, answers: asString(message.tool_call_id) ?? "" };
    default:
      return { role: "user", text, media: parts.flatMap(readMedia) };
  }
}

export function readCalls(message: JsonObject): NonNullable<Turn["calls"]> {
  return asArray(message.tool_calls).map((each) => {
    const { id, function: called, custom } = asObject(each);
    const { name, arguments: json, input } = asObject(called ?? custom);
    return { id: String(id), name: String(name), input: asString(json) ?? asString(input) ?? "" };
  });
}

/** Returns the turns of a list of messages, ignoring items that aren't objects. */
export function readTurns(messages: unknown): readonly Turn[] {
  return asArray(messages).filter(isObject).map(readTurn);
}

/**
 * Returns the function and custom tools in a list, nested or flat, limited to those that a list of allowed tools names.
 * Tools that the provider runs are left out.
 */
export function readTools(tools: unknown, allowed?: unknown): readonly OfferedTool[] {
  const offered = asArray(tools)
    .map(asObject)
    .filter(({ type }) => type === "function" || type === "custom")
    .map((tool) => {
      const { name, parameters } = readNamed(tool);
      return { name: String(name), schema: tool.type === "custom" ? null : asObject(parameters) };
    });
  const { tools: listed } = asObject(allowed);
  if (!Array.isArray(listed)) return offered;
  const names = listed.map((tool) => readNamed(asObject(tool)).name);
  return offered.filter(({ name }) => names.includes(name));
}

/** Returns the part of a tool or choice that has the name. In the Responses API it is the whole. */
function readNamed(given: JsonObject): JsonObject {
  return asObject(given.function ?? given.custom ?? given);
}

/** Reads `tool_choice` in OpenAI's forms, including Mistral's `any` and Cohere's upper case. */
export function readToolChoice(choice: unknown): Prompt["toolChoice"] {
  if (isObject(choice)) {
    const { mode } = asObject(choice.allowed_tools ?? choice);
    if (mode !== undefined) return mode === "required" ? "required" : "auto";
    const { name } = readNamed(choice);
    return name === undefined ? "auto" : { name: String(name) };
  }
  const word = String(choice ?? "auto").toLowerCase();
  if (word === "none") return "none";
  return word === "required" || word === "any" ? "required" : "auto";
}

/** Reads a prompt, except for the two parts that OpenAI and Mistral express differently. */
export function readChatPrompt(body: JsonObject): Omit<Prompt, "isThinking" | "outputTokensMax"> {
  const { type, json_schema: named } = asObject(body.response_format);
  const { schema } = asObject(type === "json_schema" ? named : undefined);
  const isJson = type === "json_object" || type === "json_schema";
  const { stop } = body;
  return {
    turns: readTurns(body.messages),
    tools: readTools(body.tools, asObject(body.tool_choice).allowed_tools),
    toolChoice: readToolChoice(body.tool_choice),
    parallelCalls: body.parallel_tool_calls !== false,
    format: isJson ? { schema: isObject(schema) ? schema : null } : null,
    stop: typeof stop === "string" ? [stop] : asArray(stop).map(String),
    choices: asNumber(body.n) ?? 1,
  };
}

/** The finish reasons. OpenAI and Mistral have none for refusals. */
export const FINISH_REASONS = {
  stop: "stop",
  stop_sequence: "stop",
  length: "length",
  tool_calls: "tool_calls",
  refusal: "stop",
} as const;
