// The streams of the media upstream in OpenAI's forms. A model's name selects what happens after its first part.
import { asString } from "../../../src/core/json/json.ts";
import type { MediaCall } from "./upstream.ts";

/** A part to send, a wait for the test, or a break of the connection. */
export type Step = string | Uint8Array | "wait" | "break";

export interface MediaStream {
  readonly type: string;
  readonly steps: readonly Step[];
}

export const DRAFTS = ["ZHJhZnQw", "ZHJhZnQx", "ZHJhZnQy", "ZHJhZnQz", "ZHJhZnQ0"] as const;
export const STREAMED_PICTURE = "cGljdHVyZQ==";
export const STREAMED_USAGE = {
  input_tokens: 14,
  output_tokens: 472,
  total_tokens: 486,
  input_tokens_details: { image_tokens: 4, text_tokens: 10 },
};
export const SPOKEN = [
  new Uint8Array([73, 68, 51, 4, 0, 255]),
  new Uint8Array([0, 10, 13, 128, 200]),
] as const;
/** 25 MB, which are more than 32 MiB in base64. */
const LONG_SOUND = Array.from({ length: 25 }, () => new Uint8Array(1_050_000).fill(7));
export const SPEAKERS = [
  { id: "seg_1", start: 0, end: 1.5, speaker: "A", text: "Hello." },
  { id: "seg_2", start: 1.5, end: 2, speaker: "B", text: " Bye." },
] as const;
export const SPEECH_USAGE = { input_tokens: 3, output_tokens: 42, total_tokens: 45 };
export const WORDS = ["by ", "that ", "confé", "rence."] as const;
export const TRANSCRIPT_USAGE = {
  type: "tokens",
  input_tokens: 37,
  output_tokens: 144,
  total_tokens: 181,
  input_token_details: { text_tokens: 7, audio_tokens: 30 },
};

const EVENTS = "text/event-stream; charset=utf-8";
/** As for a prompt that OpenAI's safety system rejects. */
const BLOCKED = {
  type: "error",
  error: { type: "image_generation_user_error", code: "moderation_blocked", message: "Rejected for safety." },
};
const FAILURE = {
  type: "error",
  error: { type: "server_error", code: "server_error", message: "It broke." },
};

function named(event: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function unnamed(event: object): string {
  return `data: ${JSON.stringify(event)}\r\n\r\n`;
}

/** Inserts the model's step after the first part. */
function interrupt(model: string, [first = "", ...rest]: readonly Step[]): readonly Step[] {
  if (model.endsWith("-slow")) return [first, "wait", ...rest];
  if (model.endsWith("-breaking")) return [first, "wait", "break"];
  if (model.endsWith("-erring")) return [first, named(FAILURE)];
  if (model.endsWith("-ending")) return [first];
  if (model.endsWith("-blocked")) return [named(BLOCKED)];
  return [first, ...rest];
}

function listPictures({ path, body }: MediaCall): readonly Step[] {
  const kind = path.endsWith("/edits") ? "image_edit" : "image_generation";
  const settings = { size: "1024x1024", quality: "low", background: "opaque", output_format: "png" };
  const asked = Number(body.partial_images ?? 0);
  const drafts = asString(body.model)?.endsWith("-flooding") ? DRAFTS : DRAFTS.slice(0, asked);
  return [
    ...drafts.map((b64_json, partial_image_index) =>
      named({
        type: `${kind}.partial_image`,
        b64_json,
        partial_image_index,
        created_at: 1,
        ...settings,
      }),
    ),
    named({
      type: `${kind}.completed`,
      b64_json: STREAMED_PICTURE,
      created_at: 1,
      ...settings,
      usage: STREAMED_USAGE,
    }),
  ];
}

function listWords(): readonly Step[] {
  return [
    ...WORDS.map((delta) => unnamed({ type: "transcript.text.delta", delta })),
    unnamed({ type: "transcript.text.done", text: WORDS.join(""), usage: TRANSCRIPT_USAGE }),
    "data: [DONE]\r\n\r\n",
  ];
}

function listSounds(): readonly Step[] {
  return [
    ...SPOKEN.map((sound) => named({ type: "speech.audio.delta", audio: sound.toBase64() })),
    named({ type: "speech.audio.done", usage: SPEECH_USAGE }),
  ];
}

/** As for a request with `diarized_json`: the last event doesn't repeat the segments. */
function listSpeakers(): readonly Step[] {
  return [
    ...SPEAKERS.map((segment) => unnamed({ type: "transcript.text.segment", ...segment })),
    unnamed({ type: "transcript.text.done", text: "Hello. Bye.", usage: TRANSCRIPT_USAGE }),
    "data: [DONE]\r\n\r\n",
  ];
}

/** Null if it is answered whole. `whisper` ignores a request for a stream, as OpenAI's does. */
export function findStream(call: MediaCall): MediaStream | null {
  const { path, body } = call;
  const model = asString(body.model) ?? "";
  const events = (steps: readonly Step[]) => ({ type: EVENTS, steps: interrupt(model, steps) });
  if (path === "/audio/speech") {
    if (body.stream_format === "sse") return events(listSounds());
    const steps = model.endsWith("-long") ? LONG_SOUND : SPOKEN;
    return { type: "audio/mpeg", steps: interrupt(model, steps) };
  }
  if (String(body.stream) !== "true" || /whisper|silent|plain/.test(model)) return null;
  if (path.startsWith("/images/")) return events(listPictures(call));
  return events(model.endsWith("-speakers") ? listSpeakers() : listWords());
}
