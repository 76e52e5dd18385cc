// OpenAI's transcriptions and translations of audio.
import { Type } from "@sinclair/typebox";
import {
  isJsonFormat,
  TRANSCRIPT_FORMATS,
  type TranscriptFormat,
  type TranscriptionForm,
  type TranscriptionRequest,
} from "../../operations/transcription/form.ts";
import { TRANSCRIPTION } from "../../operations/transcription/operation.ts";
import { checkChoice, modelName } from "../bounds.ts";
import { Checker, checkModelName, readFields } from "../checker.ts";
import { convertFields, requireFile } from "../form-fields.ts";
import { Document, type Exchange, type Incoming, OPENAI_FORM, type Surface, TRANSLATED } from "../surface.ts";
import { makeTranscriptWriter, writeUsage } from "./writer.ts";

const TEXT_CHARACTERS_MAX = 100_000;
const LIST_MAX = 64;

const text = Type.String({ maxLength: TEXT_CHARACTERS_MAX });
const texts = Type.Union([text, Type.Array(text, { maxItems: LIST_MAX })]);

/** OpenAI API reference, "Create transcription"; the file is read separately. */
export const transcriptionRequestSchema = Type.Object(
  {
    model: modelName,
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

const NUMBERS = { temperature: "number", stream: "boolean" } as const;
const TYPES: Readonly<Record<Exclude<TranscriptFormat, `${string}json`>, string>> = {
  text: "text/plain; charset=utf-8",
  srt: "text/plain; charset=utf-8",
  vtt: "text/vtt; charset=utf-8",
};

export const OPENAI_TRANSCRIPTIONS: Surface<TranscriptionForm> = {
  ...OPENAI_FORM,
  name: "openai-transcriptions",
  operation: TRANSCRIPTION,
  idPrefix: "trsc-",
  fields: new Set([...Object.keys(transcriptionRequestSchema.properties), "file"]),
  body: "form",
  read({ url, body }: Incoming): Exchange<TranscriptionForm> {
    const { file, ...fields } = convertFields(readFields(body), NUMBERS);
    const given = CHECKER.check(fields, "model");
    checkModelName(given.model);
    const { model, language, prompt, temperature, stream, ...others } = given;
    const { response_format: format = "json", ...extras } = others;
    const isTranslation = TRANSLATIONS.test(new URL(url).pathname);
    // OpenAI doesn't stream translations or formats other than JSON either.
    const isStreamed = stream === true && !isTranslation && isJsonFormat(format);
    const ask: TranscriptionRequest = {
      model,
      file: requireFile(file, "file"),
      isTranslation,
      language,
      prompt,
      temperature,
      extras,
      format,
      ...(isStreamed ? { stream: true } : {}),
    };
    return {
      ...TRANSLATED,
      ask,
      whole: ({ content, usage }) =>
        typeof content === "string"
          ? new Document(TYPES[toPlain(format)], content)
          : { ...content, usage: writeUsage(content, usage) },
      writer: makeTranscriptWriter,
    };
  },
};

function toPlain(format: TranscriptFormat): keyof typeof TYPES {
  return format === "srt" || format === "vtt" ? format : "text";
}
