// Mistral's own forms of a chat request, as its SDK sends them, in OpenAI's. Those that OpenAI's form lacks are left for
// the checks, which name them.
import { ElementWork, mapGrowing } from "../../core/json/growing.ts";
import { asArray, asObject, asString, isObject, type JsonObject, keepSame } from "../../core/json/json.ts";
import { mapList } from "../../operations/text-json.ts";

const TRANSLATED = new ElementWork();

/** Changes the body, whose top level is the caller's own (Mistral API reference, "Chat"). */
export function translateMistral(body: JsonObject): void {
  if (body.tool_choice === "any") body.tool_choice = "required";
  if (Number.isSafeInteger(body.random_seed) && body.seed === undefined) {
    body.seed = body.random_seed;
    delete body.random_seed;
  }
  if (Array.isArray(body.messages))
    body.messages = mapGrowing<unknown>(body.messages, translateMessage, TRANSLATED);
}

function translateMessage(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { content, tool_calls: calls, prefix } = message;
  if (!Array.isArray(content) && !Array.isArray(calls) && prefix !== false) return message;
  const changes: JsonObject = {};
  if (Array.isArray(content)) Object.assign(changes, translateContent(content, message));
  if (Array.isArray(calls)) changes.tool_calls = mapList<unknown>(calls, translateCall);
  // The SDK's default, which other servers don't know.
  if (prefix === false) changes.prefix = undefined;
  return Object.keys(changes).length > 0 ? keepSame(message, { ...message, ...changes }) : message;
}

/** Thinking is a part of the content in Mistral's form, and a field beside it in OpenAI's. */
function translateContent(content: readonly unknown[], message: JsonObject): JsonObject {
  const isThought = (part: unknown) => message.role === "assistant" && asObject(part).type === "thinking";
  if (!content.some(isThought)) return { content: mapList(content, translatePart) };
  const parts = content.filter((part) => !isThought(part)).map(translatePart);
  const thoughts = content.filter(isThought).flatMap((part) => asArray(asObject(part).thinking));
  const text = thoughts.map((one) => asString(asObject(one).text) ?? "").join("");
  return { content: parts.length > 0 ? parts : null, reasoning_content: message.reasoning_content ?? text };
}

function translatePart(part: unknown): unknown {
  const { image_url: image, document_url: document, document_name: name, ...rest } = asObject(part);
  if (rest.type === "image_url" && typeof image === "string") return { ...rest, image_url: { url: image } };
  if (rest.type !== "document_url" || typeof document !== "string") return part;
  return { ...rest, type: "file", file: { file_data: document, ...(name ? { filename: name } : {}) } };
}

/** Returns a call with its arguments as text. */
function translateCall(call: unknown): unknown {
  const { function: called, ...rest } = asObject(call);
  if (!isObject(called) || !isObject(called.arguments)) return call;
  return { ...rest, function: { ...called, arguments: JSON.stringify(called.arguments) } };
}
