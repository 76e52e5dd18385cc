// Speech in OpenAI's form (OpenAI API reference, "Create speech"): the answer is the sound itself, or at Mistral JSON with it.
import { asObject, asString, type JsonObject } from "../../core/json.ts";
import { garbled } from "../../core/upstream.ts";
import type { Codec } from "../../operations/codec.ts";
import { SOUND_TYPES, type SpeechForm, type SpeechReply } from "../../operations/speech/form.ts";
import { makeWholeCodec } from "../../operations/whole.ts";
import { makeBearerHeaders } from "../_chat/outgoing.ts";

export interface SpeechQuirks {
  /** The answer is JSON with the sound as base64 in `audio_data`. */
  readonly answersJson: boolean;
  /** Fields that the server doesn't have. */
  readonly refuses: readonly ("instructions" | "speed")[];
}

export const OPENAI_SPEECH: SpeechQuirks = { answersJson: false, refuses: [] };

/** docs.mistral.ai, "Text to speech"; the answer as recorded. */
export const MISTRAL_SPEECH: SpeechQuirks = { answersJson: true, refuses: ["instructions", "speed"] };

export function makeSpeech({ answersJson, refuses }: SpeechQuirks): Codec<SpeechForm> {
  return makeWholeCodec({
    encode(ask, card, target) {
      const { input, voice, format, instructions, speed, extras } = ask;
      const given: JsonObject = { instructions, speed };
      const dropped = refuses.filter((field) => given[field] !== undefined);
      for (const field of dropped) delete given[field];
      const body = { ...extras, model: card.name, input, voice, response_format: format, ...given };
      return {
        url: `${target.baseUrl}/audio/speech`,
        headers: makeBearerHeaders(target),
        body,
        answer: answersJson ? "text" : "bytes",
        dropped,
      };
    },
    reply(body, _card, { format }, headers): SpeechReply {
      const type = SOUND_TYPES[format];
      if (body instanceof Uint8Array) {
        if (body.length === 0) throw garbled("no sound");
        const given = headers.get("content-type") ?? "";
        return { sound: new Uint8Array(body), type: given.startsWith("audio/") ? given : type, usage: null };
      }
      const sound = asString(asObject(body).audio_data);
      if (sound === undefined || sound === "") throw garbled("no sound");
      return { sound: new Uint8Array(Buffer.from(sound, "base64")), type, usage: null };
    },
  });
}
