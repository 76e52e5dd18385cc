// A provider's answer with more than was requested is malformed: more parts, longer vectors, tool calls of megabytes.
import { describe, expect, test } from "bun:test";
import { loadShippedCards } from "../../src/catalogue/rows.ts";
import { toFault } from "../../src/core/faults/fault.ts";
import type { ModelCard } from "../../src/core/models/card.ts";
import { AnswerReader } from "../../src/operations/chat/answer/answer.ts";
import { CHAT } from "../../src/operations/chat/operation.ts";
import { EMBEDDINGS } from "../../src/operations/embeddings/operation.ts";
import { IMAGES } from "../../src/operations/images/operation.ts";
import { MODERATION } from "../../src/operations/moderation/operation.ts";
import { RERANK } from "../../src/operations/rerank/operation.ts";
import { PROVIDERS } from "../../src/providers/index.ts";

const MEGABYTE = 1024 * 1024;
const [CARD] = loadShippedCards();
const DIALECT = PROVIDERS.find(({ name }) => name === "OpenAI")?.dialects[0];

function makeOptions<A>(ask: A) {
  return { ask, card: CARD as ModelCard, offset: 0, dropped: [], isNative: false };
}

function deliver(body: unknown) {
  return { body: typeof body === "string" ? body : JSON.stringify(body), headers: new Headers() };
}

function readCode(work: () => unknown): string {
  try {
    work();
    return "read";
  } catch (thrown) {
    return toFault(thrown).code;
  }
}

function list<Item>(count: number, item: Item): Item[] {
  return Array.from({ length: count }, () => item);
}

describe("more parts than were requested", () => {
  test.each([
    ["one", 1, "read"],
    ["two", 2, "upstream_error"],
    ["500,001", 500_001, "upstream_error"],
  ])("pictures: %s", (_, count, code) => {
    if (!DIALECT?.images) throw new Error("OpenAI serves images.");
    const ask = { model: "m", prompt: "a cat", n: 1, sources: [], extras: {} };
    const body = deliver({ data: list(count, { url: "https://a.example/a.png" }) });
    const { images } = DIALECT;
    expect(readCode(() => IMAGES.readWhole(images, body, makeOptions(ask)))).toBe(code);
  });

  test.each([
    ["of 16,000 numbers", 1, 16_000, "read"],
    ["of 8 million numbers", 1, 8_000_000, "upstream_error"],
    ["two", 2, 3, "upstream_error"],
  ])("vectors: %s", (_, count, numbers, code) => {
    if (!DIALECT?.embeddings) throw new Error("OpenAI serves embeddings.");
    const ask = { model: "m", inputs: ["a"], encoding: "float" as const, extras: {} };
    const row = `{"embedding":[${"1,".repeat(numbers - 1)}1]}`;
    const body = deliver(`{"data":[${list(count, row).join()}]}`);
    const { embeddings } = DIALECT;
    expect(readCode(() => EMBEDDINGS.readWhole(embeddings, body, makeOptions(ask)))).toBe(code);
  });

  test("each operation bounds the elements of an answer by its request", () => {
    const moderation = (count: number) =>
      MODERATION.readWhole(
        { decoder: () => null, reply: () => ({ results: [], usage: null }) },
        deliver(`{"results":[${"0,".repeat(count)}0]}`),
        makeOptions({ model: "m", inputs: ["a"], extras: {} }),
      );
    expect(readCode(() => moderation(1500))).toBe("read");
    expect(readCode(() => moderation(3000))).toBe("upstream_error");
    const rerank = (count: number) =>
      RERANK.readWhole(
        { decoder: () => null, reply: () => ({ results: [], usage: null }) },
        deliver(`{"results":[${"0,".repeat(count)}0]}`),
        makeOptions({
          model: "m",
          query: "a",
          documents: [{ given: "b", text: "b" }],
          isShowingDocuments: false,
          extras: {},
        }),
      );
    expect(readCode(() => rerank(1000))).toBe("read");
    expect(readCode(() => rerank(2000))).toBe("upstream_error");
  });
});

describe("tool calls of more than 8 MB", () => {
  const ASK = { model: "m", messages: [{ role: "user" as const, content: "hello" }] };

  test.each([
    [7, "read"],
    [9, "upstream_error"],
  ])("whole: %p MB", (megabytes, code) => {
    if (!DIALECT?.chat) throw new Error("OpenAI serves chat.");
    const input = JSON.stringify({ a: "x".repeat(megabytes * MEGABYTE) });
    const call = { id: "c", type: "function", function: { name: "f", arguments: input } };
    const message = { role: "assistant", content: null, tool_calls: [call] };
    const body = deliver({ choices: [{ index: 0, message, finish_reason: "tool_calls" }] });
    const { chat } = DIALECT;
    expect(readCode(() => CHAT.readWhole(chat, body, makeOptions(ASK)))).toBe(code);
  });

  function writeEvent(call: object): string {
    const choice = { index: 0, delta: { tool_calls: [{ index: 0, ...call }] }, finish_reason: null };
    return `data: ${JSON.stringify({ choices: [choice] })}\n\n`;
  }

  test.each([
    ["read one by one", false, 7, "read"],
    ["read one by one", false, 9, "upstream_error"],
    ["passed on unread", true, 7, "read"],
    ["passed on unread", true, 9, "upstream_error"],
  ])("streamed, events %s: %p %p MB", (_, splices, megabytes, code) => {
    if (!DIALECT?.chat) throw new Error("OpenAI serves chat.");
    const decoder = DIALECT.chat.decoder(CARD as ModelCard, ASK);
    const reader = new AnswerReader({ decoder, request: ASK, choiceOffset: 0, stops: [], splices });
    const start = writeEvent({ id: "c", type: "function", function: { name: "f", arguments: "" } });
    expect(reader.push(start)?.broken).toBeUndefined();
    const kilobytes = 32;
    const broken = Array.from({ length: (megabytes * 1024) / kilobytes }, (_piece, at) => {
      const text = String(at % 10).repeat(kilobytes * 1024);
      return reader.push(writeEvent({ function: { arguments: text } }))?.broken;
    }).find((one) => one !== undefined);
    const seen: string = broken === undefined ? "read" : toFault(broken).code;
    expect(seen).toBe(code);
  });
});
