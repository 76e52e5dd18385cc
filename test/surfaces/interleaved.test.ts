// Turns that alternate between thinking, text and calls keep their order: in each surface's answers, and sent back.
import { describe, expect, test } from "bun:test";
import { asArray, asObject, type JsonObject } from "../../src/core/json/json.ts";
import { dropThinking } from "../../src/operations/chat/prompt/refused-thinking.ts";
import { listTurn, TurnBuilder } from "../../src/operations/chat/turn.ts";
import { findDialect } from "../../src/providers/index.ts";
import { ANTHROPIC_MESSAGES } from "../../src/surfaces/anthropic-messages/surface.ts";
import { GEMINI } from "../../src/surfaces/gemini/surface.ts";
import { OPENAI_CHAT } from "../../src/surfaces/openai-chat/surface.ts";
import { OPENAI_RESPONSES } from "../../src/surfaces/openai-responses/surface.ts";
import { findChatCodec } from "../harness/codec.ts";
import { TARGET } from "../providers/target.ts";
import { decodeAnswer } from "../recorded/pipeline.ts";
import { readInteraction } from "./interactions/interactions-read.ts";
import { INTERLEAVED, ORDER, TURNS } from "./interleaved.ts";
import { orderInReply } from "./order.ts";
import { makeExchange, READINGS } from "./readings.ts";
import { decodePieces, incoming, STAMP, writeStream } from "./recorded.ts";

const [claude] = INTERLEAVED;
if (!claude) throw new Error("There is no answer.");

/** The second of two messages of a response starts a paragraph on surfaces that join all texts. */
function listOrder(id: string): readonly string[] {
  return ORDER.map((line) =>
    id.startsWith("openai-responses") ? line.replace(/ (Three|Four)/, " \n\n$1") : line,
  );
}

for (const [surface, reading] of Object.entries(READINGS)) {
  describe(surface, () => {
    for (const subject of INTERLEAVED) {
      const { id } = subject.recording;
      const order = listOrder(id);
      test(`an answer of ${id} keeps its order`, async () => {
        const { reply } = decodeAnswer(subject);
        expect(orderInReply(reply)).toEqual(order);
        const text = writeStream(makeExchange(surface), decodePieces(subject, null), true);
        expect((await reading.streamed(text)).said.order).toEqual(order);
        const whole = asObject(makeExchange(surface).whole(reply, STAMP));
        expect(reading.whole(whole).said.order).toEqual(order);
      });
    }
  });
}

/** The request in which a client sends back the answer and the results of its calls. */
function sendBack(surface: string, answer: JsonObject) {
  const results = ["call_f", "call_g"];
  switch (surface) {
    case "messages": {
      const content = results.map((id) => ({ type: "tool_result", tool_use_id: id, content: "ok" }));
      const turns = [
        { role: "assistant", content: answer.content },
        { role: "user", content },
      ];
      const messages = [{ role: "user", content: "a" }, ...turns];
      return ANTHROPIC_MESSAGES.read(incoming({ model: "m", max_tokens: 9, messages }));
    }
    case "responses": {
      const output = results.map((id) => ({ type: "function_call_output", call_id: id, output: "ok" }));
      const input = [{ role: "user", content: "a" }, ...asArray(answer.output), ...output];
      return OPENAI_RESPONSES.read(incoming({ model: "m", input }));
    }
    case "interactions": {
      const given = results.map((id) => ({ type: "function_result", call_id: id, result: "ok" }));
      const asked = { type: "user_input", content: [{ type: "text", text: "a" }] };
      return readInteraction({ input: [asked, ...asArray(answer.steps), ...given] });
    }
    default: {
      const [candidate] = asArray(answer.candidates).map(asObject);
      const parts = ["f", "g"].map((name, at) => ({
        functionResponse: { id: results[at], name, response: { output: "ok" } },
      }));
      const turns = [asObject(candidate?.content), { role: "user", parts }];
      const contents = [{ role: "user", parts: [{ text: "a" }] }, ...turns];
      return GEMINI.read(incoming({ contents }, "/v1beta/models/m:generateContent"));
    }
  }
}

