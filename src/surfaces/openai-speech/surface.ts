// OpenAI's speech API: the answer is the sound.
import { Type } from "@sinclair/typebox";
import { asObject, type JsonObject } from "../../core/json.ts";
import {
  SOUND_FORMATS,
  type SpeechForm,
  type SpeechReply,
  type SpeechRequest,
} from "../../operations/speech/form.ts";
import { SPEECH } from "../../operations/speech/operation.ts";
import { checkChoice } from "../bounds.ts";
import { Checker, checkModelName, readFields } from "../checker.ts";
import { writeCost } from "../cost.ts";
import {
  Document,
  type Exchange,
  type Incoming,
  refuseAsOpenai,
  type Surface,
  TRANSLATED_WHOLE,
} from "../surface.ts";
import { writeEvents } from "../text-events.ts";

const INPUT_CHARACTERS_MAX = 100_000;

/** OpenAI API reference, "Create speech". Other servers take longer texts than OpenAI's 4,096 characters. */
export const speechRequestSchema = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 300 }),
    input: Type.String({ minLength: 1, maxLength: INPUT_CHARACTERS_MAX }),
    voice: Type.Optional(
      Type.Union([
        Type.String({ minLength: 1, maxLength: 300 }),
        Type.Object({}, { additionalProperties: true }),
      ]),
    ),
    instructions: Type.Optional(Type.String({ maxLength: INPUT_CHARACTERS_MAX })),
    response_format: Type.Optional(checkChoice(...SOUND_FORMATS)),
    speed: Type.Optional(Type.Number({ minimum: 0.25, maximum: 4 })),
    stream_format: Type.Optional(checkChoice("audio", "sse")),
  },
  { additionalProperties: true },
);

const CHECKER = new Checker(speechRequestSchema);

export const OPENAI_SPEECH: Surface<SpeechForm> = {
  name: "openai-speech",
  family: "openai",
  operation: SPEECH,
  idPrefix: "speech-",
  read({ body }: Incoming): Exchange<SpeechForm> {
    const given = readFields(body);
    CHECKER.check(given, 1);
    checkModelName(given.model);
    const { stream_format, ...rest } = given;
    const write = stream_format === "sse" ? writeStream : writeSound;
    return { ...TRANSLATED_WHOLE, ask: checked(rest), whole: write };
  },
  refuse: refuseAsOpenai,
};

/** The schema was checked: the fields are what its type says. */
function checked(given: JsonObject): SpeechRequest {
  const { model, input, voice, response_format, instructions, speed, ...extras } = given;
  return {
    model,
    input,
    voice,
    format: response_format ?? "mp3",
    instructions,
    speed,
    extras,
  } as SpeechRequest;
}

function writeSound({ sound, type }: SpeechReply): Document {
  return new Document(type, sound);
}

function writeStream({ sound, usage }: SpeechReply): Document {
  const { prompt = 0, completion = 0 } = usage?.amounts ?? {};
  const counts = { input_tokens: prompt, output_tokens: completion, total_tokens: prompt + completion };
  return writeEvents([
    { type: "speech.audio.delta", audio: sound.toBase64() },
    { type: "speech.audio.done", usage: { ...counts, ...writeCost(asObject(usage)) } },
  ]);
}
