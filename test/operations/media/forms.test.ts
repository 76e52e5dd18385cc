// Media streams in the forms of servers other than OpenAI's, and calls to servers without streams.
import { describe, expect, test } from "bun:test";
import { makeUnlistedCard } from "../../../src/catalogue/unlisted.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { Attachment } from "../../../src/core/models/attachment.ts";
import { IMAGES } from "../../../src/operations/images/operation.ts";
import { SPEECH } from "../../../src/operations/speech/operation.ts";
import { TRANSCRIPTION } from "../../../src/operations/transcription/operation.ts";
import { findDialect, PROVIDERS } from "../../../src/providers/index.ts";
import { OPENAI_IMAGES } from "../../../src/surfaces/openai-images/surface.ts";
import { OPENAI_SPEECH } from "../../../src/surfaces/openai-speech/surface.ts";
import { OPENAI_TRANSCRIPTIONS } from "../../../src/surfaces/openai-transcriptions/surface.ts";
import { incoming } from "../../surfaces/recorded.ts";

const TARGET = { baseUrl: "https://example.test/v1", secret: "s", headers: {} };
const OPTIONS = { offset: 0, dropped: [], isNative: false };

const makeCard = (name: string) => makeUnlistedCard("P", name);

function findProvider(name: string) {
  const dialect = PROVIDERS.find((one) => one.name === name)?.dialects[0];
  if (!dialect) throw new Error(`${name} is no provider.`);
  return dialect;
}

function given<Codec>(codec: Codec | null): Codec {
  if (codec === null) throw new Error("The provider has no codec.");
  return codec;
}

function readTranscription(format = "json") {
  const file = new Attachment("a.wav", "audio/wav", new Uint8Array(8));
  const body = { model: "P#m", file, stream: "true", response_format: format };
  return OPENAI_TRANSCRIPTIONS.read(incoming(body, "/v1/audio/transcriptions"));
}

/** The client's events for a provider's. */
function translate(events: readonly (JsonObject | string)[]): readonly unknown[] {
  const { ask, writer } = readTranscription();
  const options = { ...OPTIONS, ask, card: makeCard("m") };
  const reader = TRANSCRIPTION.reader(given(TRANSCRIPTION.findCodec(findDialect("mistral"))), options);
  const text = events
    .map((one) => `data: ${typeof one === "string" ? one : JSON.stringify(one)}\n\n`)
    .join("");
  const read = reader.push(text);
  const end = reader.end();
  if (end.broken) throw end.broken;
  const usage = reader.usage ?? TRANSCRIPTION.estimate({ ask, calls: 1, unreadBytes: 0 }, 0, null);
  const pieces = [...(read?.pieces ?? []), ...end.pieces, TRANSCRIPTION.usagePiece(usage)];
  const written = writer(() => {
    throw new Error("A transcript has no stamp.");
  }).write(pieces);
  return written
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line.slice("data: ".length)));
}

