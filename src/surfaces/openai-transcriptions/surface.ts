// OpenAI's transcriptions and translations of sound.
import { Type } from "@sinclair/typebox";
import type { JsonObject } from "../../core/json.ts";
import {
  isJsonFormat,
  TRANSCRIPT_FORMATS,
  type TranscriptFormat,
  type TranscriptionForm,
  type TranscriptionReply,
  type TranscriptionRequest,
} from "../../operations/transcription/form.ts";
import { TRANSCRIPTION } from "../../operations/transcription/operation.ts";
import { checkChoice } from "../bounds.ts";
import { Checker, checkModelName, readFields } from "../checker.ts";
import { convertFields, requireFile } from "../form-fields.ts";
import {
  Document,
  type Exchange,
  type Incoming,
  refuseAsOpenai,
  type Surface,
  TRANSLATED,
} from "../surface.ts";
import { makeTranscriptWriter, writeUsage } from "./writer.ts";

const TEXT_CHARACTERS_MAX = 100_000;
const LIST_MAX = 64;

const text = Type.String({ maxLength: TEXT_CHARACTERS_MAX });
const texts = Type.Union([text, Type.Array(text, { maxItems: LIST_MAX })]);

/** OpenAI API reference, "Create transcription"; the file stands beside it. */
export const transcriptionRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 300 }),
    response_format: Type.Optional(checkChoice(...TRANSCRIPT_FORMATS)),
    language: Type.Optional(text),
    prompt: Type.Optional(text),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
    stream: Type.Optional(Type.Boolean()),
    timestamp_granularities: Type.Optional(texts),
    include: Type.Optional(texts),
    chunking_strategy: Type.Optional(text),
  },
  { additionalProperties: texts },
);

const CHECKER = new Checker(transcriptionRequestSchema);
const TRANSLATIONS = /\/audio\/translations$/;

const TYPES: Readonly<Record<Exclude<TranscriptFormat, `${string}json`>, string>> = {
  text: "text/plain; charset=utf-8",
  srt: "text/plain; charset=utf-8",
  vtt: "text/vtt; charset=utf-8",
};

export const OPENAI_TRANSCRIPTIONS: Surface<TranscriptionForm> = {
  name: "openai-transcriptions",
  family: "openai",
  operation: TRANSCRIPTION,
  idPrefix: "trsc-",
  body: "sound",
  read({ url, body, seconds }: Incoming): Exchange<TranscriptionForm> {
    const { file: given, ...fields } = convertFields(readFields(body), {
      temperature: "number",
      stream: "boolean",
    });
    CHECKER.check(fields, 1);
    checkModelName(fields.model);
    const file = requireFile(given, "file");
    const isTranslation = TRANSLATIONS.test(new URL(url).pathname);
    const ask = checked({ ...fields, file, seconds: seconds ?? 0, isTranslation });
    return {
      ...TRANSLATED,
      ask,
      whole: (reply) => writeWhole(reply, ask),
      writer: makeTranscriptWriter,
    };
  },
  refuse: refuseAsOpenai,
};

/** The schema was checked: the fields are what its type says. */
function checked(given: JsonObject): TranscriptionRequest {
  const { model, file, seconds, isTranslation, language, prompt, temperature, ...rest } = given;
  const { response_format, stream, ...extras } = rest;
  const known = { model, file, seconds, isTranslation, language, prompt, temperature, extras };
  const ask = { ...known, format: response_format ?? "json" } as TranscriptionRequest;
  // Translations and texts other than JSON have no streams at OpenAI either.
  return stream === true && !isTranslation && isJsonFormat(ask.format) ? { ...ask, stream } : ask;
}

function writeWhole(
  { content, usage }: TranscriptionReply,
  { format }: TranscriptionRequest,
): JsonObject | Document {
  if (typeof content === "string") return new Document(TYPES[toPlain(format)], content);
  return { ...content, usage: writeUsage(content, usage) };
}

function toPlain(format: TranscriptFormat): keyof typeof TYPES {
  return format === "srt" || format === "vtt" ? format : "text";
}
