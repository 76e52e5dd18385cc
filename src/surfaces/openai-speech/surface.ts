// OpenAI's speech API: the answer is the sound.
import { Type } from "@sinclair/typebox";
import type { JsonObject } from "../../core/json.ts";
import {
  SOUND_FORMATS,
  SOUND_TYPES,
  type SpeechForm,
  type SpeechRequest,
} from "../../operations/speech/form.ts";
import { SPEECH } from "../../operations/speech/operation.ts";
import { checkChoice } from "../bounds.ts";
import { Checker, checkModelName, readFields } from "../checker.ts";
import {
  Document,
  type Exchange,
  type Incoming,
  refuseAsOpenai,
  type Surface,
  TRANSLATED,
} from "../surface.ts";
import { SOUND_EVENTS, SoundWriter } from "./writer.ts";

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
    const ask = checked(given);
    return {
      ...TRANSLATED,
      ask,
      whole: ({ sound, type }) => new Document(type, sound),
      writer: () => SOUND_EVENTS,
      ...(ask.asEvents ? {} : { bytes: () => new SoundWriter(SOUND_TYPES[ask.format]) }),
    };
  },
  refuse: refuseAsOpenai,
};

/** The schema was checked: the fields are what its type says. Sound is always sent as it comes, so that it plays at once. */
function checked(given: JsonObject): SpeechRequest {
  const { model, input, voice, response_format, instructions, speed, stream_format, ...extras } = given;
  return {
    stream: true,
    asEvents: stream_format === "sse",
    model,
    input,
    voice,
    format: response_format ?? "mp3",
    instructions,
    speed,
    extras,
  } as SpeechRequest;
}
