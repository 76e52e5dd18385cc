// Requests to this route in the form of another API, which Cursor above all sends: Anthropic's blocks and tools, and the parts
// and flat tools of the Responses API. They are read as what they mean; only a body that fails the checks comes here.
import {
  asArray,
  asObject,
  asString,
  isObject,
  type JsonObject,
  omitUndefined,
} from "../../core/json/json.ts";
import type { Sealer } from "../../core/world/world.ts";
import { mapList } from "../../operations/text-json.ts";
import { readMessages, readSystem } from "../anthropic-messages/history.ts";

/** Blocks that only Anthropic's API has. Their messages are read as it reads them. */
const BLOCKS: ReadonlySet<unknown> = new Set([
  "tool_use",
  "tool_result",
  "image",
  "document",
  "thinking",
  "redacted_thinking",
  "search_result",
]);

/** The Responses API's parts that differ from this API's by their names alone. */
const TEXT_PARTS: ReadonlySet<unknown> = new Set(["input_text", "output_text"]);

const GEMINI = "Google's format, which POST /v1beta/models/{model}:generateContent";
/** Other APIs' fields of instructions, each with the route that takes it. */
const INSTRUCTIONS: Readonly<Record<string, string>> = {
  instructions: "the Responses API, which POST /v1/responses",
  system_instruction: GEMINI,
  systemInstruction: GEMINI,
  system: "Anthropic's format, which POST /v1/messages",
};

const OPTIONS =
  "'extra_body' is an option of OpenAI's SDK for Python, which sends the fields in it at the top level: send them there.";

/** Thinking that another gateway signed can't be opened here, and stays as it is. */
export const NOTHING_SEALED: Sealer = { seal: (text) => text, open: () => null };

/** True for a body that belongs to the Responses API. An embedding's has no other field of it. */
export function isResponsesBody(body: JsonObject): boolean {
  return body.messages === undefined && body.input !== undefined && body.input !== null;
}

interface Meant {
  readonly field: string;
  readonly message: string;
}

/**
 * Explains the field of a chat request that surely means something else: an instruction in a field of another API, if
 * nothing else of that API is there to tell its meaning, or the fields of an SDK's option that weren't put where that SDK
 * puts them. Left out, it would change the answer unnoticed. Null if there is none.
 */
export function explainMeant(given: JsonObject): Meant | null {
  if (given.messages === undefined && isResponsesBody(given)) return null;
  const isSet = (field: string) => given[field] !== undefined && given[field] !== null;
  if (isSet("extra_body")) return { field: "extra_body", message: OPTIONS };
  const field = Object.keys(INSTRUCTIONS).find(isSet);
  if (field === undefined || (field === "system" && isAnthropic(given))) return null;
  const message = `'${field}' belongs to ${INSTRUCTIONS[field]} takes. Here, send it as the first of 'messages', with the role 'system'.`;
  return { field, message };
}

function isAnthropic({ system, messages, tools, tool_choice: choice }: JsonObject): boolean {
  if (Array.isArray(system) || asArray(messages).some(hasBlocks)) return true;
  if (asArray(tools).some((tool) => isObject(asObject(tool).input_schema))) return true;
  return ["any", "tool"].includes(asString(asObject(choice).type) ?? "");
}

function hasBlocks(message: unknown): boolean {
  return asArray(asObject(message).content).some(isBlock);
}

/** Mistral has thinking of the same name, without Anthropic's signature. */
function isBlock(part: unknown): boolean {
  const { type, thinking } = asObject(part);
  return BLOCKS.has(type) && !(type === "thinking" && typeof thinking !== "string");
}

/** Returns the body in this API's form. Null if nothing of it has another one, or if it has no list of messages. */
export function translateForms(given: JsonObject, seal: Sealer = NOTHING_SEALED): JsonObject | null {
  const { system, stop_sequences: stops, messages: turns, ...rest } = given;
  if (!Array.isArray(turns)) return null;
  const messages = translateMessages(turns, seal);
  const tools = translateTools(given.tools);
  const choice = translateChoice(given.tool_choice);
  const isSame = messages === turns && tools === given.tools && choice === given.tool_choice;
  if (isSame && system === undefined) return null;
  return omitUndefined({
    ...rest,
    messages: [...readSystem(system).messages, ...messages],
    tools,
    tool_choice: choice,
    stop: given.stop ?? stops,
  });
}

function translateMessages(given: readonly unknown[], seal: Sealer): readonly unknown[] {
  if (!given.some(hasBlocks)) return mapList(given, translateParts);
  return given.flatMap((message, index): readonly unknown[] =>
    hasBlocks(message) ? readMessages([message], seal, index).messages : [translateParts(message)],
  );
}

function translateParts(message: unknown): unknown {
  const { content, ...rest } = asObject(message);
  if (!Array.isArray(content)) return message;
  const parts = mapList<unknown>(content, translatePart);
  return parts === content ? message : { ...rest, content: parts };
}

function translatePart(value: unknown): unknown {
  const part = asObject(value);
  if (TEXT_PARTS.has(part.type)) {
    const { annotations: _annotations, logprobs: _logprobs, ...rest } = part;
    return { ...rest, type: "text" };
  }
  if (part.type === "input_image" && typeof part.image_url === "string") {
    const { image_url: url, detail, ...rest } = part;
    return { ...rest, type: "image_url", image_url: omitUndefined({ url, detail }) };
  }
  if (part.type !== "input_file") return value;
  const { file_data: data, file_url: url, filename, file_id, ...rest } = part;
  return { ...rest, type: "file", file: omitUndefined({ file_data: data ?? url, filename, file_id }) };
}

function translateTools(value: unknown): unknown {
  return Array.isArray(value) ? mapList<unknown>(value, translateTool) : value;
}

function translateTool(value: unknown): unknown {
  if (!isObject(value) || typeof value.name !== "string") return value;
  const { type, name, description, input_schema: schema, parameters, strict, format, ...rest } = value;
  if (isObject(schema) && (type === undefined || type === "custom"))
    return {
      ...rest,
      type: "function",
      function: omitUndefined({ name, description, parameters: schema, strict }),
    };
  if (type === "function" && !isObject(value.function))
    return { ...rest, type, function: omitUndefined({ name, description, parameters, strict }) };
  if (type !== "custom" || isObject(value.custom)) return value;
  return { ...rest, type, custom: omitUndefined({ name, description, format: translateFormat(format) }) };
}

/** A grammar's fields stand one level deeper here. */
function translateFormat(value: unknown): unknown {
  const { type, syntax, definition } = asObject(value);
  return type === "grammar" && syntax !== undefined ? { type, grammar: { syntax, definition } } : value;
}

function translateChoice(value: unknown): unknown {
  const { type, name } = asObject(value);
  switch (type) {
    case "any":
      return "required";
    case "auto":
    case "none":
      return type;
    case "tool":
      return { type: "function", function: { name } };
    case "function":
    case "custom":
      return name === undefined ? value : { type, [type]: { name } };
    default:
      return value;
  }
}
