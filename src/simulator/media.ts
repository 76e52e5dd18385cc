// Images, speech, transcripts and legacy completions from OpenAI's side: small answers computed from the request alone.
import { asNumber, asObject, asString, type JsonObject } from "../core/json/json.ts";
import { renderDataEvent, renderTypedEvent } from "./formats.ts";
import { countTokens } from "./responder.ts";
import { type Frame, RawContent, type WholeForm, type WholeRequest } from "./types.ts";

/** A PNG image of one pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/** The tokens of a square image of low quality (OpenAI, "Image generation"). */
const PICTURE_TOKENS = 272;
const SOURCE_TOKENS = 200;

function countSources(value: unknown): number {
  return value === undefined ? 0 : Array.isArray(value) ? value.length : 1;
}

const EVENTS = "text/event-stream; charset=utf-8";
const DRAFTS_MAX = 3;
/** The tokens of each partial image (OpenAI, "Image generation"). */
const DRAFT_TOKENS = 100;

/** In forms, `stream` is a string. */
function isStreamed({ body }: WholeRequest): boolean {
  return body.stream === true || body.stream === "true";
}

function renderPictureEvents(
  kind: string,
  drafts: number,
  data: readonly object[],
  usage: object,
): RawContent {
  const head = { created_at: 1_767_225_600, size: "1024x1024", quality: "low", background: "opaque" };
  const render = (type: string, fields: object) =>
    renderTypedEvent(`${kind}.${type}`, { ...fields, ...head, output_format: "png" });
  const frames = data.flatMap((picture): readonly Frame[] => [
    ...Array.from({ length: drafts }, (_, partial_image_index): Frame => {
      return { kind: "delta", text: render("partial_image", { ...picture, partial_image_index }) };
    }),
    { kind: "end", text: render("completed", { ...picture, ...usage }) },
  ]);
  return new RawContent(EVENTS, frames);
}

function renderImages(request: WholeRequest): JsonObject | RawContent {
  const { body, tokens, hasUsage } = request;
  const streamed = isStreamed(request);
  const drafts = streamed ? Math.min(Number(body.partial_images ?? 0), DRAFTS_MAX) : 0;
  const count = streamed ? 1 : Math.min(Number(body.n ?? 1), 10);
  const text = tokens ?? countTokens(String(body.prompt));
  const image = SOURCE_TOKENS * (countSources(body.image) + countSources(body.images));
  const output = (PICTURE_TOKENS + DRAFT_TOKENS * drafts) * count;
  const usage = {
    input_tokens: text + image,
    input_tokens_details: { text_tokens: text, image_tokens: image },
    output_tokens: output,
    total_tokens: text + image + output,
  };
  const data = Array.from({ length: count }, () => ({ b64_json: PIXEL }));
  const counted = hasUsage ? { usage } : {};
  const kind = image > 0 ? "image_edit" : "image_generation";
  if (streamed) return renderPictureEvents(kind, drafts, data, counted);
  return { created: 1_767_225_600, data, ...counted };
}

const IMAGES: WholeForm = { path: /^\/images\/(generations|edits)$/, render: renderImages };

const SAMPLES_PER_SECOND = 8000;
const CHARACTERS_PER_SECOND = 15;
const SECONDS_MAX = 60;
/** The bytes of a WAV header after its size field. */
const HEAD_BYTES = 36;

const writeShort = (value: number) => Buffer.from(Uint16Array.of(value).buffer);
const writeLong = (value: number) => Buffer.from(Uint32Array.of(value).buffer);

/** Renders silence that lasts as long as speaking the text (WAV, 8 bits, mono). */
function renderSilence(text: string): Buffer {
  const seconds = Math.min(Math.ceil(text.length / CHARACTERS_PER_SECOND), SECONDS_MAX);
  const samples = seconds * SAMPLES_PER_SECOND;
  const one = writeShort(1);
  const rate = writeLong(SAMPLES_PER_SECOND);
  const format = [Buffer.from("WAVEfmt "), writeLong(16), one, one, rate, rate, one, writeShort(8)];
  const data = [Buffer.from("data"), writeLong(samples), Buffer.alloc(samples, 128)];
  return Buffer.concat([Buffer.from("RIFF"), writeLong(HEAD_BYTES + samples), ...format, ...data]);
}

/** Half a second of sound per piece. */
const SOUND_BYTES = 4096;
const SOUND_TOKENS_PER_SECOND = 20;

function renderSound({ body, hasUsage, tokens }: WholeRequest): RawContent {
  const sound = renderSilence(String(body.input));
  const pieces = Array.from({ length: Math.ceil(sound.length / SOUND_BYTES) }, (_, at) =>
    sound.subarray(at * SOUND_BYTES, (at + 1) * SOUND_BYTES),
  );
  if (body.stream_format !== "sse") {
    const frames = pieces.map((piece): Frame => ({ kind: "delta", text: piece.toString("latin1") }));
    return new RawContent("audio/wav", frames);
  }
  const input = tokens ?? countTokens(String(body.input));
  const output = Math.ceil((sound.length / SAMPLES_PER_SECOND) * SOUND_TOKENS_PER_SECOND);
  const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
  return new RawContent(EVENTS, [
    ...pieces.map((piece): Frame => {
      return {
        kind: "delta",
        text: renderTypedEvent("speech.audio.delta", { audio: piece.toString("base64") }),
      };
    }),
    { kind: "end", text: renderTypedEvent("speech.audio.done", hasUsage ? { usage } : {}) },
  ]);
}

