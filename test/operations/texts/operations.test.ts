// The texts of the operations beyond chat, in requests and in answers.
import { expect, test } from "bun:test";
import { Attachment } from "../../../src/core/models/attachment.ts";
import type { ChangeText } from "../../../src/core/text/texts.ts";
import { COMPLETION } from "../../../src/operations/completion/operation.ts";
import { EMBEDDINGS } from "../../../src/operations/embeddings/operation.ts";
import type { Form } from "../../../src/operations/form.ts";
import { IMAGES } from "../../../src/operations/images/operation.ts";
import { MODERATION } from "../../../src/operations/moderation/operation.ts";
import type { Operation } from "../../../src/operations/operation.ts";
import { RERANK } from "../../../src/operations/rerank/operation.ts";
import { SPEECH } from "../../../src/operations/speech/operation.ts";
import { TRANSCRIPTION } from "../../../src/operations/transcription/operation.ts";

const mask: ChangeText = (text) => text.replaceAll("Ada", "<P1>");
const BASE = { model: "Ada#m", extras: {} };
const file = new Attachment("Ada.mp3", "audio/mpeg", new Uint8Array([1]));

/** Returns a function that doesn't depend on the operation's types. */
function mapWith<F extends Form>(operation: Operation<F>, ask: F["ask"]) {
  return [operation.name, (change: ChangeText): object => operation.mapTexts(ask, change), ask] as const;
}

test.each([
  mapWith(COMPLETION, { ...BASE, prompts: ["Ada", [1, 2]], suffix: "Ada", n: 1 }),
  mapWith(EMBEDDINGS, { ...BASE, inputs: ["Ada", [1]], encoding: "float", title: "Ada" }),
  mapWith(RERANK, {
    ...BASE,
    query: "Ada",
    isShowingDocuments: true,
    documents: [{ text: "Ada", given: { text: "kept for the client" } }],
  }),
  mapWith(MODERATION, { ...BASE, inputs: ["Ada", [{ type: "text", text: "Ada" }]] }),
  mapWith(IMAGES, { ...BASE, prompt: "Ada", n: 1, sources: [file, { url: "https://a.test/x.png" }] }),
  mapWith(SPEECH, { ...BASE, input: "Ada", instructions: "Ada", voice: "alloy", format: "mp3" }),
  mapWith(TRANSCRIPTION, { ...BASE, file, isTranslation: false, format: "json", prompt: "Ada" }),
])("%s: each text of a request is reached, and nothing else", (_name, map, ask) => {
  const expected = JSON.parse(JSON.stringify(ask).replaceAll("Ada", "<P1>"));
  expect(JSON.parse(JSON.stringify(map(mask)))).toEqual({ ...expected, model: "Ada#m" });
  expect(map((text) => text)).toBe(ask);
});

test("a transcript's texts are reached, whole and in pieces", () => {
  const usage = null;
  const reply = { content: { text: "Ada", segments: [{ text: "Ada", start: 0 }] }, usage };
  const content = { text: "<P1>", segments: [{ text: "<P1>", start: 0 }] };
  expect(TRANSCRIPTION.mapReply(reply, mask, null)).toEqual({ content, usage });
  expect(TRANSCRIPTION.mapReply({ content: "Ada", usage }, mask, null)).toEqual({ content: "<P1>", usage });
  const pieces = [
    { kind: "part", part: { kind: "delta", delta: "Ada", extras: {} } },
    { kind: "part", part: { kind: "segment", segment: { text: "Ada" } } },
  ] as const;
  const seen: unknown[] = [];
  TRANSCRIPTION.mapPieces(
    pieces,
    (text, { isPiece }) => {
      seen.push([text, isPiece]);
      return text;
    },
    null,
  );
  expect(seen).toEqual([
    ["Ada", true],
    ["Ada", false],
  ]);
});

test("a changed transcript says nothing of its tokens, whole and in pieces", () => {
  const tokens = (text: string) => [{ token: text, logprob: 0, bytes: [65] }];
  const reply = (text: string) => ({ content: { text, logprobs: tokens(text) }, usage: null });
  const piece = (delta: string) =>
    ({ kind: "part", part: { kind: "delta", delta, extras: { logprobs: tokens(delta), at: 1 } } }) as const;
  expect(TRANSCRIPTION.mapReply(reply("Ada"), mask, null).content).toEqual({ text: "<P1>", logprobs: [] });
  const bob = reply("Bob");
  expect(TRANSCRIPTION.mapReply(bob, mask, null)).toBe(bob);
  expect(TRANSCRIPTION.mapPieces([piece("Ada"), piece("Bob")], mask, null)).toEqual([
    { kind: "part", part: { kind: "delta", delta: "<P1>", extras: { logprobs: [], at: 1 } } },
    piece("Bob"),
  ]);
});

test("a picture's revised prompt is reached, and its bytes are not", () => {
  const pictures = [{ b64_json: "Ada", revised_prompt: "Ada" }];
  const reply = { pictures, settings: { size: "Ada" }, usage: null };
  const revised = { ...reply, pictures: [{ b64_json: "Ada", revised_prompt: "<P1>" }] };
  expect(IMAGES.mapReply(reply, mask, null)).toEqual(revised);
});
