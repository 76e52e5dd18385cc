// The phases of the assistant's messages on their way to models that need them: what stands before a call is commentary.
import { describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import type { ChatRequest } from "../../../src/operations/chat/form.ts";
import type { Recording } from "../../recorded/load.ts";
import { recordedAnswers, STAMP } from "../recorded.ts";
import { listPhases, PHASED } from "./conversations.ts";
import { cross, encodeAsk, readAt, SURFACE_KEYS } from "./crossing.ts";

/** Returns a recorded answer whole, of a stream the one in its last event. */
function readWhole({ body, streamed }: Recording): JsonObject {
  if (!streamed) return asObject(parseJson(body));
  const [, last = ""] = /data: (.*"type":"response.completed".*)/.exec(body) ?? [];
  return asObject(asObject(parseJson(last)).response);
}

describe.each([...SURFACE_KEYS])("from %s", (surface) => {
  test.each(["OpenAI#gpt-5.3-codex", "OpenAI#gpt-5.4-pro", "Azure#gpt-5.3-codex"])("to %s", (model) => {
    for (const isStreamed of [false, true]) {
      expect(listPhases(cross(surface, PHASED[surface], model, isStreamed).body)).toEqual([
        "commentary",
        "final_answer",
      ]);
    }
  });

  test("models from before get none", () => {
    expect(listPhases(cross(surface, PHASED[surface], "OpenAI#gpt-5.2-codex").body)).toEqual([
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
    const { body } = encodeAsk({ ...readAt("chat", PHASED.chat), ask }, "OpenAI#gpt-5.3-codex");
    expect(listPhases(body)).toEqual(phases);
    const shown = asObject(readAt("messages", PHASED.messages).whole(reply, STAMP));
    const again = { role: "user", content: "and now?" };
    const messages = [again, { role: "assistant", content: shown.content }, again];
    expect(listPhases(cross("messages", { messages }, "OpenAI#gpt-5.3-codex").body)).toEqual(phases);
    compared++;
  }
  if (phased.length > 0) expect(compared).toBeGreaterThan(0);
});
