// The Anthropic dialect's thinking over two turns: text, signatures and positions must be sent back byte for byte.
import { expect, test } from "bun:test";
import type { Outgoing } from "../../../src/core/models/dialect.ts";
import type { ChatMessage, ChatReply, ChatRequest } from "../../../src/operations/chat/form.ts";
import {
  CLASSIC,
  close,
  finish,
  hi,
  json,
  NEWEST,
  open,
  piece,
  readTurns,
  result,
  sent,
  start,
  streamed,
  text,
  weather,
  whole,
} from "./anthropic-cases.ts";

const thought = { type: "thinking", thinking: "Which city?\n\n ", signature: "sig+/=1" };
const hidden = { type: "redacted_thinking", data: "cipher==" };
const words = { type: "text", text: "Let me look." };
const silent = { type: "thinking", thinking: "", signature: "sig2" };
const use = { type: "tool_use", id: "t1", name: "weather", input: { city: "Rome" } };
const content = [thought, hidden, words, silent, use];

const empty = { type: "thinking", thinking: "", signature: "" };
const events = [
  start,
  open(0, empty),
  piece(0, { type: "thinking_delta", thinking: "Which " }),
  piece(0, { type: "thinking_delta", thinking: "city?\n\n " }),
  piece(0, { type: "signature_delta", signature: "sig+/=1" }),
  close(0),
  open(1, hidden),
  close(1),
  open(2, { type: "text", text: "" }),
  text(2, "Let me look."),
  close(2),
  open(3, empty),
  piece(3, { type: "signature_delta", signature: "sig2" }),
  close(3),
  open(4, { ...use, input: {} }),
  json(4, '{"city":"Rome"}'),
  close(4),
  ...finish("tool_use"),
];

/** The request that follows an answer with a tool call. */
function followUp(reply: ChatReply, part: Partial<ChatRequest>, name: string): Outgoing {
  const message = reply.choices[0]?.message;
  if (!message) throw new Error("no message");
  return sent({ tools: [weather], ...part, messages: [hi, message, result("t1")] }, name);
}

test.each([
  ["streamed", () => streamed(events)],
  ["whole", () => whole(content, "tool_use")],
])("%s thinking comes back byte for byte and in its place", (_name, answer) => {
  const reply = answer();
  expect(reply.choices[0]?.message.reasoning_content).toBe("Which city?\n\n ");
  const outgoing = followUp(reply, { reasoning_effort: "high" }, "claude-opus-4-8");
  expect(readTurns(outgoing)[1]).toEqual({ role: "assistant", content });
  expect(outgoing.headers["anthropic-beta"]).toBeUndefined();
  const budgeted = followUp(reply, { reasoning_effort: "high" }, CLASSIC);
  expect(budgeted.body.thinking).toMatchObject({ type: "enabled" });
});

test("models that bind thinking to the prefix are asked to drop what no longer fits", () => {
  const bound = followUp(whole(content, "tool_use"), {}, NEWEST);
  const binding = { prefix_mismatch_behavior: "drop_block" };
  expect(bound.body.thinking).toEqual({ type: "adaptive", block_binding: binding });
  expect(bound.headers["anthropic-beta"]).toBe("thinking-binding-controls-2026-08-01");
  expect(sent({}, NEWEST).body.thinking).toBeUndefined();
});

test.each([
  ["claude-haiku-5-5", { reasoning_effort: "none" as const }],
  ["claude-3-haiku-20240307", {}],
])("no block is sent back to %s with %j", (name, part) => {
  const outgoing = followUp(whole(content, "tool_use"), part, name);
  expect(readTurns(outgoing)[1]).toEqual({ role: "assistant", content: [words, use] });
  expect(outgoing.headers["anthropic-beta"]).toBeUndefined();
});

test("null fields of a block that comes back are missing ones", () => {
  const format = "anthropic-claude-v1";
  const pieces = [
    { type: "reasoning.text", text: "Which city?", signature: null, data: null, format, index: 0 },
    { type: "reasoning.text", text: null, signature: "sig", format, index: 0 },
  ];
  const message: ChatMessage = JSON.parse(
    JSON.stringify({ role: "assistant", content: "Rome", reasoning_details: pieces }),
  );
  const [, answer] = readTurns(sent({ messages: [hi, message, hi] }));
  expect(answer?.content).toEqual([
    { type: "thinking", thinking: "Which city?", signature: "sig" },
    { type: "text", text: "Rome" },
  ]);
});

test("fragments are joined, and other formats, unsigned blocks and a bare end are dropped", () => {
  const format = "anthropic-claude-v1";
  const piece = { type: "reasoning.text" as const, format, index: 0 };
  const details = [
    { type: "reasoning.encrypted" as const, data: "theirs", format: "openai-responses-v1", index: 0 },
    { ...piece, text: "Which " },
    { ...piece, text: "city?" },
    { ...piece, signature: "sig" },
    { ...piece, index: 1, text: "unsigned" },
    { ...piece, index: 9, text: "cut short", signature: "sig9" },
  ];
  const message: ChatMessage = { role: "assistant", content: "Rome", reasoning_details: details };
  expect(readTurns(sent({ messages: [hi, message, hi] }))[1]).toEqual({
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Which city?", signature: "sig" },
      { type: "text", text: "Rome" },
    ],
  });
});
