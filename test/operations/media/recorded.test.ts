// Recorded images, speech and transcripts: our requests equal the recorded ones, and the answers are read correctly.
import { describe, expect, test } from "bun:test";
import {
  asArray,
  asObject,
  asString,
  isObject,
  type JsonObject,
  parseJson,
} from "../../../src/core/json/json.ts";
import { Attachment } from "../../../src/core/models/attachment.ts";
import type { Form } from "../../../src/operations/form.ts";
import { IMAGES } from "../../../src/operations/images/operation.ts";
import type { Reader, Reading } from "../../../src/operations/operation.ts";
import { findSound } from "../../../src/operations/speech/form.ts";
import { SPEECH } from "../../../src/operations/speech/operation.ts";
import { TRANSCRIPTION } from "../../../src/operations/transcription/operation.ts";
import type { WorkUsage } from "../../../src/operations/whole-form.ts";
import { OPENAI_IMAGES } from "../../../src/surfaces/openai-images/surface.ts";
import { OPENAI_SPEECH } from "../../../src/surfaces/openai-speech/surface.ts";
import { OPENAI_TRANSCRIPTIONS } from "../../../src/surfaces/openai-transcriptions/surface.ts";
import { splitEvents } from "../../recorded/events.ts";
import { incoming } from "../../surfaces/recorded.ts";
import { type MediaRecording, readMediaTraffic } from "./recordings.ts";

const { recordings } = readMediaTraffic();
const NOW_MS = Date.UTC(2026, 10, 20);
const READING = { offset: 0, dropped: [], isNative: false };

const isImage = ({ api }: MediaRecording) => api.startsWith("images");
const isSpeech = ({ api }: MediaRecording) => api === "audio-speech";
const isTranscript = ({ api }: MediaRecording) => /^audio-trans/.test(api);
const hasSucceeded = ({ status, isStream }: MediaRecording) => status === 200 && !isStream;

function given<Codec>(codec: Codec | null, { id }: MediaRecording): Codec {
  if (codec === null) throw new Error(`${id}: its provider has no codec.`);
  return codec;
}

function asDelivered({ body, headers }: MediaRecording) {
  return { body: String(body), headers };
}

