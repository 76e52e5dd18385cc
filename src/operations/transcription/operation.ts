// Transcription as an operation: turns audio into text.

import { asString, isObject, type JsonObject } from "../../core/json/json.ts";
import type { Attachment } from "../../core/models/attachment.ts";
import type { ModelCard } from "../../core/models/card.ts";
import { type Amounts, NO_AMOUNTS } from "../../core/money/units.ts";
import type { Operation } from "../operation.ts";
import { mapList } from "../text-json.ts";
import { estimateTextTokens } from "../text-tokens.ts";
import { makeWholeOperation } from "../whole.ts";
import { foldTranscript } from "./fold.ts";
import {
  countTranscriptElements,
  isJsonFormat,
  type TranscriptionForm,
  type TranscriptionReply,
  type TranscriptionRequest,
} from "./form.ts";
import { measureSeconds } from "./sound/length.ts";

/**
 * Recorded: gpt-4o-transcribe counts 10 tokens per second of audio and writes about 3. A second of fast speech has 5
 * words.
 */
const SOUND_TOKENS_WORST = 25;
const SOUND_TOKENS = 10;
const TEXT_TOKENS_WORST = 10;
const TEXT_TOKENS = 3;
/** The lowest bit rate at which speech is intelligible, to bound a provider's count. */
const BITS_PER_SECOND_MIN = 6000;

const WHOLE: Operation<TranscriptionForm> = makeWholeOperation({
  name: "transcription",
  words: ["format", "language", "include", "timestamp_granularities"],
  answerWords: ["type", "id", "language", "task"],
  findCodec: ({ transcription }) => transcription ?? null,
  isText: true,
  countElements: countTranscriptElements,
  countWorst: (ask) => count(ask, findSeconds(ask), SOUND_TOKENS_WORST, TEXT_TOKENS_WORST),
  // No sound is shorter.
  countLeast: (ask) => count(ask, 1, SOUND_TOKENS_WORST, TEXT_TOKENS_WORST),
  countLikely(ask, bytes) {
    const likely = count(ask, findSeconds(ask), SOUND_TOKENS, TEXT_TOKENS);
    return bytes === 0 ? likely : { ...likely, completion: estimateTextTokens(bytes) };
  },
  countBytes,
  complete,
  countMost(ask) {
    const seconds = Math.ceil((ask.file.bytes.length * 8) / BITS_PER_SECOND_MIN);
    return count(ask, Math.max(seconds, findSeconds(ask)), SOUND_TOKENS_WORST, TEXT_TOKENS_WORST);
  },
  identify: listFields,
  hasJsonAnswer: ({ format }) => isJsonFormat(format),
  fold: foldTranscript,
  restore: (kept) => (isReply(kept) ? kept : null),
  toLog: (ask) => ({ request: listFields(ask), messages: [] }),
  toLogged: ({ content }) => (typeof content === "string" ? { text: content } : content),
});

export const TRANSCRIPTION: Operation<TranscriptionForm> = {
  ...WHOLE,
  mapPieces: (pieces, change, native) =>
    mapList(pieces, (piece) => {
      const [mapped = piece] = WHOLE.mapPieces([piece], change, native);
      return mapped === piece ? piece : emptyLogprobs(mapped);
    }),
};

/** They spell a piece's text, beside it. */
function emptyLogprobs(piece: TranscriptionForm["piece"]): TranscriptionForm["piece"] {
  if (piece.kind !== "part" || piece.part.kind !== "delta" || !piece.part.extras.logprobs) return piece;
  const { part } = piece;
  return { ...piece, part: { ...part, extras: { ...part.extras, logprobs: [] } } };
}

function isReply(kept: unknown): kept is TranscriptionReply {
  return isObject(kept) && (typeof kept.content === "string" || isObject(kept.content));
}

const measured = new WeakMap<Attachment, number>();

/** Reads the file when its length is first needed, which is after everything that could refuse the request without it. */
function findSeconds({ file }: TranscriptionRequest): number {
  const known = measured.get(file);
  if (known !== undefined) return known;
  const seconds = measureSeconds(file.bytes);
  measured.set(file, seconds);
  return seconds;
}

/** Servers report seconds or tokens. A card that charges for the other ones would make every request free. */
function complete(amounts: Amounts, ask: TranscriptionRequest, { price }: ModelCard): Amounts {
  if (price === null) return amounts;
  const seconds = amounts.seconds || findSeconds(ask);
  if (price.perMinute !== undefined) return { ...amounts, seconds };
  return amounts.prompt > 0
    ? amounts
    : { ...count(ask, seconds, SOUND_TOKENS, TEXT_TOKENS), seconds: amounts.seconds };
}

function countBytes(piece: TranscriptionForm["piece"]): number {
  if (piece.kind === "usage") return 0;
  if (piece.kind === "part") {
    const { part } = piece;
    return Buffer.byteLength(part.kind === "delta" ? part.delta : (asString(part.segment.text) ?? ""));
  }
  const { content } = piece.reply;
  return Buffer.byteLength(typeof content === "string" ? content : (asString(content.text) ?? ""));
}

/** The file is represented by its name, size and digest, and how the answer is delivered doesn't count. */
function listFields({ stream: _stream, ...ask }: TranscriptionRequest): JsonObject {
  return Object.fromEntries(Object.entries({ ...ask, file: ask.file.toJSON() }));
}

function count({ prompt = "" }: TranscriptionRequest, seconds: number, sound: number, text: number): Amounts {
  const inputAudio = Math.ceil(seconds * sound);
  return {
    ...NO_AMOUNTS,
    prompt: inputAudio + estimateTextTokens(Buffer.byteLength(prompt)),
    inputAudio,
    completion: Math.ceil(seconds * text),
    seconds,
  };
}
