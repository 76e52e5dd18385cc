// The prompt of a stream that has begun: its request keeps nothing of it alive, and is estimated as before.

import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { CHAT } from "../../src/operations/chat/operation.ts";
import { ANTHROPIC_MESSAGES } from "../../src/surfaces/anthropic-messages/surface.ts";
import { GEMINI } from "../../src/surfaces/gemini/surface.ts";
import { OPENAI_CHAT } from "../../src/surfaces/openai-chat/surface.ts";
import { OPENAI_RESPONSES } from "../../src/surfaces/openai-responses/surface.ts";
import { makeModelCard } from "../harness/cards.ts";
import { incoming } from "../surfaces/recorded.ts";

const LENGTH = 1_000_000;
const COUNT = 20;
const GEMINI_PATH = "/v1beta/models/m:streamGenerateContent?alt=sse";

/** Each makes the body that asks about a text. */
const ROWS = [
  [
    "chat",
    OPENAI_CHAT,
    "/v1/chat/completions",
    (text: string) => ({ messages: [{ role: "user", content: text }] }),
  ],
  [
    "Messages",
    ANTHROPIC_MESSAGES,
    "/v1/messages",
    (text: string) => ({
      max_tokens: 9,
      system: text,
      messages: [{ role: "user", content: [{ type: "text", text }] }],
    }),
  ],
  ["Gemini", GEMINI, GEMINI_PATH, (text: string) => ({ contents: [{ role: "user", parts: [{ text }] }] })],
  ["Responses, a text", OPENAI_RESPONSES, "/v1/responses", (text: string) => ({ input: text })],
  [
    "Responses, items",
    OPENAI_RESPONSES,
    "/v1/responses",
    (text: string) => ({ input: [{ role: "user", content: [{ type: "input_text", text }] }] }),
  ],
] as const;

function measureHeap(): number {
  Bun.gc(true);
  const { heapSize, extraMemorySize } = heapStats();
  return heapSize + extraMemorySize;
}

/** The heap once what came before the test is gone: one collection may leave some of it. */
function measureQuietHeap(): number {
  let heap = measureHeap();
  for (let next = measureHeap(); heap - next > LENGTH / 10; next = measureHeap()) heap = next;
  return heap;
}

for (const [name, surface, path, makeBody] of ROWS) {
  const read = (at: number) => {
    // Parsed as a client's body is, so that each text is a string of its own.
    const text = JSON.stringify({
      model: "m",
      stream: true,
      ...makeBody(`${at} word `.padEnd(LENGTH, "word ")),
    });
    return surface.read(incoming(JSON.parse(text), path));
  };

  test(`${name}: nothing keeps it alive`, () => {
    const exchanges = Array.from({ length: COUNT }, (_, at) => read(at));
    const full = measureQuietHeap();
    for (const { ask, raw } of exchanges) CHAT.forgetPrompt?.(ask, raw);
    expect(full - measureHeap()).toBeGreaterThan(COUNT * LENGTH * 0.75);
    expect(exchanges.length).toBe(COUNT);
  });

  test(`${name}: estimates stay what they were`, () => {
    const { ask, raw, ...asking } = read(0);
    const terms = { ...asking, answersPerCall: 1 };
    const card = makeModelCard("Acme#model", { price: { input: 1, output: 2 } });
    const estimate = () => [
      CHAT.estimatePrompt(ask),
      CHAT.offer(ask, card, terms),
      CHAT.estimate({ ask, calls: 2, unreadBytes: 7 }, 100, null),
    ];
    const before = estimate();
    expect(CHAT.forgetPrompt?.(ask, raw)).toBeGreaterThan(0);
    expect(ask.messages).toBeEmpty();
    expect(estimate()).toEqual(before);
  });
}
