// Mistral's answers to a conversation that ends with an assistant's message, which they repeat.
import { describe, expect, test } from "bun:test";
import { mistral } from "../../../src/dialects/mistral/dialect.ts";
import { AnswerReader } from "../../../src/operations/chat/answer/answer.ts";
import { readSource } from "../../../src/operations/chat/answer/citations.ts";
import { Fold } from "../../../src/operations/chat/answer/fold.ts";
import { listChunks } from "../../../src/operations/chat/answer/run.ts";
import type { ChatMessage, ChatRequest } from "../../../src/operations/chat/form.ts";
import { COMPATIBLE } from "../../../src/providers/compatible.ts";
import { findChatCodec } from "../../harness/codec.ts";
import {
  encoded,
  functionTool,
  makeCard,
  makeRequest,
  readMessage,
  streamed,
  whole,
  writeStream,
} from "./drive.ts";

describe("an answer to its own beginning", () => {
  const user: ChatMessage = { role: "user", content: "JSON, please." };
  const asked = (prefix: string): Partial<ChatRequest> => ({
    messages: [user, { role: "assistant", content: prefix }],
  });
  const said = (content: string, index = 0) => ({
    index,
    message: { role: "assistant", content },
    finish_reason: "stop",
  });
  const stream = (prefix: string, ...pieces: readonly string[]) => {
    const piece = (content: string, finish: string | null) => ({
      choices: [{ index: 0, delta: { content }, finish_reason: finish }],
    });
    const events = pieces.map((text, at) => piece(text, at === pieces.length - 1 ? "stop" : null));
    return readMessage(streamed(mistral, writeStream([...events, "[DONE]"]), asked(prefix))).content;
  };

  test("goes on after it at the operator's own servers too, some of which repeat it", () => {
    const piece = (content: string, finish: string | null) => ({
      choices: [{ index: 0, delta: { content }, finish_reason: finish }],
    });
    for (const said of [
      ["The an", "swer is 7."],
      [" is 7", "."],
    ]) {
      const events = said.map((text, at) => piece(text, at === 1 ? "stop" : null));
      const text = writeStream([...events, "[DONE]"]);
      expect(readMessage(streamed(COMPATIBLE, text, asked("The answer"))).content).toMatch(/^ is 7\.$/);
    }
    const body = { choices: [said("The answer is 7.")] };
    expect(whole(COMPATIBLE, body, asked("The answer")).choices[0]?.message.content).toBe(" is 7.");
  });

  test("goes on after it, as at every other API", () => {
    const { choices } = whole(
      mistral,
      { choices: [said('{"a":1}'), said('{ "a":1}', 1), said('{"a":', 2)] },
      { ...asked('{"a":'), n: 3 },
    );
    expect(choices.map(({ message }) => message.content)).toEqual(["1}", '{ "a":1}', ""]);
    const [choice] = whole(mistral, { choices: [said('{"a":1}')] }, { messages: [user] }).choices;
    expect(choice?.message.content).toBe('{"a":1}');
  });

  test("streamed, however the beginning is cut", () => {
    const text = 'aab{"a":1}';
    for (let first = 0; first < text.length; first++) {
      for (let second = first; second <= text.length; second++) {
        const pieces = [text.slice(0, first), text.slice(first, second), text.slice(second)];
        expect(stream("aab", ...pieces)).toBe('{"a":1}');
        expect(stream("aac", ...pieces)).toBe(text);
        expect(stream(text, ...pieces)).toBe("");
        expect(stream(`${text}, and more`, ...pieces)).toBe(text);
      }
    }
  });

  test("without it stays as it is, and so does a call", () => {
    expect(stream("Well,", "Well", " then")).toBe("Well then");
    const call = { id: "abcDEF123", function: { name: "look", arguments: "{}" } };
    const delta = { choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: "tool_calls" }] };
    const reply = streamed(mistral, writeStream([delta, "[DONE]"]), {
      ...asked("Well,"),
      tools: [functionTool("look")],
    });
    expect(readMessage(reply).tool_calls).toHaveLength(1);
  });

  test("has its references where they stand in what is left", () => {
    const parts = [
      { type: "text", text: "So: Paris" },
      { type: "reference", reference_ids: [2] },
    ];
    const body = {
      choices: [{ index: 0, message: { role: "assistant", content: parts }, finish_reason: "stop" }],
    };
    const places = ({ annotations }: ReturnType<typeof readMessage>) =>
      annotations?.map((one) => readSource(one).end_index);
    expect(places(readMessage(whole(mistral, body, asked("So: "))))).toEqual([5]);
    const events = [{ choices: [{ index: 0, delta: { content: parts }, finish_reason: "stop" }] }, "[DONE]"];
    expect(places(readMessage(streamed(mistral, writeStream(events), asked("So: "))))).toEqual([5]);
  });

  test("is the last message that Mistral is sent", () => {
    const body = { choices: [said("So: yes")] };
    const turn = (content: string): ChatMessage => ({ role: "assistant", content });
    const messages = [user, turn("So: "), turn("")];
    expect(
      encoded(mistral, { messages }, makeCard("mistral-medium-latest", ["tools"])).body.messages,
    ).toEqual([user, { ...turn("So: "), prefix: true }]);
    expect(readMessage(whole(mistral, body, { messages })).content).toBe("yes");
    const answered = [user, turn("So: "), user];
    expect(readMessage(whole(mistral, body, { messages: answered })).content).toBe("So: yes");
  });

  test("is removed once from a long stream whose events are copied", () => {
    const words = Array.from({ length: 30 }, (_, at) => ` w${at}`);
    const request = makeRequest(asked("So:"));
    const chunk = (content: string, finish: string | null = null) => ({
      id: "c",
      object: "chat.completion.chunk",
      p: "abc",
      choices: [{ index: 0, delta: { content }, finish_reason: finish }],
    });
    const events = ["S", "o:", ...words, "So:", ...words].map((text) => chunk(text));
    const reader = new AnswerReader({
      decoder: findChatCodec(mistral).decoder(makeCard("mistral-medium-latest", null), request),
      request,
      choiceOffset: 0,
      stops: [],
      splices: true,
      verbatim: false,
    });
    const pieces = [];
    // One event a read, as they arrive.
    for (const text of [...events, chunk("", "stop"), "[DONE]"])
      pieces.push(...(reader.push(writeStream([text]))?.pieces ?? []));
    pieces.push(...reader.end().pieces, ...reader.finish());
    const fold = new Fold();
    for (const chunk of listChunks(pieces)) fold.push(chunk);
    const text = [...words, "So:", ...words].join("");
    expect(readMessage(fold.reply()).content).toBe(text);
  });
});