describe("recorded pictures, audio and transcripts", () => {
  for (const recording of recordings.filter((one) => isImage(one) && hasSucceeded(one))) {
    test(`${recording.id}: pictures`, () => {
      const codec = given(IMAGES.findCodec(recording.dialect), recording);
      const ask = readImages(recording);
      const asking = { ...READING, ask, card: recording.card };
      const reply = IMAGES.readWhole(codec, asDelivered(recording), asking);
      const body = asObject(parseJson(String(recording.body)));
      const sent = asArray(body.data ?? body.predictions)
        .map(asObject)
        .filter((one) => one.contentType !== "Positive Prompt");
      expect(sent.length).toBeGreaterThan(0);
      expect(reply.pictures).toEqual(
        sent.map(({ b64_json, bytesBase64Encoded, url, revised_prompt }) => ({
          ...keep({ b64_json: b64_json ?? bytesBase64Encoded }),
          ...keep({ url }),
          ...keep({ revised_prompt }),
        })),
      );
      const usage = asObject(body.usage);
      expect(reply.usage?.amounts).toMatchObject({
        images: sent.length,
        prompt: Number(usage.input_tokens ?? 0),
        completion: Number(usage.output_tokens ?? 0),
      });
    });
  }

  for (const recording of recordings.filter((one) => isSpeech(one) && hasSucceeded(one))) {
    test(`${recording.id}: audio`, () => {
      const codec = given(SPEECH.findCodec(recording.dialect), recording);
      const { ask } = OPENAI_SPEECH.read(incoming(requestOf(recording)));
      const { card, body, headers } = recording;
      const reading = { ...READING, ask, card, headers };
      if (typeof body === "string") {
        const { sound, type } = SPEECH.readWhole(codec, asDelivered(recording), reading);
        expect(sound).toEqual(Uint8Array.fromBase64(asString(asObject(parseJson(body)).audio_data) ?? ""));
        return expect(type).toStartWith("audio/");
      }
      for (const cut of [1, 1000, body.length]) {
        const parts = readParts(SPEECH.reader(codec, reading), Buffer.from(body).toString("latin1"), cut);
        const sounds = parts.flatMap((piece) => findSound(piece) ?? []);
        expect(Buffer.concat(sounds.map(({ sound }) => sound)).equals(Buffer.from(body))).toBe(true);
        expect(sounds[0]?.type).toStartWith("audio/");
      }
    });
  }

  for (const recording of recordings.filter((one) => isTranscript(one) && hasSucceeded(one))) {
    test(`${recording.id}: a transcript`, () => {
      const codec = given(TRANSCRIPTION.findCodec(recording.dialect), recording);
      const text = String(recording.body);
      const parsed = parseJson(text);
      const format = asString(recording.fields?.response_format) ?? (isObject(parsed) ? "json" : "text");
      const ask = readTranscription(recording, format);
      const { card } = recording;
      const reply = TRANSCRIPTION.readWhole(codec, asDelivered(recording), { ...READING, ask, card });
      if (!isObject(parsed)) return expect(reply.content).toBe(text);
      expect(reply.content).toEqual(parsed);
      const usage = asObject(parsed.usage);
      if (usage.type === "duration") expect(reply.usage?.amounts.seconds).toBe(Number(usage.seconds));
      if (usage.type === "tokens") {
        expect(reply.usage?.amounts).toMatchObject({
          prompt: usage.input_tokens,
          completion: usage.output_tokens,
          inputAudio: asObject(usage.input_token_details).audio_tokens,
        });
      }
    });
  }

  for (const recording of recordings.filter((one) => isImage(one) && one.isStream)) {
    test(`${recording.id}: pictures and drafts under any cut, and none without the end`, () => {
      const codec = given(IMAGES.findCodec(recording.dialect), recording);
      const { card, headers } = recording;
      const asking = { ...READING, ask: readImages(recording), card, headers };
      const events = listEvents(recording);
      const { b64_json, usage } = asObject(events.at(-1));
      const drafts = events.slice(0, -1).map((event) => ({
        kind: "part",
        part: { index: event.partial_image_index, b64_json: event.b64_json },
      }));
      expectParts(recording, () => IMAGES.reader(codec, asking), {
        parts: [...drafts, { kind: "reply", reply: { pictures: [{ b64_json }] } }],
        amounts: { images: 1, ...countTokens(usage) },
      });
    });
  }

  for (const recording of recordings.filter((one) => isSpeech(one) && one.isStream)) {
    test(`${recording.id}: audio under any cut, and none without the end`, () => {
      const codec = given(SPEECH.findCodec(recording.dialect), recording);
      const { ask } = OPENAI_SPEECH.read(incoming(requestOf(recording)));
      const { card, headers } = recording;
      const events = listEvents(recording);
      const sounds = events.slice(0, -1).map(({ audio }) => ({
        kind: "part",
        part: { sound: Uint8Array.fromBase64(String(audio)), type: "audio/wav" },
      }));
      expectParts(recording, () => SPEECH.reader(codec, { ...READING, ask, card, headers }), {
        parts: sounds,
        amounts: countTokens(events.at(-1)?.usage),
      });
    });
  }

  for (const recording of recordings.filter((one) => isTranscript(one) && one.isStream)) {
    test(`${recording.id}: a transcript as it was made under any cut, and none without its end`, () => {
      const codec = given(TRANSCRIPTION.findCodec(recording.dialect), recording);
      const ask = readTranscription(recording, asString(recording.fields?.response_format) ?? "json");
      const { card, headers } = recording;
      const events = listEvents(recording);
      const { text, usage } = asObject(events.at(-1));
      const pieces = events.slice(0, -1).map(({ delta, speaker, end }) => ({
        kind: "part",
        part: delta === undefined ? { kind: "segment", segment: { speaker, end } } : { kind: "delta", delta },
      }));
      const { audio_tokens } = asObject(asObject(usage).input_token_details);
      expectParts(recording, () => TRANSCRIPTION.reader(codec, { ...READING, ask, card, headers }), {
        parts: [...pieces, { kind: "reply", reply: { content: { text } } }],
        amounts: { ...countTokens(usage), inputAudio: audio_tokens },
      });
    });
  }

  for (const recording of recordings.filter(({ status }) => status >= 400)) {
    test(`${recording.id}: an error`, () => {
      const { dialect, status, headers, body } = recording;
      const fault = dialect.explain(status, headers, String(body), NOW_MS);
      expect(fault.details.upstreamStatus).toBe(status);
      const { message } = asObject(asObject(parseJson(String(body))).error);
      expect(fault.message).toContain(String(message).slice(0, 40));
    });
  }

  for (const recording of recordings.filter((one) => one.request && one.status === 200)) {
    test(`${recording.id}: the same call`, () => {
      const { dialect, card, baseUrl, request, url } = recording;
      const target = { baseUrl, secret: "the-key", headers: {} };
      const encoded = isImage(recording)
        ? given(IMAGES.findCodec(dialect), recording).encode(readImages(recording), card, target)
        : given(SPEECH.findCodec(dialect), recording).encode(
            OPENAI_SPEECH.read(incoming(requestOf(recording))).ask,
            card,
            target,
          );
      const call = dialect.carry?.(encoded, card, target) ?? encoded;
      expect(new URL(call.url).pathname).toBe(new URL(String(url)).pathname);
      // Clients may omit these, but the gateway sends them.
      const said = isImage(recording) ? { n: 1, model: card.name } : { response_format: "mp3" };
      // A resolution changes the price, so it only passes if the operator names it.
      const { quality, parameters, resolution: _priced, ...others } = request ?? {};
      const { includeSafetyAttributes: _verdicts, outputOptions: _form, ...asked } = asObject(parameters);
      // It accepted a quality at the time of the recording, and has refused it since.
      const kept = card.name === "dall-e-2" || quality === undefined ? others : { ...others, quality };
      // OpenAI's form can't express the fields of Imagen that are left out here.
      const expected = "instances" in kept ? { ...kept, parameters: asked } : { ...said, ...kept };
      expect(JSON.parse(JSON.stringify(call.body))).toEqual(expected);
    });
  }
});

