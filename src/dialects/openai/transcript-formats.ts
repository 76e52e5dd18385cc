// The formats in which servers are asked for transcripts, so that their answers report what they took, and the formats
// that clients asked for, written from those.
import { malformed } from "../../core/faults/malformed.ts";
import { asArray, asNumber, isObject, type JsonObject } from "../../core/json/json.ts";
import type {
  TranscriptFormat,
  TranscriptionReply,
  TranscriptionRequest,
} from "../../operations/transcription/form.ts";
import { type Cue, writeSrt, writeVtt } from "../../operations/transcription/subtitles.ts";

/** The fields of a request that select the form of its answer. */
export interface AskedFormat {
  /** Replace the client's own; an undefined one is left out. */
  readonly fields: Readonly<JsonObject>;
  /** The client's fields that are left out. */
  readonly dropped: readonly string[];
}

export type ChooseFormat = (ask: TranscriptionRequest, name: string) => AskedFormat;

const SUBTITLES: ReadonlySet<TranscriptFormat> = new Set(["srt", "vtt"]);
/** Answers in these formats have no room for a report. */
const PLAIN: ReadonlySet<TranscriptFormat> = new Set(["text", "srt", "vtt"]);
const WHISPER = /whisper/i;

function makeAsked({ format: given }: TranscriptionRequest, format: TranscriptFormat): AskedFormat {
  // By default there are segments. With words alone there would be none.
  const others = format === given ? {} : { timestamp_granularities: undefined };
  return { fields: { response_format: format, ...others }, dropped: [] };
}

/** console.groq.com/docs/speech-to-text: no subtitles, and the seconds are in verbose JSON alone. */
export const chooseForGroq: ChooseFormat = (ask) =>
  makeAsked(ask, ask.format === "json" || PLAIN.has(ask.format) ? "verbose_json" : ask.format);

/**
 * OpenAI API reference, "Create transcription": Whisper has all formats, and reports seconds in JSON (those of
 * translations in verbose JSON alone). The newer models only have JSON, and report tokens there.
 */
export const chooseForOpenai: ChooseFormat = (ask, name) => {
  const isReported = !PLAIN.has(ask.format) && !(ask.isTranslation && ask.format === "json");
  if (WHISPER.test(name)) return makeAsked(ask, isReported ? ask.format : "verbose_json");
  return makeAsked(ask, ask.format === "text" ? "json" : ask.format);
};

/** Azure's Whisper may be an older version, which reports seconds in verbose JSON alone. */
export const chooseForAzure: ChooseFormat = (ask, name) =>
  WHISPER.test(name) ? chooseForGroq(ask, name) : chooseForOpenai(ask, name);

/** Not every server has verbose JSON, but those with subtitles do. */
export const chooseForAnyServer: ChooseFormat = (ask) => {
  if (SUBTITLES.has(ask.format)) return makeAsked(ask, "verbose_json");
  return makeAsked(ask, ask.format === "text" ? "json" : ask.format);
};

const SEGMENT = "segment";
const WORD = "word";

/**
 * docs.mistral.ai/api, "Create Transcription": always JSON; segments are a field's, which excludes `language`, and their
 * speakers another's. Words come in the place of segments.
 */
export const chooseForMistral: ChooseFormat = ({ format, language, extras }) => {
  const hasSpeakers = format === "diarized_json";
  const isVerbose = format === "verbose_json";
  if (!hasSpeakers && !isVerbose && !SUBTITLES.has(format)) return { fields: {}, dropped: [] };
  const wanted = asArray(extras.timestamp_granularities);
  const hasWords = isVerbose && wanted.includes(WORD);
  const times = hasWords && !wanted.includes(SEGMENT) ? WORD : SEGMENT;
  return {
    fields: {
      timestamp_granularities: [times],
      language: undefined,
      ...(hasSpeakers ? { diarize: true } : {}),
    },
    dropped: [
      ...(language === undefined ? [] : ["language"]),
      ...(hasWords && times === SEGMENT ? ["timestamp_granularities"] : []),
    ],
  };
};

const VERBOSE_FIELDS = ["task", "language", "duration", "segments", "words"];

/** Returns the transcript in the client's format, from JSON that may be of another one. `asked` is what was asked for. */
export function writeTranscript(
  content: JsonObject & { readonly text: string },
  ask: TranscriptionRequest,
  asked: AskedFormat,
  seconds: number,
): TranscriptionReply["content"] {
  switch (ask.format) {
    case "text":
      return `${content.text.trim()}\n`;
    case "srt":
      return writeSrt(listCues(content, seconds));
    case "vtt":
      return writeVtt(listCues(content, seconds));
    case "json":
      if (asked.fields.response_format !== "verbose_json") return content;
      return Object.fromEntries(Object.entries(content).filter(([name]) => !VERBOSE_FIELDS.includes(name)));
    case "verbose_json":
      return writeVerbose(content, ask, asked, seconds);
    case "diarized_json":
      return writeSpeakers(content, seconds);
  }
}

/**
 * Returns OpenAI's form of Mistral's segments or words: without its own length of the sound, a transcript is of no other
 * server. The language is the one that the client named: Mistral can't have it beside times.
 */
function writeVerbose(
  content: JsonObject,
  { language }: TranscriptionRequest,
  { fields }: AskedFormat,
  seconds: number,
): JsonObject {
  const { segments, ...others } = content;
  if (!Array.isArray(segments) || content.duration !== undefined) return content;
  const given = segments.filter(isObject).map(({ type: _type, ...one }) => one);
  const about = {
    task: "transcribe",
    duration: seconds,
    ...others,
    language: content.language ?? language ?? null,
  };
  return asArray(fields.timestamp_granularities).includes(WORD)
    ? { ...about, words: given.map(({ text, ...one }) => ({ word: text, ...one })) }
    : { ...about, segments: given.map((one, id) => ({ id, ...one })) };
}

/** Returns OpenAI's form of a transcript with Mistral's speakers, or any other one as it is. */
function writeSpeakers(content: JsonObject, seconds: number): JsonObject {
  const segments = asArray(content.segments).filter(isObject);
  if (!segments.some((segment) => segment.speaker_id !== undefined)) return content;
  const named = segments.map((segment, index) => ({
    ...nameSpeaker(segment, index),
    type: "transcript.text.segment",
  }));
  return { task: "transcribe", duration: seconds, ...content, segments: named };
}

/** Mistral doesn't number segments, and has another name for the speaker's field. */
export function nameSpeaker({ speaker_id: speaker, ...rest }: JsonObject, index: number): JsonObject {
  return { id: `seg_${index}`, ...(speaker === undefined ? {} : { speaker }), ...rest };
}

/** A text without segments is one cue. */
function listCues(content: JsonObject & { readonly text: string }, seconds: number): readonly Cue[] {
  const segments = asArray(content.segments).filter(isObject);
  if (segments.length > 0) return segments.map(readCue);
  if (content.text.trim() === "") return [];
  const end = asNumber(content.duration) ?? seconds;
  if (end === 0) throw malformed("the transcript has no times");
  return [{ start: 0, end, text: content.text }];
}

function readCue({ start, end, text }: JsonObject): Cue {
  const from = asNumber(start);
  const to = asNumber(end);
  if (from === undefined || to === undefined || typeof text !== "string") {
    throw malformed("a segment of the transcript has no times or no text");
  }
  return { start: from, end: to, text };
}
