// The types of the speech operation: turns text into audio.
import type { JsonObject } from "../../core/json/json.ts";
import type { OpenAsk } from "../form.ts";
import type { WholeReply, WholeReplyForm } from "../whole-form.ts";

export const SOUND_FORMATS = ["mp3", "opus", "aac", "flac", "wav", "pcm"] as const;
export type SoundFormat = (typeof SOUND_FORMATS)[number];

export interface SpeechRequest extends OpenAsk {
  readonly input: string;
  /** A name, or an object that names a provider's voice. */
  readonly voice?: string | Readonly<JsonObject>;
  readonly format: SoundFormat;
  readonly instructions?: string;
  readonly speed?: number;
  /** True if the client wants events, so that its provider may send events too. */
  readonly asEvents?: boolean;
}

export interface SpeechReply extends WholeReply {
  readonly sound: Uint8Array<ArrayBuffer>;
  /** The media type. */
  readonly type: string;
}

/** A piece of the audio as received. */
export type SoundPart = Pick<SpeechReply, "sound" | "type">;

export type SpeechForm = WholeReplyForm<SpeechRequest, SpeechReply, SoundPart>;

/** Returns the audio of a piece, or null if it has none. */
export function findSound(piece: SpeechForm["piece"]): SoundPart | null {
  if (piece.kind === "usage") return null;
  return piece.kind === "part" ? piece.part : piece.reply;
}

/** Returns the number of code points. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _character of text) count++;
  return count;
}
