// The form of the answer and the arguments of earlier calls, written as more servers take them.
import { parseBounded, REQUEST_SHAPE } from "../../core/json/bounds.ts";
import { isObject, type JsonObject } from "../../core/json/json.ts";
import { ANY_OBJECT } from "../_chat/schemas/schema.ts";
import { BLANK_THOUGHT } from "../_chat/thinking.ts";

/** Asks for JSON by a schema, for servers without a mode for it. */
export function loosenFormat(body: JsonObject): JsonObject | null {
  const { response_format: format } = body;
  if (!isObject(format) || format.type !== "json_object") return null;
  return { ...body, response_format: ANY_OBJECT };
}

/** Puts arguments that aren't a JSON object into one, as the dialects do that have objects there. */
export function wrapArguments(body: JsonObject): JsonObject | null {
  if (!Array.isArray(body.messages)) return null;
  let isWrapped = false;
  const wrapCall = (call: unknown): unknown => {
    if (!isObject(call) || !isObject(call.function)) return call;
    const { arguments: text } = call.function;
    if (typeof text !== "string" || isObject(parseBounded(text, REQUEST_SHAPE))) return call;
    isWrapped = true;
    const wrapped = JSON.stringify(text.trim() === "" ? {} : { arguments: text });
    return { ...call, function: { ...call.function, arguments: wrapped } };
  };
  const messages = body.messages.map((message: unknown) =>
    isObject(message) && Array.isArray(message.tool_calls)
      ? { ...message, tool_calls: message.tool_calls.map(wrapCall) }
      : message,
  );
  return isWrapped ? { ...body, messages } : null;
}

/** Returns the body with blank thinking in the turns with calls that have none. Null if there are none. */
export function addBlankThoughts(body: JsonObject): JsonObject | null {
  if (!Array.isArray(body.messages)) return null;
  let isAdded = false;
  const messages = body.messages.map((message: unknown) => {
    if (!isObject(message) || !Array.isArray(message.tool_calls) || message.reasoning_content) return message;
    isAdded = true;
    return { ...message, reasoning_content: BLANK_THOUGHT };
  });
  return isAdded ? { ...body, messages } : null;
}
