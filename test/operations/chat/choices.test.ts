// Unrequested choices, by index or by number, whole and streamed.
import { describe, expect, test } from "bun:test";
import { Normaliser, normaliseReply } from "../../../src/operations/chat/answer/normalise.ts";
import type { ChatChunk, ChatReply, ChatRequest } from "../../../src/operations/chat/form.ts";

const TWO: ChatRequest = { model: "m", n: 2, messages: [{ role: "user", content: "hi" }] };

function says(index: number): ChatChunk {
  return { choices: [{ index, delta: { content: "a" }, finish_reason: null }] };
}

describe("a choice beyond those requested is an invalid answer", () => {
  const reply = (...indexes: readonly number[]): ChatReply => ({
    choices: indexes.map((index) => ({
      index,
      message: { role: "assistant", content: "a", refusal: null },
      finish_reason: "stop",
      logprobs: null,
    })),
  });

  test("in a stream", () => {
    const normaliser = new Normaliser(TWO);
    normaliser.push([says(0), says(1)]);
    expect(() => normaliser.push([says(2)])).toThrow("incomplete or malformed");
  });

  test("in a whole answer, by index or by number", () => {
    expect(normaliseReply(reply(0, 1), TWO).choices).toHaveLength(2);
    expect(() => normaliseReply(reply(2), TWO)).toThrow("incomplete or malformed");
    expect(() => normaliseReply(reply(0, 1, 1), TWO)).toThrow("incomplete or malformed");
  });
});
