// Thinking that was changed leaves without what its maker signed: in each family's own form and translated, whole and streamed.
import { expect, test } from "bun:test";
import { isObject, type JsonObject } from "../../../src/core/json/json.ts";
import type { ChangeText, NativeTexts } from "../../../src/core/text/texts.ts";
import { listChunks, type Part, Verbatim } from "../../../src/operations/chat/answer/run.ts";
import type { ChatChunk, ChatReply } from "../../../src/operations/chat/form.ts";
import { CHAT } from "../../../src/operations/chat/operation.ts";
import { MESSAGES_TEXTS } from "../../../src/surfaces/anthropic-messages/texts.ts";
import { GEMINI_TEXTS } from "../../../src/surfaces/gemini/texts.ts";
import { RESPONSES_TEXTS } from "../../../src/surfaces/openai-responses/texts.ts";
import { atLeast } from "../../recorded/load.ts";
import { type Answer, listAnswers } from "./answers.ts";

const TIMEOUT_MS = 60_000;

const { thoughts } = CHAT;
if (thoughts === undefined) throw new Error("Chat has thinking.");

/** Masks thinking with `secret`, and remembers where. */
function makeMask(mustMask = (text: string) => text.includes("secret")) {
  const paths = new Set<string>();
  const change: ChangeText = (text, { kind, path }) => {
    if (kind !== "thinking" || !mustMask(text)) return text;
    paths.add(path);
    return "[MASK]";
  };
  const isChanged = (start: string) => [...paths].some((path) => path.startsWith(start));
  return { paths, change, isChanged };
}

/** Masks a stream piece by piece. */
function maskStream(pieces: readonly Part[], native: NativeTexts | null, mask = makeMask()) {
  return pieces.flatMap((piece) =>
    CHAT.mapPieces([piece], mask.change, native).flatMap(
      (one) => thoughts?.unseal(one, native, mask.isChanged) ?? [],
    ),
  );
}

function maskEvents(texts: NativeTexts, events: readonly JsonObject[]): readonly unknown[] {
  const pieces = events.map(
    (event) => new Verbatim({ event: String(event.type), data: JSON.stringify(event) }, []),
  );
  return maskStream(pieces, texts).flatMap((piece) =>
    piece instanceof Verbatim ? [JSON.parse(piece.event.data)] : [],
  );
}

function maskReply(reply: ChatReply, native: NativeTexts | null): ChatReply | undefined {
  const mask = makeMask();
  const mapped = CHAT.mapReply(reply, mask.change, native);
  return thoughts?.unsealReply(mapped, native, mask.isChanged);
}

const maskWhole = (texts: NativeTexts, verbatim: JsonObject) =>
  maskReply({ choices: [], verbatim }, texts)?.verbatim;

/** True for an item of which the text comes later. */
function isBegun(piece: Part): boolean {
  return piece instanceof Verbatim && piece.event.data.includes("output_item.added");
}

test(
  "an answer of which no thinking was changed stays the same object",
  () => {
    const never = () => false;
    const changed = listAnswers().filter(
      ({ pieces, reply, native }) =>
        thoughts.unsealReply(reply, native, never) !== reply ||
        pieces.some((piece) => !isBegun(piece) && thoughts.unseal(piece, native, never)[0] !== piece),
    );
    expect(changed.map(({ id }) => id)).toEqual([]);
  },
  TIMEOUT_MS,
);

const SEALED = /"(signature|thoughtSignature|encrypted_content)":"[^"]/;

/** Lists the thinking of a stream that is still sealed: calls keep their seals. */
function listSealed({ pieces, native }: Answer): readonly string[] {
  const mask = makeMask((text) => text.trim() !== "");
  const shown = maskStream(pieces, native, mask);
  const paths = [...mask.paths].filter((path) => native === null || !path.startsWith("choices"));
  const one = new Set(paths.map((path) => path.replace(/^response\./, "").match(/^[a-z]+\[\d+\]/)?.[0]));
  if (one.size !== 1) return [];
  const parts = native === null ? listChunks(shown).flatMap(listDetails) : shown.flatMap(listNodes);
  return parts.filter((part) => SEALED.test(JSON.stringify(part))).map((part) => JSON.stringify(part));
}

function listDetails({ choices }: ChatChunk) {
  return choices.flatMap(({ delta }) => delta.reasoning_details ?? []);
}

function listNodes(piece: Part): readonly JsonObject[] {
  if (!(piece instanceof Verbatim && piece.event.data.startsWith("{"))) return [];
  const nodes: JsonObject[] = [];
  JSON.parse(piece.event.data, (_field, value) => {
    const isThinking =
      isObject(value) &&
      (/^(thinking|signature_delta|reasoning)$/.test(String(value.type)) || value.thought === true);
    if (isThinking) nodes.push(value);
    return value;
  });
  return nodes;
}

test(
  "no recorded stream's only thinking is sealed once it was masked",
  () => {
    const answers = listAnswers();
    const sealed = answers.flatMap((answer) => listSealed(answer).map((part) => `${answer.id}: ${part}`));
    expect(sealed).toEqual([]);
    const before = answers.filter(
      ({ pieces, native }) =>
        native !== null &&
        pieces.some((piece) => listNodes(piece).some((one) => SEALED.test(JSON.stringify(one)))),
    );
    expect(before.length).toBeGreaterThanOrEqual(atLeast(20));
  },
  TIMEOUT_MS,
);

