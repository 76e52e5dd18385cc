// The recorded answers with their texts changed: as chunks, as the provider's own events, and whole.
import { isObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import type { ChangeText, NativeTexts } from "../../../src/core/text/texts.ts";
import { listChunks, type Part, Run, Verbatim } from "../../../src/operations/chat/answer/run.ts";
import type { ChatReply } from "../../../src/operations/chat/form.ts";
import { CHAT } from "../../../src/operations/chat/operation.ts";
import { MESSAGES_TEXTS } from "../../../src/surfaces/anthropic-messages/texts.ts";
import { GEMINI_TEXTS } from "../../../src/surfaces/gemini/texts.ts";
import { RESPONSES_TEXTS } from "../../../src/surfaces/openai-responses/texts.ts";
import { findChatCodec } from "../../harness/codec.ts";
import type { Subject } from "../../recorded/pipeline.ts";
import { decodePieces, recordedAnswers } from "../../surfaces/recorded.ts";

/** The recorded APIs whose answers clients of the family get unchanged. */
const NATIVE = [
  { family: "anthropic", texts: MESSAGES_TEXTS, apis: /^anthropic-messages$|^bedrock-invoke/ },
  { family: "responses", texts: RESPONSES_TEXTS, apis: /^openai-responses$/ },
  { family: "gemini", texts: GEMINI_TEXTS, apis: /^gemini-/ },
] as const;

export interface Answer {
  readonly id: string;
  readonly native: NativeTexts | null;
  readonly pieces: readonly Part[];
  readonly reply: ChatReply;
}

/** Each answer translated, and once more in the provider's own form if clients may get that. */
export function listAnswers(): readonly Answer[] {
  return recordedAnswers().flatMap(({ subject, reply }): readonly Answer[] => {
    const { id } = subject.recording;
    const answer = { id, native: null, reply, pieces: decodePieces(subject, null) };
    const own = findNative(subject);
    if (own === null) return [answer];
    const verbatim = subject.recording.streamed ? undefined : parseJson(subject.recording.body);
    const shown = isObject(verbatim) ? { ...reply, verbatim } : reply;
    return [
      answer,
      { id: `${id}, native`, native: own.texts, reply: shown, pieces: decodePieces(subject, own.lane) },
    ];
  });
}

function findNative({ dialect, recording }: Subject) {
  const own = NATIVE.find(({ apis }) => apis.test(recording.api));
  const lane = own && findChatCodec(dialect).lanes?.[own.family];
  return lane ? { lane, texts: own.texts } : null;
}

/** All that a client may get of an answer: its chunks, its events and its whole forms. */
export function listShown({ pieces, reply, native }: Answer, change: ChangeText): readonly JsonObject[] {
  const mapped = CHAT.mapPieces(pieces, change, native);
  const { verbatim, ...translated } = CHAT.mapReply(reply, change, native);
  const known = [...listChunks(mapped), translated].map(leaveTermsOut);
  return [...known, ...mapped.flatMap(listEvents), ...(verbatim ? [verbatim] : [])];
}

/** The words of an answer about its price are left out before a client sees the usage. */
function leaveTermsOut(shown: JsonObject): JsonObject {
  if (!isObject(shown.usage)) return shown;
  const { terms: _terms, ...usage } = shown.usage;
  return { ...shown, usage };
}

function listEvents(piece: Part): readonly JsonObject[] {
  const data =
    piece instanceof Verbatim ? [piece.event.data] : piece instanceof Run ? (piece.shown?.data ?? []) : [];
  return data.map(parseJson).filter(isObject);
}

/** The texts of a stream's pieces, each joined. */
export function joinPieces(pieces: readonly Part[], native: NativeTexts | null): ReadonlyMap<string, string> {
  const joined = new Map<string, string>();
  CHAT.mapPieces(
    pieces,
    (text, { kind, isPiece, path }) => {
      if (isPiece) joined.set(`${path} ${kind}`, (joined.get(`${path} ${kind}`) ?? "") + text);
      return text;
    },
    native,
  );
  return joined;
}
