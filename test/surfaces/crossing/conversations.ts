// Conversations that carry what other families forget, in each surface's form, and what is read of them at a provider.
import { asArray, asObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { SurfaceKey } from "./crossing.ts";

/** A conversation: a word before a call, its result, and the answer; then the same again without an answer. */
export const PHASED: Readonly<Record<SurfaceKey, JsonObject>> = {
  chat: {
    messages: [
      { role: "user", content: "hi" },
      {
        role: "assistant",
        content: "Let me look.",
        tool_calls: [{ id: "call_1", type: "function", function: { name: "look", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "call_1", content: "blue" },
      { role: "assistant", content: "It is blue." },
      { role: "user", content: "and now?" },
    ],
  },
  messages: {
    messages: [
      { role: "user", content: "hi" },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Let me look." },
          { type: "tool_use", id: "call_1", name: "look", input: {} },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "blue" }] },
      { role: "assistant", content: [{ type: "text", text: "It is blue." }] },
      { role: "user", content: "and now?" },
    ],
  },
  responses: {
    input: [
      { role: "user", content: "hi" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Let me look." }] },
      { type: "function_call", call_id: "call_1", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "call_1", output: "blue" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "It is blue." }] },
      { role: "user", content: "and now?" },
    ],
  },
  gemini: {
    contents: [
      { role: "user", parts: [{ text: "hi" }] },
      { role: "model", parts: [{ text: "Let me look." }, { functionCall: { name: "look", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { name: "look", response: { output: "blue" } } }] },
      { role: "model", parts: [{ text: "It is blue." }] },
      { role: "user", parts: [{ text: "and now?" }] },
    ],
  },
};

/** Two calls of one step, made by another model, and their results. */
export const PARALLEL: Readonly<Record<SurfaceKey, JsonObject>> = {
  chat: {
    messages: [
      { role: "user", content: "look" },
      {
        role: "assistant",
        content: null,
        tool_calls: ["a", "b"].map((id) => ({
          id,
          type: "function",
          function: { name: "look", arguments: "{}" },
        })),
      },
      ...["a", "b"].map((id) => ({ role: "tool", tool_call_id: id, content: "blue" })),
    ],
  },
  messages: {
    messages: [
      { role: "user", content: "look" },
      {
        role: "assistant",
        content: ["a", "b"].map((id) => ({ type: "tool_use", id, name: "look", input: {} })),
      },
      {
        role: "user",
        content: ["a", "b"].map((id) => ({ type: "tool_result", tool_use_id: id, content: "blue" })),
      },
    ],
  },
  responses: {
    input: [
      { role: "user", content: "look" },
      ...["a", "b"].map((id) => ({ type: "function_call", call_id: id, name: "look", arguments: "{}" })),
      ...["a", "b"].map((id) => ({ type: "function_call_output", call_id: id, output: "blue" })),
    ],
  },
  gemini: {
    contents: [
      { role: "user", parts: [{ text: "look" }] },
      { role: "model", parts: ["a", "b"].map((id) => ({ functionCall: { id, name: "look", args: {} } })) },
      {
        role: "user",
        parts: ["a", "b"].map((id) => ({ functionResponse: { id, name: "look", response: { x: 1 } } })),
      },
    ],
  },
};

/** Returns the phases of the assistant's messages in a body of the Responses API. */
export function listPhases(body: JsonObject): readonly unknown[] {
  const messages = asArray(body.input).map(asObject);
  return messages.filter(({ role }) => role === "assistant").map(({ phase }) => phase);
}

/** Returns the signatures of the calls in a body of Gemini's API. */
export function listSignatures(body: JsonObject): readonly unknown[] {
  const parts = asArray(body.contents).flatMap((turn) => asArray(asObject(turn).parts).map(asObject));
  return parts.filter(({ functionCall }) => functionCall).map(({ thoughtSignature }) => thoughtSignature);
}
