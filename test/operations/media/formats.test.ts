// The formats in which each provider is asked for a transcript, and the client's formats written from its answer.
import { describe, expect, test } from "bun:test";
import { makeUnlistedCard } from "../../../src/catalogue/unlisted.ts";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { Attachment } from "../../../src/core/models/attachment.ts";
import type { ModelCard } from "../../../src/core/models/card.ts";
import { TRANSCRIPT_FORMATS } from "../../../src/operations/transcription/form.ts";
import { TRANSCRIPTION } from "../../../src/operations/transcription/operation.ts";
import { writeSrt, writeVtt } from "../../../src/operations/transcription/subtitles.ts";
import { PROVIDERS } from "../../../src/providers/index.ts";
import { OPENAI_TRANSCRIPTIONS } from "../../../src/surfaces/openai-transcriptions/surface.ts";
import { atLeast } from "../../recorded/load.ts";
import { incoming } from "../../surfaces/recorded.ts";
import { readMediaTraffic } from "./recordings.ts";

const TARGET = { baseUrl: "https://example.test/v1", secret: "s", headers: {} };

function findCodec(provider: string) {
  const dialect = PROVIDERS.find(({ name }) => name === provider)?.dialects[0];
  const codec = dialect && TRANSCRIPTION.findCodec(dialect);
  if (!codec) throw new Error(`${provider} has no transcripts.`);
  return codec;
}

function readAsk(format: string, fields: JsonObject = {}, path = "/v1/audio/transcriptions") {
  const file = new Attachment("a.wav", "audio/wav", new Uint8Array(8));
  const body = { model: "P#m", file, response_format: format, ...fields };
  return OPENAI_TRANSCRIPTIONS.read(incoming(body, path)).ask;
}

function encode(provider: string, name: string, format: string, fields: JsonObject = {}) {
  const card = makeUnlistedCard(provider, name);
  const { form = [], dropped } = TRANSCRIPTION.encode(
    findCodec(provider),
    readAsk(format, fields),
    card,
    TARGET,
  );
  const sent = (field: string) => form.filter(([one]) => one === field).map(([, value]) => String(value));
  return { sent, dropped, format: sent("response_format")[0] ?? null };
}

/** Reads an answer of a Whisper at this provider. */
function read(
  provider: string,
  format: string,
  answer: JsonObject | string,
  card = makeUnlistedCard(provider, "whisper-1"),
  fields: JsonObject = {},
) {
  const body = typeof answer === "string" ? answer : JSON.stringify(answer);
  const options = { offset: 0, dropped: [], isNative: false, ask: readAsk(format, fields), card };
  return TRANSCRIPTION.readWhole(findCodec(provider), { body, headers: new Headers() }, options);
}

describe("an answer that has no room for a report is asked for in JSON", () => {
  const ASKED: readonly (readonly [provider: string, name: string, asked: readonly (string | null)[]])[] = [
    // In the order of `json`, `text`, `srt`, `verbose_json`, `vtt`, `diarized_json`.
    [
      "OpenAI",
      "whisper-1",
      ["json", "verbose_json", "verbose_json", "verbose_json", "verbose_json", "diarized_json"],
    ],
    ["OpenAI", "gpt-4o-transcribe", ["json", "json", "srt", "verbose_json", "vtt", "diarized_json"]],
    ["Azure", "whisper", Array.from({ length: 5 }, () => "verbose_json").concat("diarized_json")],
    ["Groq", "whisper-large-v3", Array.from({ length: 5 }, () => "verbose_json").concat("diarized_json")],
    [
      "vLLM",
      "openai/whisper-small",
      ["json", "json", "verbose_json", "verbose_json", "verbose_json", "diarized_json"],
    ],
    ["Mistral", "voxtral-mini-latest", [null, null, null, null, null, null]],
  ];
  for (const [provider, name, asked] of ASKED) {
    test(`${provider}: ${name}`, () => {
      expect(TRANSCRIPT_FORMATS.map((format) => encode(provider, name, format).format)).toEqual([...asked]);
    });
  }

  test("Mistral is asked for segments if there are to be subtitles, which excludes a language", () => {
    const { sent, dropped } = encode("Mistral", "voxtral-mini-latest", "srt", { language: "en" });
    expect([sent("timestamp_granularities[]"), sent("language"), dropped]).toEqual([
      ["segment"],
      [],
      ["language"],
    ]);
    expect(encode("Mistral", "voxtral-mini-latest", "text", { language: "en" }).sent("language")).toEqual([
      "en",
    ]);
  });

  test("Mistral is asked for segments and speakers if they are wanted, which excludes a language", () => {
    const { sent, dropped } = encode("Mistral", "voxtral-mini-latest", "diarized_json", {
      language: "en",
      chunking_strategy: "auto",
      timestamp_granularities: ["word"],
    });
    expect([sent("diarize"), sent("timestamp_granularities[]"), sent("language")]).toEqual([
      ["true"],
      ["segment"],
      [],
    ]);
    expect(dropped).toEqual(["chunking_strategy", "language"]);
    expect(encode("Mistral", "voxtral-mini-latest", "json").sent("diarize")).toEqual([]);
  });

  test.each([
    [undefined, "segment", ["language"]],
    [["segment"], "segment", ["language"]],
    [["word"], "word", ["language"]],
    [["word", "segment"], "segment", ["language", "timestamp_granularities"]],
  ])("Mistral is asked for the times of a verbose transcript: %j", (given, asked, named) => {
    const fields = { language: "en", ...(given && { timestamp_granularities: given }) };
    const { sent, dropped } = encode("Mistral", "voxtral-mini-latest", "verbose_json", fields);
    expect([sent("timestamp_granularities[]"), sent("language")]).toEqual([[asked], []]);
    expect(dropped).toEqual(named);
  });

  test("words alone, which would replace the segments, are not asked for with subtitles", () => {
    const words = { timestamp_granularities: ["word"] };
    expect(encode("OpenAI", "whisper-1", "srt", words).sent("timestamp_granularities[]")).toEqual([]);
    expect(encode("OpenAI", "whisper-1", "verbose_json", words).sent("timestamp_granularities[]")).toEqual([
      "word",
    ]);
  });

  test("OpenAI's translations report their seconds in verbose JSON alone", () => {
    const ask = readAsk("json", {}, "/v1/audio/translations");
    const { form = [] } = TRANSCRIPTION.encode(
      findCodec("OpenAI"),
      ask,
      makeUnlistedCard("OpenAI", "whisper-1"),
      TARGET,
    );
    expect(form).toContainEqual(["response_format", "verbose_json"]);
  });

  test("vLLM's streams are asked for their usage", () => {
    const { sent } = encode("vLLM", "openai/whisper-small", "json", { stream: "true" });
    expect([sent("stream"), sent("stream_include_usage")]).toEqual([["true"], ["true"]]);
  });
});

