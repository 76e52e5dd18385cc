// The phases of the assistant's messages on their way to models that need them: what stands before a call is commentary.
import { describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import type { ChatRequest } from "../../../src/operations/chat/form.ts";
import type { Recording } from "../../recorded/load.ts";
import { recordedAnswers, STAMP } from "../recorded.ts";
import { cross, encodeAsk, readAt, SURFACE_KEYS, type SurfaceKey } from "./crossing.ts";

/** A conversation: a word before a call, its result, and the answer; then the same again without an answer. */
const BODIES: Readonly<Record<SurfaceKey, JsonObject>> = {
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

/** Returns a recorded answer whole, of a stream the one in its last event. */
function readWhole({ body, streamed }: Recording): JsonObject {
  if (!streamed) return asObject(parseJson(body));
  const [, last = ""] = /data: (.*"type":"response.completed".*)/.exec(body) ?? [];
  return asObject(asObject(parseJson(last)).response);
}

function listPhases(body: JsonObject): readonly unknown[] {
  const messages = asArray(body.input).map(asObject);
  return messages.filter(({ role }) => role === "assistant").map(({ phase }) => phase);
}

describe.each([...SURFACE_KEYS])("from %s", (surface) => {
  test.each(["OpenAI#gpt-5.3-codex", "OpenAI#gpt-5.4-pro", "Azure#gpt-5.3-codex"])("to %s", (model) => {
    for (const isStreamed of [false, true]) {
      expect(listPhases(cross(surface, BODIES[surface], model, isStreamed).body)).toEqual([
        "commentary",
        "final_answer",
      ]);
    }
  });

  test("models from before get none", () => {
    expect(listPhases(cross(surface, BODIES[surface], "OpenAI#gpt-5.2-codex").body)).toEqual([
      undefined,
      undefined,
    ]);
  });
});

test("recorded answers get back the phases that they came with", () => {
  const phased = recordedAnswers().filter(({ subject }) => subject.recording.body.includes('"phase"'));
  let compared = 0;
  for (const { subject, reply } of phased) {
    const { recording } = subject;
    if (recording.api !== "openai-responses") continue;
    const given = asArray(readWhole(recording).output).map(asObject);
    const phases = given.filter(({ type }) => type === "message").map(({ phase }) => phase);
    const message = reply.choices[0]?.message;
    if (!message) continue;
    const ask: ChatRequest = { model: "any", messages: [{ ...message, role: "assistant" }] };
    const { body } = encodeAsk({ ...readAt("chat", BODIES.chat), ask }, "OpenAI#gpt-5.3-codex");
    expect(listPhases(body)).toEqual(phases);
    const shown = asObject(readAt("messages", BODIES.messages).whole(reply, STAMP));
    const again = { role: "user", content: "and now?" };
    const messages = [again, { role: "assistant", content: shown.content }, again];
    expect(listPhases(cross("messages", { messages }, "OpenAI#gpt-5.3-codex").body)).toEqual(phases);
    compared++;
  }
  if (phased.length > 0) expect(compared).toBeGreaterThan(0);
});
