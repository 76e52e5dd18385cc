// Transcriptions in OpenAI's form, as at Groq, Mistral, local servers (OpenAI API reference, "Create transcription").

import { malformed } from "../../core/faults/malformed.ts";
import { parseBounded, REQUEST_SHAPE } from "../../core/json/bounds.ts";
import { asCount, asObject, isObject, type JsonObject } from "../../core/json/json.ts";
import type { FormEntry } from "../../core/models/attachment.ts";
import { NO_AMOUNTS } from "../../core/money/units.ts";
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
import {
  type AskedFormat,
  type ChooseFormat,
  chooseForAnyServer,
  chooseForAzure,
  chooseForGroq,
  chooseForMistral,
  chooseForOpenai,
  writeTranscript,
} from "./transcript-formats.ts";

interface TranscriptionQuirks {
  /** True for servers that stream transcripts. */
  readonly streams: boolean;
  /** Fields that make a stream report its usage. */
  readonly streamFields?: Readonly<JsonObject>;
  /** Fields outside the form that the server documents. The rest are left out and named. */
  readonly passes: readonly string[];
  readonly choose: ChooseFormat;
}

/** OpenAI API reference, "Create transcription". */
export const OPENAI_TRANSCRIPTION: TranscriptionQuirks = {
  streams: true,
  passes: [
    "chunking_strategy",
    "include",
    "keywords",
    "known_speaker_names",
    "known_speaker_references",
    "languages",
    "timestamp_granularities",
  ],
  choose: chooseForOpenai,
};

export const AZURE_TRANSCRIPTION: TranscriptionQuirks = { ...OPENAI_TRANSCRIPTION, choose: chooseForAzure };

/** Any of the operator's own servers. */
export const PLAIN_TRANSCRIPTION: TranscriptionQuirks = {
  ...OPENAI_TRANSCRIPTION,
  choose: chooseForAnyServer,
};

/** docs.vllm.ai, "Transcriptions API": a stream reports its tokens if asked to. */
export const VLLM_TRANSCRIPTION: TranscriptionQuirks = {
  ...PLAIN_TRANSCRIPTION,
  streamFields: { stream_include_usage: true },
};

/** docs.mistral.ai, "Audio transcriptions". */
export const MISTRAL_TRANSCRIPTION: TranscriptionQuirks = {
  streams: true,
  passes: ["context_bias", "diarize", "timestamp_granularities"],
  choose: chooseForMistral,
};

/** console.groq.com/docs/speech-to-text: transcripts are not streamed. */
export const GROQ_TRANSCRIPTION: TranscriptionQuirks = {
  streams: false,
  passes: ["timestamp_granularities"],
  choose: chooseForGroq,
};

export function makeTranscription(quirks: TranscriptionQuirks): Codec<TranscriptionForm> {
  return makeWholeCodec({
    encode(ask, card, target) {
      const path = ask.isTranslation ? "/audio/translations" : "/audio/transcriptions";
      const { fields: extras, dropped } = passExtras(ask.extras, quirks.passes, target);
      const asked = quirks.choose(ask, card.name);
      const isStreamed = quirks.streams && ask.stream === true;
      const streamFields = isStreamed ? { ...quirks.streamFields, stream: true } : {};
      const form = makeForm(ask, extras, card.name, { ...asked.fields, ...streamFields });
      return { ...makeCall(target, path, {}, [...dropped, ...asked.dropped]), form };
    },
    decoder: () => decodeTranscript(readContent),
    reply: (body, card, ask) => readTranscript(String(body), ask, quirks.choose(ask, card.name)),
  });
}

/** The file comes last, so that servers that stream the form already know its parameters. */
function makeForm(
  { file, language, prompt, temperature }: TranscriptionRequest,
  extras: JsonObject,
  model: string,
  others: Readonly<JsonObject>,
): readonly FormEntry[] {
  const given = { model, language, prompt, temperature };
  const fields: JsonObject = { ...extras, ...given, ...others };
  const entries = Object.entries(fields).flatMap(([name, value]): readonly FormEntry[] => {
    if (value === undefined) return [];
    if (!Array.isArray(value)) return [[name, String(value)]];
    return value.map((one) => [`${name}[]`, String(one)]);
  });
  return [...entries, ["file", file]];
}

/** Text that isn't JSON is in the client's own format, from a server that knows no other or had to be asked for it. */
function readTranscript(text: string, ask: TranscriptionRequest, asked: AskedFormat): TranscriptionReply {
  const parsed = parseBounded(text, { ...REQUEST_SHAPE, elements: countTranscriptElements(ask) });
  if (!isJsonFormat(ask.format) && !isObject(parsed)) return { content: text, usage: null };
  const content = requireText(parsed);
  const usage = readUsage(content);
  return { content: writeTranscript(content, ask, asked, usage?.amounts.seconds ?? 0), usage };
}

function readContent(value: unknown): TranscriptionReply {
  const content = requireText(value);
  return { content, usage: readUsage(content) };
}

function requireText(content: unknown): JsonObject & { readonly text: string } {
  if (!isObject(content) || typeof content.text !== "string") throw malformed("no transcript");
  return { ...content, text: content.text };
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