const VERBOSE = {
  task: "transcribe",
  language: "english",
  duration: 600.2,
  text: " Hello there. It's me.",
  segments: [
    { id: 0, start: 0, end: 3.319999933242798, text: " Hello there." },
    { id: 1, start: 3661.5, end: 3662.0009765625, text: " It's --> me.\n\n" },
  ],
  x_groq: { id: "req_1" },
};

describe("the client's format is written from JSON, with the report", () => {
  test("Mistral's speakers become OpenAI's", () => {
    const card = makeUnlistedCard("Mistral", "voxtral-mini-latest");
    const segment = { type: "transcription_segment", text: "Hello.", start: 0.1, end: 3.6 };
    const answer = {
      model: "voxtral-mini-latest",
      text: "Hello.",
      language: null,
      segments: [{ ...segment, speaker_id: "speaker_1" }, segment],
      usage: { prompt_audio_seconds: 4, prompt_tokens: 5, completion_tokens: 20, total_tokens: 400 },
    };
    const type = "transcript.text.segment";
    expect(read("Mistral", "diarized_json", answer, card).content).toEqual({
      ...answer,
      task: "transcribe",
      duration: 4,
      segments: [
        { ...segment, type, id: "seg_0", speaker: "speaker_1" },
        { ...segment, type, id: "seg_1" },
      ],
    });
    const { usage, ...unspoken } = { ...answer, segments: [segment] };
    expect(read("Mistral", "diarized_json", unspoken, card).content).toEqual(unspoken);
    expect(read("Mistral", "json", answer, card).content).toEqual(answer);
  });

  test("Mistral's segments and words become those of a verbose transcript", () => {
    const card = makeUnlistedCard("Mistral", "voxtral-mini-latest");
    const usage = { prompt_audio_seconds: 4, prompt_tokens: 5, completion_tokens: 20, total_tokens: 400 };
    const about = { model: "voxtral-mini-latest", text: "Hello you.", usage };
    const segment = (text: string, start: number) => ({
      type: "transcription_segment",
      text,
      start,
      end: start + 1,
    });
    const written = (given: readonly JsonObject[], fields: JsonObject) =>
      read("Mistral", "verbose_json", { ...about, language: null, segments: given }, card, fields).content;
    const verbose = { ...about, task: "transcribe", duration: 4, language: "en" };
    expect(written([segment("Hello", 0), segment("you.", 1)], { language: "en" })).toEqual({
      ...verbose,
      segments: [
        { id: 0, text: "Hello", start: 0, end: 1 },
        { id: 1, text: "you.", start: 1, end: 2 },
      ],
    });
    const words = { language: "en", timestamp_granularities: ["word"] };
    expect(written([segment("Hello", 0)], words)).toEqual({
      ...verbose,
      words: [{ word: "Hello", start: 0, end: 1 }],
    });
  });

  test("text, subtitles and plain JSON", () => {
    const written = (format: string) => read("Groq", format, VERBOSE);
    expect(written("text").content).toBe("Hello there. It's me.\n");
    expect(written("srt").content).toBe(
      "1\n00:00:00,000 --> 00:00:03,319\nHello there.\n\n2\n01:01:01,500 --> 01:01:02,000\nIt's -> me.\n\n",
    );
    expect(written("vtt").content).toBe(
      "WEBVTT\n\n00:00:00.000 --> 00:00:03.319\nHello there.\n\n01:01:01.500 --> 01:01:02.000\nIt's -> me.\n\n",
    );
    expect(written("json").content).toEqual({ text: VERBOSE.text, x_groq: VERBOSE.x_groq });
    expect(written("verbose_json").content).toEqual(VERBOSE);
    for (const format of ["text", "srt", "vtt", "json", "verbose_json"])
      expect(written(format).usage?.amounts.seconds).toBe(601);
  });

  test("a transcript without segments is one subtitle, and none if nothing was said", () => {
    const { segments: _none, ...whole } = VERBOSE;
    expect(read("OpenAI", "srt", whole).content).toBe(
      "1\n00:00:00,000 --> 00:10:00,200\nHello there. It's me.\n\n",
    );
    expect(read("OpenAI", "vtt", { text: "", duration: 2 }).content).toBe("WEBVTT\n\n");
    expect(() => read("OpenAI", "vtt", { text: "Hello" })).toThrow("malformed");
    expect(() => read("OpenAI", "vtt", { text: "Hello", segments: [{ text: "Hello" }] })).toThrow(
      "malformed",
    );
  });

  test("a server that answers in the client's format all the same is understood", () => {
    expect(read("vLLM", "vtt", "WEBVTT\n\n")).toEqual({ content: "WEBVTT\n\n", usage: null });
    expect(() => read("vLLM", "json", "Hello")).toThrow("malformed");
  });

  test("OpenAI's own subtitles are written byte for byte from their lines and times", () => {
    const { recordings } = readMediaTraffic();
    const vtt = String(recordings.find(({ body }) => String(body).startsWith("WEBVTT"))?.body);
    const cues = [...vtt.matchAll(/(\S+) --> (\S+)\n(.*)\n/g)].map(([, start = "", end = "", line = ""]) => ({
      start: readTime(start),
      end: readTime(end),
      text: ` ${line}`,
    }));
    expect(cues.length).toBeGreaterThanOrEqual(atLeast(50));
    expect(writeVtt(cues)).toBe(vtt);
    const srt = vtt.slice("WEBVTT\n\n".length).replace(/(\d\d)\.(\d\d\d)/g, "$1,$2");
    expect(writeSrt(cues).replace(/^\d+\n(?=\d\d:)/gm, "")).toBe(srt);
  });
});

