// Speech in OpenAI's form (OpenAI API reference, "Create speech"): the answer is audio or events, or JSON at Mistral.
import { malformed } from "../../core/faults/malformed.ts";
import { asObject, asString, type JsonObject } from "../../core/json/json.ts";
import type { Codec } from "../../operations/codec.ts";
import { leaveOut } from "../../operations/leave-out.ts";
import { findSoundType } from "../../operations/sound-types.ts";
import type { SpeechForm, SpeechReply } from "../../operations/speech/form.ts";
import { makeWholeCodec } from "../../operations/whole.ts";
import { makeCall, passExtras } from "../_chat/outgoing.ts";
import { decodeSound } from "./media-streams.ts";

interface SpeechQuirks {
  /** True if the answer is JSON with the sound as base64 in `audio_data`. */
  readonly answersJson: boolean;
  /** The models that stream events on request. Null if none does. */
  readonly events: RegExp | null;
  /** Fields of the form that the server doesn't support. */
  readonly refuses: readonly ("instructions" | "speed")[];
  /** Other fields that it documents. The rest are left out and named. */
  readonly passes: readonly string[];
}

export const OPENAI_SPEECH: SpeechQuirks = {
  answersJson: false,
  events: /^gpt-/,
  refuses: [],
  passes: [],
};

/** docs.mistral.ai, "Text to speech"; the answer as recorded. */
export const MISTRAL_SPEECH: SpeechQuirks = {
  answersJson: true,
  events: null,
  refuses: ["instructions", "speed"],
  passes: [],
};

export function makeSpeech({ answersJson, events, refuses, passes }: SpeechQuirks): Codec<SpeechForm> {
  return makeWholeCodec({
    fit: (ask) =>
      leaveOut(
        ask,
        refuses.map((field) => [field, field]),
      ),
    encode(ask, card, target) {
      const { input, voice, format, instructions, speed, extras } = ask;
      const given: JsonObject = { instructions, speed };
      const passed = passExtras(extras, passes, target);
      if (ask.asEvents && events?.test(card.name)) given.stream_format = "sse";
      const body = { ...passed.fields, model: card.name, input, voice, response_format: format, ...given };
      const answer = answersJson ? "text" : "bytes";
      return { ...makeCall(target, "/audio/speech", body, passed.dropped), answer };
    },
    decoder: (_card, ask, headers) => decodeSound(ask, headers),
    reply(body, _card, { format }): SpeechReply {
      const type = findSoundType(format);
      const sound = asString(asObject(body).audio_data);
      if (sound === undefined || sound === "") throw malformed("no sound");
      return { sound: new Uint8Array(Buffer.from(sound, "base64")), type, usage: null };
    },
  });
}
