// Streamed images, transcripts and speech, as servers send them (OpenAI API reference, the operations' "Streaming").

import { malformed } from "../../core/faults/malformed.ts";
import { parseReceived } from "../../core/json/bounds.ts";
import { asArray, asCount, asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import type { ServerEvent } from "../../core/models/dialect.ts";
import { NO_AMOUNTS } from "../../core/money/units.ts";
import type { ImagesReply, ImagesRequest, PartialPicture } from "../../operations/images/form.ts";
import { findSoundType } from "../../operations/sound-types.ts";
import {
  countCharacters,
  type SoundPart,
  type SpeechReply,
  type SpeechRequest,
} from "../../operations/speech/form.ts";
import type { TranscriptionReply, TranscriptPart } from "../../operations/transcription/form.ts";
import type { PartDecoder, WholePiece, WholeReply } from "../../operations/whole-form.ts";
import { explainEmbeddedError } from "../_chat/error.ts";
import { nameSpeaker } from "./transcript-formats.ts";

/** The differences between streams of events. */
interface EventHandler<R, P> {
  read(type: string, body: JsonObject): readonly WholePiece<R, P>[];
  /** True once the answer is whole. */
  isWhole(): boolean;
  /** Returns what `[DONE]` completes. Missing if it completes nothing. */
  atDone?(): readonly WholePiece<R, P>[];
}

function makeEventDecoder<R extends WholeReply, P>(handler: EventHandler<R, P>): PartDecoder<R, P> {
  return {
    isEvents: true,
    get done() {
      return handler.isWhole();
    },
    push({ event, data }: ServerEvent) {
      if (data === "[DONE]") return handler.atDone?.() ?? [];
      const body = parseReceived(data);
      if (!isObject(body)) throw malformed("an event is not a JSON object");
      if (body.error || body.type === "error" || event === "error") throw explainEmbeddedError(body);
      return handler.read(asString(body.type) ?? event, body);
    },
    end() {
      if (!handler.isWhole()) throw malformed("the stream ended early");
      return [];
    },
  };
}

/** Passes on at most as many drafts as the client requested, since the hold covers no more. */
export function decodePictures(
  { n, partialImages = 0 }: ImagesRequest,
  readWhole: (body: JsonObject) => ImagesReply,
): PartDecoder<ImagesReply, PartialPicture> {
  let draftsLeft = n * partialImages;
  let picturesLeft = n;
  return makeEventDecoder<ImagesReply, PartialPicture>({
    isWhole: () => picturesLeft <= 0,
    read(type, body) {
      if (type.endsWith(".completed")) {
        picturesLeft--;
        return [{ kind: "reply", reply: readWhole({ ...body, data: [body] }) }];
      }
      if (!type.endsWith(".partial_image") || draftsLeft-- <= 0) return [];
      const { b64_json, partial_image_index, background, output_format, quality, size } = body;
      const data = asString(b64_json);
      if (data === undefined) throw malformed("a partial image has no data");
      const settings = { background, output_format, quality, size };
      return [{ kind: "part", part: { index: asCount(partial_image_index), b64_json: data, settings } }];
    },
  });
}

/** Reads the events of OpenAI and Mistral, and vLLM's chunks, whose last one doesn't repeat the text. */
export function decodeTranscript(
  readWhole: (content: JsonObject) => TranscriptionReply,
): PartDecoder<TranscriptionReply, TranscriptPart> {
  let isWhole = false;
  let text = "";
  let segments = 0;
  let usage: unknown;
  const finish = (content: JsonObject) => {
    if (isWhole) return [];
    isWhole = true;
    return [{ kind: "reply", reply: readWhole(content) } as const];
  };
  const readDelta = (given: unknown, extras: JsonObject) => {
    const delta = asString(given);
    if (delta === undefined) throw malformed("a piece of the transcript has no text");
    text += delta;
    return delta === "" ? [] : [{ kind: "part", part: { kind: "delta", delta, extras } } as const];
  };
  return makeEventDecoder<TranscriptionReply, TranscriptPart>({
    isWhole: () => isWhole,
    atDone: () => finish(usage === undefined ? { text } : { text, usage }),
    read(type, { type: _type, ...body }) {
      switch (type.replace(/^transcript(ion)?\./, "")) {
        case "text.delta": {
          const { delta, text: piece, ...extras } = body;
          return readDelta(delta ?? piece, extras);
        }
        case "text.segment":
        case "segment":
          return [{ kind: "part", part: { kind: "segment", segment: nameSpeaker(body, segments++) } }];
        case "text.done":
        case "done":
          return finish(body);
        case "":
          usage = body.usage ?? usage;
          return readDelta(asObject(asObject(asArray(body.choices)[0]).delta).content ?? "", {});
        default:
          return [];
      }
    },
  });
}

/** Reads the bytes of the sound, or events if the headers announce them. */
export function decodeSound(
  { input, format }: SpeechRequest,
  headers: Headers | undefined,
): PartDecoder<SpeechReply, SoundPart> {
  const given = headers?.get("content-type") ?? "";
  const type = given.startsWith("audio/") ? given : findSoundType(format);
  let isWhole = false;
  let hasSound = false;
  const readSound = (bytes: Buffer<ArrayBuffer>) => {
    hasSound ||= bytes.length > 0;
    const sound = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    return bytes.length === 0 ? [] : [{ kind: "part", part: { sound, type } } as const];
  };
  if (!/^text\/event-stream\b/i.test(given)) {
    return {
      isEvents: false,
      done: false,
      push: ({ data }) => readSound(Buffer.from(data, "latin1")),
      end() {
        if (!hasSound) throw malformed("no sound");
        return [];
      },
    };
  }
  return makeEventDecoder<SpeechReply, SoundPart>({
    isWhole: () => isWhole && hasSound,
    read(kind, { audio, usage }) {
      if (kind === "speech.audio.delta") return readSound(Buffer.from(asString(audio) ?? "", "base64"));
      isWhole ||= kind === "speech.audio.done";
      if (kind !== "speech.audio.done" || !isObject(usage)) return [];
      const completion = asCount(usage.output_tokens);
      const tokens = { prompt: asCount(usage.input_tokens), completion, outputAudio: completion };
      const amounts = { ...NO_AMOUNTS, ...tokens, characters: countCharacters(input) };
      return [{ kind: "usage", usage: { amounts } }];
    },
  });
}
