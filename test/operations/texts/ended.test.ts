// The ends of a stream's texts: over every recorded stream, translated and in the provider's own form.
import { expect, test } from "bun:test";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { Run } from "../../../src/operations/chat/answer/run.ts";
import { CHAT } from "../../../src/operations/chat/operation.ts";
import { IMAGES } from "../../../src/operations/images/operation.ts";
import { TRANSCRIPTION } from "../../../src/operations/transcription/operation.ts";
import { MESSAGES_TEXTS } from "../../../src/surfaces/anthropic-messages/texts.ts";
import { GEMINI_TEXTS } from "../../../src/surfaces/gemini/texts.ts";
import { RESPONSES_TEXTS } from "../../../src/surfaces/openai-responses/texts.ts";
import { atLeast } from "../../recorded/load.ts";
import { type Answer, listAnswers } from "./answers.ts";

/** Takes 3 s of computing, on a busy machine several times as long. */
const TIMEOUT_MS = 60_000;

/** Another text behind a call has the same path. */
const PARTS = /^candidates\[\d+\]\.content\.parts/;

/** Lists the paths of the texts in pieces that go on after their end, and of those that never end. */
function listMistakes({ pieces, native }: Answer): readonly string[] {
  const open = new Set<string>();
  const ended: string[] = [];
  const late: string[] = [];
  for (const piece of pieces) {
    CHAT.mapPieces(
      [piece],
      (text, { isPiece, path }) => {
        const isLate = !PARTS.test(path) && ended.some((start) => path.startsWith(start));
        if (isPiece && isLate) late.push(`${path} goes on`);
        if (isPiece) open.add(path);
        return text;
      },
      native,
    );
    for (const start of CHAT.streamed?.endedTexts(piece, native) ?? []) {
      ended.push(start);
      for (const path of open) if (path.startsWith(start)) open.delete(path);
    }
  }
  return [...late, ...[...open].map((path) => `${path} never ends`)];
}

test(
  "each text of a recorded stream ends once, at its last piece or behind it",
  () => {
    const streams = listAnswers().filter(({ pieces }) => pieces.length > 2);
    const mistakes = streams.flatMap((answer) => listMistakes(answer).map((one) => `${answer.id}: ${one}`));
    expect(mistakes).toEqual([]);
    expect(streams.length).toBeGreaterThanOrEqual(atLeast(900));
  },
  TIMEOUT_MS,
);

const EVENTS: readonly (readonly [JsonObject, readonly string[]])[] = [
  [{ type: "ping" }, []],
  [{ type: "message_start", message: {} }, []],
  [{ type: "content_block_start", index: 1, content_block: { type: "text", text: "" } }, []],
  [{ type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "a" } }, []],
  [{ type: "content_block_delta", index: 1, delta: { type: "signature_delta" } }, ["content[1]"]],
  [{ type: "content_block_stop", index: 1 }, ["content[1]"]],
  [{ type: "message_delta", delta: { stop_reason: "end_turn" } }, [""]],
  [{ type: "message_stop" }, [""]],
  [{ type: "error", error: { type: "overloaded_error" } }, [""]],
];
const RESPONSES_EVENTS: typeof EVENTS = [
  [{ type: "response.created", response: {} }, []],
  [{ type: "response.output_text.delta", output_index: 1, content_index: 0, delta: "a" }, []],
  [{ type: "response.output_text.annotation.added", output_index: 1, content_index: 0 }, []],
  [{ type: "response.output_text.done", output_index: 1, content_index: 0 }, ["output[1].content[0]"]],
  [{ type: "response.content_part.done", output_index: 1, content_index: 0 }, ["output[1].content[0]"]],
  [
    { type: "response.reasoning_summary_text.done", output_index: 0, summary_index: 2 },
    ["output[0].summary[2]"],
  ],
  [{ type: "response.function_call_arguments.done", output_index: 2, arguments: "{}" }, ["output[2]"]],
  [{ type: "response.output_item.done", output_index: 2, item: {} }, ["output[2]"]],
  [{ type: "response.audio.transcript.done" }, ["delta"]],
  [{ type: "response.completed", response: {} }, [""]],
  [{ type: "response.incomplete", response: {} }, [""]],
  [{ type: "response.failed", response: {} }, [""]],
  [{ type: "error", code: "server_error" }, [""]],
  [{ type: "keepalive" }, []],
];
const GEMINI_EVENTS: typeof EVENTS = [
  [{ candidates: [{ content: { parts: [{ text: "a" }] } }] }, []],
  [{ candidates: [{ finishReason: "STOP" }, {}] }, ["candidates[0]"]],
  [
    { candidates: [{ index: 1, content: { parts: [{ text: "a" }] }, finishReason: "MAX_TOKENS" }] },
    ["candidates[1]"],
  ],
  [{ usageMetadata: {} }, []],
];

test.each([
  ["Messages", MESSAGES_TEXTS, EVENTS],
  ["Responses", RESPONSES_TEXTS, RESPONSES_EVENTS],
  ["Gemini", GEMINI_TEXTS, GEMINI_EVENTS],
] as const)("events of %s end the texts of their block, item or candidate", (_name, texts, events) => {
  expect(events.map(([event]) => texts.endedTexts(event))).toEqual(events.map(([, ended]) => [...ended]));
});

test("a chunk with a finish reason ends its choice, and a run of pieces none", () => {
  const delta = { content: "a" };
  const running = { choices: [{ index: 1, delta, finish_reason: null }] };
  const last = { choices: [{ index: 1, delta: {}, finish_reason: "stop" }] } as const;
  expect(CHAT.streamed?.endedTexts(running, null)).toEqual([]);
  expect(CHAT.streamed?.endedTexts(last, null)).toEqual(["choices[1]"]);
  expect(
    CHAT.streamed?.endedTexts(new Run('{"choices":[{"delta":{"content":"', '"}}]}', ["a"]), null),
  ).toEqual([]);
});

test("a transcript ends the texts of its pieces", () => {
  const part = { kind: "delta", delta: "a", extras: {} } as const;
  expect(TRANSCRIPTION.streamed?.endedTexts({ kind: "part", part }, null)).toEqual([]);
  const reply = { usage: null, content: "a" };
  expect(TRANSCRIPTION.streamed?.endedTexts({ kind: "reply", reply }, null)).toEqual([""]);
  const pictures = { usage: null, pictures: [], settings: {} };
  expect(IMAGES.streamed?.endedTexts({ kind: "reply", reply: pictures }, null)).toEqual([""]);
});