function readTime(time: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(":").map(Number);
  return hours * 3600 + minutes * 60 + seconds;
}

describe("a report without what the card charges for", () => {
  const makeCard = (price: ModelCard["price"]): ModelCard => ({ ...makeUnlistedCard("vLLM", "m"), price });
  const cut = (usage: JsonObject, price: NonNullable<ModelCard["price"]>) => {
    const card = makeCard(price);
    const file = new Attachment("a.bin", "", new Uint8Array(7500));
    const ask = { ...readAsk("json"), file };
    const reply = read("vLLM", "json", { text: "x", usage }, card);
    if (!reply.usage) throw new Error("There is no report.");
    return TRANSCRIPTION.cutUsage(reply.usage, { ask, card, calls: 1, unreadBytes: 0, rounds: 1 }).usage
      .amounts;
  };

  test("tokens where minutes are charged: the seconds are estimated", () => {
    const tokens = { input_tokens: 100, output_tokens: 20 };
    expect(cut(tokens, { input: 0, output: 0, perMinute: 0.006 })).toMatchObject({
      prompt: 100,
      seconds: 10,
    });
  });

  test("seconds where tokens are charged: the tokens of those seconds are estimated", () => {
    const seconds = { type: "duration", seconds: 4 };
    expect(cut(seconds, { input: 2.5, output: 10 })).toMatchObject({
      prompt: 40,
      completion: 12,
      seconds: 4,
    });
  });

  test("a report that has it is left alone", () => {
    expect(cut({ seconds: 4 }, { input: 0, output: 0, perMinute: 0.006 })).toMatchObject({
      prompt: 0,
      seconds: 4,
    });
    const tokens = { input_tokens: 7, output_tokens: 1 };
    expect(cut(tokens, { input: 1, output: 1 })).toMatchObject({ prompt: 7, completion: 1, seconds: 0 });
  });
});
