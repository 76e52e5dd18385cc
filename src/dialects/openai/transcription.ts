// Transcriptions in OpenAI's form, as at Groq, Mistral, local servers (OpenAI API reference, "Create transcription").
import type { FormEntry } from "../../core/attachment.ts";
import { asCount, asObject, isObject, type JsonObject } from "../../core/json.ts";
import { parseBounded, REQUEST_SHAPE } from "../../core/json-bounds.ts";
import { NO_AMOUNTS } from "../../core/units.ts";
import { malformed } from "../../core/upstream.ts";
import type { Codec } from "../../operations/codec.ts";
import {
  countTranscriptElements,
  isJsonFormat,
  type TranscriptionForm,
  type TranscriptionReply,
  type TranscriptionRequest,
} from "../../operations/transcription/form.ts";
import { makeWholeCodec } from "../../operations/whole.ts";
import type { WorkUsage } from "../../operations/whole-form.ts";
import { makeCall, passExtras } from "../_chat/outgoing.ts";
import { decodeTranscript } from "./media-streams.ts";

interface TranscriptionQuirks {
  /** True for servers that stream transcripts. */
  readonly streams: boolean;
  /** Fields outside the form that the server documents. The rest are left out and named. */
  readonly passes: readonly string[];
}

/** OpenAI API reference, "Create transcription". */
export const OPENAI_TRANSCRIPTION: TranscriptionQuirks = {
  streams: true,
  passes: [
    ...["chunking_strategy", "include", "keywords", "known_speaker_names", "known_speaker_references"],
    ...["languages", "timestamp_granularities"],
  ],
};

/** docs.mistral.ai, "Audio transcriptions". */
export const MISTRAL_TRANSCRIPTION: TranscriptionQuirks = {
  streams: true,
  passes: ["context_bias", "diarize", "timestamp_granularities"],
};

/** console.groq.com/docs/speech-to-text: transcripts are not streamed. */
export const GROQ_TRANSCRIPTION: TranscriptionQuirks = {
  streams: false,
  passes: ["timestamp_granularities"],
};

export function makeTranscription({ streams, passes }: TranscriptionQuirks): Codec<TranscriptionForm> {
  return makeWholeCodec({
    encode(ask, card, target) {
      const path = ask.isTranslation ? "/audio/translations" : "/audio/transcriptions";
      const { fields, dropped } = passExtras(ask.extras, passes, target);
      const form = makeForm(ask, fields, card.name, streams && ask.stream === true);
      return { ...makeCall(target, path, {}, dropped), form };
    },
    decoder: () => decodeTranscript(readContent),
    reply: (body, _card, ask) => readTranscript(String(body), ask),
  });
}

/** The file comes last, so that servers that stream the form already know its parameters. */
function makeForm(
  ask: TranscriptionRequest,
  extras: JsonObject,
  model: string,
  isStreamed: boolean,
): readonly FormEntry[] {
  const { file, language, prompt, temperature, format } = ask;
  const given = { model, response_format: format, language, prompt, temperature };
  const fields: JsonObject = { ...extras, ...given, ...(isStreamed ? { stream: true } : {}) };
  const entries = Object.entries(fields).flatMap(([name, value]): readonly FormEntry[] => {
    if (value === undefined) return [];
    if (!Array.isArray(value)) return [[name, String(value)]];
    return value.map((one) => [`${name}[]`, String(one)]);
  });
  return [...entries, ["file", file]];
}

function readTranscript(text: string, ask: TranscriptionRequest): TranscriptionReply {
  if (!isJsonFormat(ask.format)) return { content: text, usage: null };
  return readContent(parseBounded(text, { ...REQUEST_SHAPE, elements: countTranscriptElements(ask) }));
}

function readContent(content: unknown): TranscriptionReply {
  if (!isObject(content) || typeof content.text !== "string") throw malformed("no transcript");
  return { content, usage: readUsage(content) };
}

/** Three forms: tokens, seconds (OpenAI), and both together (Mistral). A verbose transcript also reports its length. */
function readUsage({ usage, duration }: JsonObject): WorkUsage | null {
  const given = asObject(usage);
  const seconds = asCount(given.seconds ?? given.prompt_audio_seconds ?? ceil(duration));
  const prompt = asCount(given.input_tokens ?? given.prompt_tokens);
  const completion = asCount(given.output_tokens ?? given.completion_tokens);
  if (seconds + prompt + completion === 0) return null;
  const details = asObject(given.input_token_details ?? given.input_tokens_details);
  const inputAudio = Math.min(prompt, asCount(details.audio_tokens));
  return { amounts: { ...NO_AMOUNTS, seconds, prompt, inputAudio, completion } };
}

function ceil(seconds: unknown): number {
  return typeof seconds === "number" ? Math.ceil(seconds) : 0;
}
