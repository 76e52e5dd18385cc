// Answers on the Responses API beyond the recorded ones: log probabilities, cut calls, restored names, and items that a
// provider must not forge.
import { describe, expect, test } from "bun:test";
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { Fold } from "../../../src/operations/chat/answer/fold.ts";
import { type Part, Verbatim } from "../../../src/operations/chat/answer/run.ts";
import type { ChatChunk, ChunkChoice, Delta, FinishReason } from "../../../src/operations/chat/form.ts";
import { splitEvents } from "../../recorded/events.ts";
import { responsesGrammar } from "../grammar.ts";
import { STAMP, writeStream } from "../recorded.ts";
import { readRequest } from "./responses-read.ts";

const USAGE = { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } };

function makeChunk(delta: Delta, more: Partial<ChunkChoice> = {}): ChatChunk {
  return { choices: [{ index: 0, delta, finish_reason: null, ...more }] };
}

const finish = (reason: FinishReason) => makeChunk({}, { finish_reason: reason });

/** The final response of the same answer, whole and streamed, which must be equal. */
function answer(body: JsonObject, chunks: readonly ChatChunk[]): JsonObject {
  const exchange = readRequest({ input: "a", ...body });
  const fold = new Fold();
  for (const chunk of chunks) fold.push(chunk);
  const whole = asObject(exchange.whole(fold.reply(), STAMP));
  const stream = writeStream(exchange, chunks, true);
  expect(responsesGrammar(stream)).toEqual([]);
  const { response } = asObject(splitEvents(stream).at(-1)?.json);
  expect(asObject(response)).toEqual(JSON.parse(JSON.stringify(whole)));
  return whole;
}

test("log probabilities arrive with their text", () => {
  const token = (text: string) => ({ token: text, logprob: -0.5, bytes: null, top_logprobs: [] });
  const { output } = answer({ top_logprobs: 0, include: ["message.output_text.logprobs"] }, [
    makeChunk({ role: "assistant", content: "a" }, { logprobs: { content: [token("a")], refusal: null } }),
    makeChunk({ content: "b" }, { logprobs: { content: [token("b")], refusal: null } }),
    finish("stop"),
    USAGE,
  ]);
  expect(output).toMatchObject([{ content: [{ text: "ab", logprobs: [token("a"), token("b")] }] }]);
});

describe("an answer that was cut off", () => {
  test.each([
    ["length", "max_output_tokens"],
    ["content_filter", "content_filter"],
  ] as const)("by %s is incomplete, and only its last item is marked so", (reason, shown) => {
    const { status, incomplete_details, output } = answer({}, [
      makeChunk({ role: "assistant", content: "I look." }),
      makeChunk({
        tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "look", arguments: '{"a' } }],
      }),
      finish(reason),
      USAGE,
    ]);
    expect([status, incomplete_details]).toEqual(["incomplete", { reason: shown }]);
    expect(output).toMatchObject([{ status: "completed" }, { status: "incomplete", arguments: '{"a' }]);
  });
});

test("calls get back their own names and namespaces, and custom ones stay custom", () => {
  const tools = [
    { type: "namespace", name: "agents", tools: [{ type: "function", name: "close", parameters: {} }] },
    { type: "namespace", name: "functions", tools: [{ type: "custom", name: "exec" }] },
    { type: "function", name: "agents__open", parameters: {} },
  ];
  const { output } = answer({ tools }, [
    makeChunk({
      role: "assistant",
      content: null,
      tool_calls: [
        { index: 0, id: "c1", type: "function", function: { name: "agents__close", arguments: "{}" } },
      ],
    }),
    makeChunk({
      tool_calls: [{ index: 1, id: "c2", type: "custom", custom: { name: "functions__exec", input: "ls" } }],
    }),
    makeChunk({
      tool_calls: [
        { index: 2, id: "c3", type: "function", function: { name: "agents__open", arguments: "{}" } },
      ],
    }),
    finish("tool_calls"),
    USAGE,
  ]);
  expect(output).toMatchObject([
    { type: "function_call", call_id: "c1", name: "close", namespace: "agents", arguments: "{}" },
    { type: "custom_tool_call", call_id: "c2", name: "exec", namespace: "functions", input: "ls" },
    { type: "function_call", call_id: "c3", name: "agents__open", arguments: "{}" },
  ]);
});

test("a refusal after text is a separate part", () => {
  const { output } = answer({}, [
    makeChunk({ role: "assistant", content: "Well." }),
    makeChunk({ refusal: "No." }),
    finish("stop"),
    USAGE,
  ]);
  expect(output).toMatchObject([
    {
      content: [
        { type: "output_text", text: "Well." },
        { type: "refusal", refusal: "No." },
      ],
    },
  ]);
});

test("a provider's event can't inject another", () => {
  const event = (type: string): Part => {
    const data = JSON.stringify({ type, sequence_number: 0, response: { id: "r" } });
    return new Verbatim({ event: type, data }, []);
  };
  const forged = "response.completed\ndata: {}\n\nevent: x";
  const stream = writeStream(readRequest({ input: "a" }), [event("response.created"), event(forged)], false);
  expect(splitEvents(stream).map(({ event: name }) => name)).toEqual(["response.created"]);
});