/** The pieces of a stream that arrives in reads of `cut` characters. */
function readParts<F extends Form>(reader: Reader<F>, text: string, cut: number): readonly F["piece"][] {
  const readings: (Reading<F["piece"]> | null)[] = [];
  for (let at = 0; at < text.length; at += cut) readings.push(reader.push(text.slice(at, at + cut)));
  readings.push(reader.end());
  for (const reading of readings) if (reading?.broken) throw reading.broken;
  return readings.flatMap((reading) => reading?.pieces ?? []);
}

/** A stream's events but `[DONE]`. The last one completes it. */
function listEvents({ body }: MediaRecording): readonly JsonObject[] {
  return splitEvents(String(body)).flatMap(({ json }) => (json === null ? [] : [json]));
}

function countTokens(usage: unknown): JsonObject {
  const { input_tokens, output_tokens } = asObject(usage);
  return { prompt: input_tokens, completion: output_tokens };
}

/** Fails unless a stream gives these parts in reads of every length, and none of its beginnings counts as whole. */
function expectParts<F extends Form & { readonly usage: WorkUsage }>(
  { body }: MediaRecording,
  makeReader: () => Reader<F>,
  { parts, amounts }: { readonly parts: readonly object[]; readonly amounts: object },
): void {
  const text = String(body);
  const last = splitEvents(text).findLast(({ json }) => json !== null);
  for (let cut = 1; cut <= text.length; cut++) {
    const reader = makeReader();
    const read = readParts(reader, text, cut);
    expect(read).toHaveLength(parts.length);
    expect(read).toMatchObject([...parts]);
    expect(reader.usage?.amounts).toMatchObject(amounts);
    const isWhole = cut >= text.slice(0, last?.end).trimEnd().length;
    if (!isWhole) expect(() => readParts(makeReader(), text.slice(0, cut), cut)).toThrow("incomplete");
  }
}

function keep(field: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(field).filter(([, value]) => typeof value === "string"));
}

/** The request as the client of another provider would send it. */
function requestOf({ request, card }: MediaRecording): JsonObject {
  const { model: _, instances, parameters, ...rest } = request ?? {};
  const prompt = asString(asObject(asArray(instances)[0]).prompt);
  const n = asObject(parameters).sampleCount;
  return {
    ...rest,
    ...(prompt === undefined ? {} : { prompt }),
    ...(n === undefined ? {} : { n }),
    model: card.id,
  };
}

function readImages(recording: MediaRecording) {
  const path = `/v1/images/${recording.api.slice("images-".length)}`;
  const images =
    recording.api === "images-edits" ? { images: [{ image_url: "data:image/png;base64,AAAA" }] } : {};
  return OPENAI_IMAGES.read(
    incoming({ prompt: "x", n: countUnrequested(recording), ...images, ...requestOf(recording) }, path),
  ).ask;
}

function readTranscription({ card }: MediaRecording, format: string) {
  const file = new Attachment("a.wav", "audio/wav", new Uint8Array(8));
  const body = { model: card.id, file, response_format: format };
  return OPENAI_TRANSCRIPTIONS.read(incoming(body, "/v1/audio/transcriptions")).ask;
}

/** The number of pictures in an answer whose request was not recorded. */
function countUnrequested({ request, fields, body }: MediaRecording): number | undefined {
  if (request || fields) return undefined;
  return asArray(asObject(parseJson(String(body))).data).length;
}
