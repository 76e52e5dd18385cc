// The shapes of the Responses API's stream events and calls, and the chunks made of them.

import { asObject, asString, type JsonObject } from "../../core/json/json.ts";
import type { ToolCallDelta } from "../../operations/chat/form.ts";

export type CallType = "function_call" | "custom_tool_call";

export type ItemTextKind = "text" | "refusal" | "summary" | "thought" | "arguments";

export interface ItemTextRow {
  readonly kind: ItemTextKind;
  /** The event's field with the number of the part. */
  readonly at: string;
}

/** Events with a piece of text. The whole text comes again with its item. */
export const TEXT_EVENTS: ReadonlyMap<string, ItemTextRow> = new Map([
  ["response.output_text.delta", { kind: "text", at: "content_index" }],
  ["response.refusal.delta", { kind: "refusal", at: "content_index" }],
  ["response.reasoning_summary_text.delta", { kind: "summary", at: "summary_index" }],
  ["response.reasoning_text.delta", { kind: "thought", at: "content_index" }],
  ["response.function_call_arguments.delta", { kind: "arguments", at: "" }],
  ["response.custom_tool_call_input.delta", { kind: "arguments", at: "" }],
]);

/** Returns the key of an event's item: its place in the output, or its id if the server leaves the place out. */
export function readKey(event: JsonObject): number | string {
  if (typeof event.output_index === "number") return event.output_index;
  return asString(event.item_id) ?? asString(asObject(event.item).id) ?? "";
}

/** Returns a call's input: JSON text for a function, free text for a custom tool. */
export function readInput(call: JsonObject): unknown {
  return call.type === "custom_tool_call" ? call.input : call.arguments;
}

/** Makes a call's first fragment. Gemini's signature is placed where Gemini's own dialect puts it. */
export function makeCallStart(
  given: JsonObject,
  name: string,
  call: { index: number; custom: boolean },
): ToolCallDelta {
  const id = asString(given.call_id) ?? asString(given.id);
  const signature = asString(given.thought_signature);
  return {
    index: call.index,
    ...(id === undefined ? {} : { id }),
    ...(call.custom
      ? { type: "custom", custom: { name, input: "" } }
      : { type: "function", function: { name, arguments: "" } }),
    ...(signature ? { extra_content: { google: { thought_signature: signature } } } : {}),
  };
}

/** Makes a later fragment of a call. */
export function makeCallPiece(call: { index: number; custom: boolean }, input: string): ToolCallDelta {
  const { index, custom } = call;
  return custom ? { index, custom: { input } } : { index, function: { arguments: input } };
}
