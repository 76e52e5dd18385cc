// The types of the transcription operation: turns audio into text, in its own language or in English.

import type { JsonObject } from "../../core/json/json.ts";
import type { Attachment } from "../../core/models/attachment.ts";
import type { OpenAsk } from "../form.ts";
import type { WholeReply, WholeReplyForm } from "../whole-form.ts";

export const TRANSCRIPT_FORMATS = ["json", "text", "srt", "verbose_json", "vtt", "diarized_json"] as const;
export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number];

export interface TranscriptionRequest extends OpenAsk {
  readonly file: Attachment;
  /** True to translate into English. */
  readonly isTranslation: boolean;
  readonly format: TranscriptFormat;
  readonly language?: string;
  readonly prompt?: string;
  readonly temperature?: number;
}

export interface TranscriptionReply extends WholeReply {
  /** A text if the format isn't JSON. */
  readonly content: JsonObject | string;
}

/** A piece of text, or a whole segment with its times and speaker, as in OpenAI's events. */
export type TranscriptPart =
  | { readonly kind: "delta"; readonly delta: string; readonly extras: Readonly<JsonObject> }
  | { readonly kind: "segment"; readonly segment: Readonly<JsonObject> };

export type TranscriptionForm = WholeReplyForm<TranscriptionRequest, TranscriptionReply, TranscriptPart>;

/** A second of the densest speech takes 750 bytes, and 100 elements for its words, their tokens and log probabilities. */
const BYTES_PER_ELEMENT = 7.5;
const ELEMENTS_MIN = 100_000;

/** Returns the most elements and fields that a transcript may have. */
export function countTranscriptElements({ file }: TranscriptionRequest): number {
  return ELEMENTS_MIN + Math.ceil(file.bytes.length / BYTES_PER_ELEMENT);
}

export function isJsonFormat(format: TranscriptFormat): boolean {
  return format === "json" || format === "verbose_json" || format === "diarized_json";
}