/** The assistant's turn in a call to its provider. */
function findTurn({ messages, contents, input }: JsonObject): unknown {
  if (Array.isArray(input)) return input.slice(1, -2);
  const [, turn] = asArray(messages ?? contents).map(asObject);
  return turn?.content ?? turn?.parts;
}

/** Precedes the second of two messages of a response, and of two summaries. */
const PARAGRAPH = "\\n\\n";

for (const surface of Object.keys(READINGS)) {
  for (const subject of INTERLEAVED.filter(({ recording }) => !recording.streamed)) {
    test(`${surface}: an answer of ${subject.recording.id} is sent back to its provider unchanged`, () => {
      const { reply } = decodeAnswer(subject);
      const answer = JSON.parse(JSON.stringify(makeExchange(surface).whole(reply, STAMP)));
      const { ask } = sendBack(surface, answer);
      const { body } = findChatCodec(subject.dialect).encode(ask, subject.card, TARGET);
      const turn = JSON.stringify(findTurn(asObject(body)));
      expect(JSON.parse(turn.replaceAll(PARAGRAPH, ""))).toEqual(TURNS[subject.recording.api]);
    });
  }
}

test("thinking refused by its provider leaves the rest of the turn in order", () => {
  const turn = new TurnBuilder(null);
  turn.think("", [{ type: "reasoning.encrypted", data: "gone", format: "anthropic-claude-v1" }]);
  turn.say({ type: "text", text: "Two." });
  turn.think("", [{ type: "reasoning.encrypted", data: "kept", format: "other" }]);
  turn.call({ id: "c", type: "function", function: { name: "f", arguments: "{}" } });
  const given = { model: "m", messages: [turn.message()] };
  const [left] = dropThinking(given, "anthropic-claude-v1")?.messages ?? [];
  if (left?.role !== "assistant") throw new Error("The turn is gone.");
  const data = listTurn(left).map((part) => (part.kind === "thinking" ? part.details[0]?.data : part.kind));
  expect(data).toEqual([undefined, "text", "kept", "call"]);
});

test("chat-completions clients neither see nor set the order", () => {
  const parts = [{ kind: "text", size: 1e9, details: 0, gap: 0 }];
  const messages = [
    { role: "user", content: "a" },
    { role: "assistant", content: "b", parts },
  ];
  const exchange = OPENAI_CHAT.read(incoming({ model: "m", messages }));
  expect(exchange.ask.messages[1]).toEqual({ role: "assistant", content: "b" });
  const [choice] = asArray(asObject(exchange.whole(decodeAnswer(claude).reply, STAMP)).choices);
  const { message } = asObject(choice);
  expect(message).toMatchObject({ content: "Two.Four.", reasoning_content: "One.Three." });
  expect(message).not.toHaveProperty("parts");
});

test("chat-completions servers get the turn in their only order", () => {
  const answer = JSON.parse(
    JSON.stringify(makeExchange("messages").whole(decodeAnswer(claude).reply, STAMP)),
  );
  const { ask } = sendBack("messages", answer);
  const { body } = findChatCodec(findDialect("openai")).encode(ask, claude.card, TARGET);
  const [, turn] = asArray(asObject(body).messages);
  const call = (id: string, name: string, text: string) => ({
    id,
    type: "function",
    function: { name, arguments: text },
  });
  expect(turn).not.toHaveProperty("parts");
  expect(turn).toMatchObject({
    role: "assistant",
    reasoning_content: "One.Three.",
    content: [
      { type: "text", text: "Two." },
      { type: "text", text: "Four." },
    ],
    tool_calls: [call("call_f", "f", '{"a":1}'), call("call_g", "g", '{"b":2}')],
  });
});
