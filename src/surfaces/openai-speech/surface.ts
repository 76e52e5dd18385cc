// OpenAI's speech API: the answer is the sound.
import { Type } from "@sinclair/typebox";
import { SOUND_FORMATS, SOUND_TYPES, type SpeechForm } from "../../operations/speech/form.ts";
import { SPEECH } from "../../operations/speech/operation.ts";
import { checkChoice, modelName, openObject } from "../bounds.ts";
import { Checker, checkModelName, readFields } from "../checker.ts";
import { Document, type Exchange, type Incoming, OPENAI_FORM, type Surface, TRANSLATED } from "../surface.ts";
import { SOUND_EVENTS, SoundWriter } from "./writer.ts";

const INPUT_CHARACTERS_MAX = 100_000;

/** OpenAI API reference, "Create speech". Other servers take longer texts than OpenAI's 4,096 characters. */
export const speechRequestSchema = openObject({
  model: modelName,
  input: Type.String({ minLength: 1, maxLength: INPUT_CHARACTERS_MAX }),
  voice: Type.Optional(Type.Union([modelName, openObject({})])),
  instructions: Type.Optional(Type.String({ maxLength: INPUT_CHARACTERS_MAX })),
  response_format: Type.Optional(checkChoice(...SOUND_FORMATS)),
  speed: Type.Optional(Type.Number({ minimum: 0.25, maximum: 4 })),
  stream_format: Type.Optional(checkChoice("audio", "sse")),
});

const CHECKER = new Checker(speechRequestSchema);

export const OPENAI_SPEECH: Surface<SpeechForm> = {
  ...OPENAI_FORM,
  name: "openai-speech",
  operation: SPEECH,
  idPrefix: "speech-",
  read({ body }: Incoming): Exchange<SpeechForm> {
    const fields = readFields(body);
    const given = CHECKER.check(fields, "input");
    checkModelName(given.model);
    const { model, input, voice, response_format: format = "mp3", instructions, speed } = given;
    const asEvents = given.stream_format === "sse";
    const extras = CHECKER.listExtras(fields);
    return {
      ...TRANSLATED,
      // Sound is always sent as it comes, so that it plays at once.
      ask: { stream: true, asEvents, model, input, voice, format, instructions, speed, extras },
      whole: ({ sound, type }) => new Document(type, sound),
      writer: () => SOUND_EVENTS,
      ...(asEvents ? {} : { bytes: () => new SoundWriter(SOUND_TYPES[format]) }),
    };
  },
};
