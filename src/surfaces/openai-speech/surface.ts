// OpenAI's speech API: the answer is sound as it arrives, as raw bytes or events.
import { Type } from "@sinclair/typebox";
import { asObject } from "../../core/json/json.ts";
import { findSoundType } from "../../operations/sound-types.ts";
import { findSound, SOUND_FORMATS, type SpeechForm } from "../../operations/speech/form.ts";
import { SPEECH } from "../../operations/speech/operation.ts";
import { checkChoice, modelName, openObject } from "../bounds.ts";
import { writeCost } from "../cost.ts";
import { makePieceWriter, typedEvent } from "../event-stream.ts";
import { explainShared, refuseField } from "../lane.ts";
import { makeOpenAiSurface } from "../openai-surface.ts";
import { type ByteWriter, Document, type Surface } from "../surface.ts";

const INPUT_CHARACTERS_MAX = 100_000;

/** OpenAI API reference, "Create speech". Other servers accept texts longer than OpenAI's 4,096 characters. */
export const speechRequestSchema = openObject({
  model: modelName,
  input: Type.String({ minLength: 1, maxLength: INPUT_CHARACTERS_MAX }),
  voice: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 300 }), openObject({})])),
  instructions: Type.Optional(Type.String({ maxLength: INPUT_CHARACTERS_MAX })),
  response_format: Type.Optional(checkChoice(...SOUND_FORMATS)),
  speed: Type.Optional(Type.Number({ minimum: 0.25, maximum: 4 })),
  stream_format: Type.Optional(checkChoice("audio", "sse")),
});

export const OPENAI_SPEECH: Surface<SpeechForm> = makeOpenAiSurface({
  name: "openai-speech",
  operation: SPEECH,
  idPrefix: "speech-",
  schema: speechRequestSchema,
  list: "input",
  read(given, extras) {
    const { model, input, voice, response_format: format = "mp3", instructions, speed } = given;
    if (asObject(voice).id !== undefined) throw refuseField("voice.id", explainShared("A voice"));
    const asEvents = given.stream_format === "sse";
    return {
      // Sound is always streamed, so that it plays at once.
      ask: { stream: true, asEvents, model, input, voice, format, instructions, speed, extras },
      whole: ({ sound, type }) => new Document(type, sound),
      writer: () => SOUND_EVENTS,
      ...(asEvents ? {} : { bytes: () => makeSoundWriter(findSoundType(format)) }),
    };
  },
});

type SpeechPiece = SpeechForm["piece"];

/** Writes the sound's raw bytes as they arrive. `usual` is the requested media type. */
function makeSoundWriter(usual: string): ByteWriter<SpeechPiece> {
  return {
    keepAlive: null,
    readType: (first) =>
      first.map((piece) => findSound(piece)?.type).find((type) => type !== undefined) ?? usual,
    write(pieces) {
      const sounds = pieces.flatMap((piece) => findSound(piece)?.sound ?? []);
      const [only] = sounds;
      return only && sounds.length === 1 ? only : new Uint8Array(Buffer.concat(sounds));
    },
    end: () => "",
    fail: () => null,
  };
}

/** OpenAI's events, with the sound in base64. */
const SOUND_EVENTS = makePieceWriter(writePiece);

function writePiece(piece: SpeechPiece): string {
  if (piece.kind !== "usage") {
    const audio = findSound(piece)?.sound.toBase64() ?? "";
    return typedEvent({ type: "speech.audio.delta", audio });
  }
  const { prompt, completion } = piece.usage.amounts;
  const counts = { input_tokens: prompt, output_tokens: completion, total_tokens: prompt + completion };
  return typedEvent({ type: "speech.audio.done", usage: { ...counts, ...writeCost(piece.usage) } });
}
