// Speech in OpenAI's form (OpenAI API reference, "Create speech"): the answer is audio or events, or JSON at Mistral.
import { asObject, asString, type JsonObject } from "../../core/json.ts";
import { malformed } from "../../core/upstream.ts";
import type { Codec } from "../../operations/codec.ts";
import { leaveOut } from "../../operations/leave-out.ts";
import { SOUND_TYPES, type SpeechForm, type SpeechReply } from "../../operations/speech/form.ts";
import { makeWholeCodec } from "../../operations/whole.ts";
import { makeCall } from "../_chat/outgoing.ts";
import { decodeSound } from "./media-streams.ts";

interface SpeechQuirks {
  /** True if the answer is JSON with the sound as base64 in `audio_data`. */
  readonly answersJson: boolean;
  /** The models that stream events on request. Null if none does. */
  readonly events: RegExp | null;
  /** Fields that the server doesn't support. */
  readonly refuses: readonly ("instructions" | "speed")[];
}

export const OPENAI_SPEECH: SpeechQuirks = { answersJson: false, events: /^gpt-/, refuses: [] };

/** docs.mistral.ai, "Text to speech"; the answer as recorded. */
export const MISTRAL_SPEECH: SpeechQuirks = {
  answersJson: true,
  events: null,
  refuses: ["instructions", "speed"],
};

export function makeSpeech({ answersJson, events, refuses }: SpeechQuirks): Codec<SpeechForm> {
  return makeWholeCodec({
    fit: (ask) =>
      leaveOut(
        ask,
        refuses.map((field) => [field, field]),
      ),
    encode(ask, card, target) {
      const { input, voice, format, instructions, speed, extras } = ask;
      const given: JsonObject = { instructions, speed };
      if (ask.asEvents && events?.test(card.name)) given.stream_format = "sse";
      const body = { ...extras, model: card.name, input, voice, response_format: format, ...given };
      const answer = answersJson ? "text" : "bytes";
      return { ...makeCall(target, "/audio/speech", body, []), answer };
    },
    decoder: (_card, ask, headers) => decodeSound(ask, headers),
    reply(body, _card, { format }): SpeechReply {
      const type = SOUND_TYPES[format];
      const sound = asString(asObject(body).audio_data);
      if (sound === undefined || sound === "") throw malformed("no sound");
      return { sound: new Uint8Array(Buffer.from(sound, "base64")), type, usage: null };
    },
  });
}