const SPEECH: WholeForm = { path: /^\/audio\/speech$/, render: renderSound };

const BYTES_PER_SECOND = 4000;

/** Streams a transcript word by word. */
function renderWords(text: string, usage: object): RawContent {
  return new RawContent(EVENTS, [
    ...(text.match(/\s*\S+/g) ?? []).map((delta): Frame => {
      return { kind: "delta", text: renderDataEvent({ type: "transcript.text.delta", delta }) };
    }),
    { kind: "finish", text: renderDataEvent({ type: "transcript.text.done", text, ...usage }) },
    { kind: "end", text: "data: [DONE]\n\n" },
  ]);
}

function renderTranscript(request: WholeRequest): JsonObject | RawContent {
  const { body, hasUsage } = request;
  const { filename, bytes } = asObject(body.file);
  const seconds = Math.ceil((asNumber(bytes) ?? 0) / BYTES_PER_SECOND);
  const text = `This is what was said in ${asString(filename) ?? "nothing"}.`;
  const end = `00:00:${String(Math.min(seconds, 59)).padStart(2, "0")}`;
  switch (body.response_format) {
    case "text":
      return new RawContent("text/plain; charset=utf-8", `${text}\n`);
    case "srt":
      return new RawContent("text/plain; charset=utf-8", `1\n00:00:00,000 --> ${end},000\n${text}\n`);
    case "vtt":
      return new RawContent("text/vtt; charset=utf-8", `WEBVTT\n\n00:00:00.000 --> ${end}.000\n${text}\n`);
    default: {
      const verbose =
        body.response_format === "verbose_json"
          ? { duration: seconds, language: "english", segments: [{ id: 0, start: 0, end: seconds, text }] }
          : {};
      const usage = hasUsage ? { usage: { type: "duration", seconds } } : {};
      return isStreamed(request) ? renderWords(text, usage) : { text, ...verbose, ...usage };
    }
  }
}

const TRANSCRIPTIONS: WholeForm = {
  path: /^\/audio\/(transcriptions|translations)$/,
  render: renderTranscript,
};

/** Legacy completions. A stream has the whole text in one event. */
const COMPLETIONS: WholeForm = {
  path: /^\/completions$/,
  render(request) {
    const { body, model, hasUsage, id } = request;
    const prompts: readonly unknown[] = Array.isArray(body.prompt) ? body.prompt : [body.prompt];
    const count = prompts.length * (asNumber(body.n) ?? 1);
    const text = body.suffix === undefined ? " and so on." : " and so on, up to";
    const rest = { logprobs: null, finish_reason: "stop" };
    const choices = Array.from({ length: count }, (_, index) => ({ text, index, ...rest }));
    const prompt = request.tokens ?? prompts.reduce<number>((sum, one) => sum + countTokens(String(one)), 0);
    const completion = count * countTokens(text);
    const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
    const head = { id: `cmpl-${id("cmpl", 24)}`, object: "text_completion", created: 1_767_225_600, model };
    const whole = { ...head, choices, ...(hasUsage ? { usage } : {}) };
    if (body.stream !== true) return whole;
    const isAsked = hasUsage && asObject(body.stream_options).include_usage === true;
    const events = [{ ...head, choices }, ...(isAsked ? [{ ...head, choices: [], usage }] : [])];
    const stream = `${events.map(renderDataEvent).join("")}data: [DONE]\n\n`;
    return new RawContent("text/event-stream; charset=utf-8", stream);
  },
};

/** All that OpenAI serves beyond chat and vectors. */
export const OPENAI_MEDIA: readonly WholeForm[] = [IMAGES, SPEECH, TRANSCRIPTIONS, COMPLETIONS];

const BOUNDARY = /boundary="?([^";\s]+)"?/i;
const PART =
  /^\r\ncontent-disposition: form-data; name="([^"]*)"(?:; filename="([^"]*)")?[^\r]*\r\n(?:[^\r]+\r\n)*\r\n([\s\S]*)\r\n$/i;

/** Returns a form's fields; files become their names and sizes in characters. Undefined if the body isn't a form. */
export function readForm(type: string, body: string): JsonObject | undefined {
  const boundary = BOUNDARY.exec(type)?.[1];
  if (!type.startsWith("multipart/form-data") || boundary === undefined) return undefined;
  const fields: Record<string, unknown> = {};
  for (const part of body.split(`--${boundary}`).slice(1, -1)) {
    const [, name = "", filename, content = ""] = PART.exec(part) ?? [];
    const value = filename === undefined ? content : { filename, bytes: content.length };
    const field = name.replace(/\[\]$/, "");
    const before = fields[field];
    fields[field] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value];
  }
  return fields;
}