test("Messages: a masked block's signature is never sent, and others' are", () => {
  const delta = (index: number, given: JsonObject) => ({ type: "content_block_delta", index, delta: given });
  const think = (index: number, thinking: string) => delta(index, { type: "thinking_delta", thinking });
  const sign = (index: number) => delta(index, { type: "signature_delta", signature: `s${index}` });
  const redacted = { type: "redacted_thinking", data: "r" };
  const start = { type: "content_block_start", index: 2, content_block: redacted };
  expect(
    maskEvents(MESSAGES_TEXTS, [think(0, "a secret"), sign(0), think(1, "open"), sign(1), start]),
  ).toEqual([think(0, "[MASK]"), think(1, "open"), sign(1), start]);
  const block = (thinking: string, signature: string) => ({ type: "thinking", thinking, signature });
  expect(
    maskWhole(MESSAGES_TEXTS, { content: [block("a secret", "s0"), block("open", "s1"), redacted] }),
  ).toEqual({
    content: [block("[MASK]", ""), block("open", "s1"), redacted],
  });
});

test("Responses: a masked item's encrypted content is null at its beginning, at its end and in the closing event", () => {
  const item = (text: string, sealed: string | null) => ({
    type: "reasoning",
    summary: [{ type: "summary_text", text }],
    encrypted_content: sealed,
  });
  const added = (sealed: string | null) => ({
    type: "response.output_item.added",
    output_index: 0,
    item: { type: "reasoning", summary: [], encrypted_content: sealed },
  });
  const piece = { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 0 };
  const done = { type: "response.output_item.done", output_index: 0 };
  const completed = { type: "response.completed" };
  const other = item("open", "e1");
  const events = [
    added("e"),
    { ...piece, delta: "a secret" },
    { ...done, item: item("a secret", "e0") },
    { ...completed, response: { output: [item("a secret", "e0"), other] } },
  ];
  expect(maskEvents(RESPONSES_TEXTS, events)).toEqual([
    added(null),
    { ...piece, delta: "[MASK]" },
    { ...done, item: item("[MASK]", null) },
    { ...completed, response: { output: [item("[MASK]", null), other] } },
  ]);
  expect(maskWhole(RESPONSES_TEXTS, { output: [item("a secret", "e0"), other] })).toEqual({
    output: [item("[MASK]", null), other],
  });
});

test("Gemini: a masked thought's signature goes, a call's stays", () => {
  const call = { functionCall: { name: "f", args: {} }, thoughtSignature: "c" };
  const answer = (parts: readonly JsonObject[]) => ({ candidates: [{ content: { parts } }] });
  const thought = (text: string, more: JsonObject = {}) => ({ text, thought: true, ...more });
  const signed = { thoughtSignature: "s" };
  expect(
    maskEvents(GEMINI_TEXTS, [answer([thought("a secret")]), answer([thought("", signed), call])]),
  ).toEqual([answer([thought("[MASK]")]), answer([thought(""), call])]);
  const parts = [thought("a secret", signed), thought("open", signed), call];
  expect(maskWhole(GEMINI_TEXTS, answer(parts))).toEqual(
    answer([thought("[MASK]"), thought("open", signed), call]),
  );
});

test("chat: a masked detail leaves without its signature, or goes if it is encrypted", () => {
  const format = "anthropic-claude-v1";
  const text = (said: string, index: number) => ({
    type: "reasoning.text" as const,
    text: said,
    index,
    format,
  });
  const sign = (index: number) => ({
    type: "reasoning.text" as const,
    signature: `s${index}`,
    index,
    format,
  });
  const redacted = { type: "reasoning.encrypted" as const, data: "r", index: 9, format };
  const chunk = (
    ...details: NonNullable<ChatChunk["choices"][number]["delta"]["reasoning_details"]>
  ): ChatChunk => ({
    choices: [{ index: 0, delta: { reasoning_details: details }, finish_reason: null }],
  });
  const pieces = [
    chunk(text("a secret", 0)),
    chunk(sign(0)),
    chunk(text("open", 1)),
    chunk(sign(1)),
    chunk(redacted),
  ];
  expect(maskStream(pieces, null)).toEqual([
    chunk(text("[MASK]", 0)),
    chunk({ type: "reasoning.text", index: 0, format }),
    chunk(text("open", 1)),
    chunk(sign(1)),
    chunk(redacted),
  ]);
  const openai = "openai-responses-v1";
  const summary = (said: string) => ({
    type: "reasoning.summary" as const,
    summary: said,
    index: 0,
    format: openai,
  });
  const encrypted = { type: "reasoning.encrypted" as const, data: "e", index: 1, format: openai };
  expect(maskStream([chunk(summary("a secret")), chunk(encrypted)], null)).toEqual([
    chunk(summary("[MASK]")),
    chunk(),
  ]);
  const message = {
    role: "assistant" as const,
    content: "said",
    refusal: null,
    reasoning_content: "a secret",
    reasoning_details: [summary("a secret"), encrypted],
    parts: [
      { kind: "thinking" as const, size: 8, details: 2, gap: 0 },
      { kind: "text" as const, size: 4, details: 0, gap: 0 },
    ],
  };
  const reply: ChatReply = { choices: [{ index: 0, message, finish_reason: "stop", logprobs: null }] };
  expect(maskReply(reply, null)?.choices[0]?.message).toMatchObject({
    reasoning_content: "[MASK]",
    reasoning_details: [summary("[MASK]")],
    parts: [{ details: 1 }, { details: 0 }],
  });
});