describe("transcripts", () => {
  test("Mistral's events become OpenAI's", () => {
    const usage = { prompt_audio_seconds: 4, prompt_tokens: 5, completion_tokens: 6, total_tokens: 11 };
    expect(
      translate([
        { type: "transcription.language", audio_language: "en" },
        { type: "transcription.text.delta", text: "by that" },
        { type: "transcription.segment", text: "by that", start: 0, end: 1.5, speaker_id: "s1" },
        { type: "transcription.done", model: "voxtral", text: "by that", language: "en", usage },
      ]),
    ).toEqual([
      { type: "transcript.text.delta", delta: "by that" },
      { type: "transcript.text.segment", id: "seg_0", speaker: "s1", text: "by that", start: 0, end: 1.5 },
      { type: "transcript.text.done", text: "by that", usage },
    ]);
  });

  test("vLLM's chunks become OpenAI's events, and their end a whole text", () => {
    const chunk = (content: string) => ({ object: "transcription.chunk", choices: [{ delta: { content } }] });
    expect(translate([chunk("by "), chunk("that"), "[DONE]"])).toEqual([
      { type: "transcript.text.delta", delta: "by " },
      { type: "transcript.text.delta", delta: "that" },
      { type: "transcript.text.done", text: "by that", usage: { type: "duration", seconds: 1 } },
    ]);
    const usage = { prompt_tokens: 30, completion_tokens: 5, total_tokens: 35 };
    expect(translate([chunk("by "), { choices: [], usage }, "[DONE]"])).toEqual([
      { type: "transcript.text.delta", delta: "by " },
      { type: "transcript.text.done", text: "by ", usage },
    ]);
    expect(() => translate([chunk("by ")])).toThrow("incomplete");
  });

  test("a whole transcript with speakers is reported as their segments", () => {
    const { writer } = readTranscription("diarized_json");
    const segments = [{ id: "s", start: 0, end: 1, text: "hello", speaker: "A" }];
    const reply = { usage: null, content: { text: "hello", segments } };
    const usage = TRANSCRIPTION.estimate({ ask: readTranscription().ask, calls: 1, unreadBytes: 0 }, 5, null);
    const text = writer(() => {
      throw new Error("A transcript has no stamp.");
    }).write([{ kind: "reply", reply }, TRANSCRIPTION.usagePiece(usage)]);
    expect(text).toStartWith(
      `data: ${JSON.stringify({ ...segments[0], type: "transcript.text.segment" })}\n\n`,
    );
    expect(text).not.toContain("transcript.text.delta");
  });
});

test("everything in a form is text, but in JSON a number in quotes is a mistake", () => {
  const path = "/v1/images/generations";
  const body = { model: "P#m", prompt: "x", n: "2" };
  const form = { "content-type": "multipart/form-data; boundary=b" };
  expect(OPENAI_IMAGES.read(incoming(body, path, form)).ask).toMatchObject({ n: 2 });
  expect(() => OPENAI_IMAGES.read(incoming(body, path))).toThrow("Invalid type for 'n'");
});

describe("only servers that support streams are asked for one", () => {
  const drawing = { model: "P#m", prompt: "x", stream: true, partial_images: 2 };
  const { ask } = OPENAI_IMAGES.read(incoming(drawing, "/v1/images/generations"));
  const encode = (provider: string, name: string) =>
    IMAGES.encode(given(IMAGES.findCodec(findProvider(provider))), ask, makeCard(name), TARGET);
  for (const [provider, name] of [
    ["xAI", "grok-imagine-image"],
    ["OpenRouter", "a/b"],
    ["OpenAI", "dall-e-3"],
    ["Google", "imagen-4"],
    ["Google", "gemini-2.5-flash-image"],
  ] as const) {
    test(`${provider}'s ${name} has no drafts`, () => {
      const { body, dropped } = encode(provider, name);
      expect([body.stream, body.partial_images]).toEqual([undefined, undefined]);
      expect(dropped).toContain("partial_images");
    });
  }
  test("OpenAI's and Azure's do", () => {
    for (const provider of ["OpenAI", "Azure"]) {
      const { body, dropped } = encode(provider, "gpt-image-2");
      expect([body.stream, body.partial_images, dropped]).toEqual([true, 2, []]);
    }
  });
  test("Groq's transcripts arrive complete", () => {
    const said = (provider: string) => {
      const codec = given(TRANSCRIPTION.findCodec(findProvider(provider)));
      const { form = [] } = TRANSCRIPTION.encode(codec, readTranscription().ask, makeCard("m"), TARGET);
      return form.find(([field]) => field === "stream")?.[1];
    };
    expect(["Groq", "OpenAI", "Azure", "Mistral"].map(said)).toEqual([undefined, "true", "true", "true"]);
  });
  test("models that support speech events are asked for them", () => {
    const speech = { model: "P#m", input: "x", voice: "v", stream_format: "sse" };
    const spoken = OPENAI_SPEECH.read(incoming(speech)).ask;
    const asked = (provider: string, name: string) =>
      SPEECH.encode(given(SPEECH.findCodec(findProvider(provider))), spoken, makeCard(name), TARGET).body
        .stream_format;
    expect([
      asked("OpenAI", "gpt-4o-mini-tts"),
      asked("OpenAI", "tts-1"),
      asked("Mistral", "voxtral-tts"),
    ]).toEqual(["sse", undefined, undefined]);
  });
});
