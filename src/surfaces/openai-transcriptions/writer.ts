// A transcript as OpenAI's events, as recorded: unnamed, with `[DONE]` at the end.
import { asArray, asObject, isObject, type JsonObject } from "../../core/json/json.ts";
import type { TranscriptionForm } from "../../operations/transcription/form.ts";
import type { WorkUsage } from "../../operations/whole-form.ts";
import { writeCost } from "../cost.ts";
import { DONE_LINE, dataLine, makePieceWriter } from "../event-stream.ts";
import type { Writer } from "../surface.ts";

type TranscriptionPiece = TranscriptionForm["piece"];

/** Returns the usage in the provider's own form, with the cost. */
export function writeUsage(content: JsonObject, usage: WorkUsage | null): JsonObject {
  const seconds = usage?.amounts.seconds ?? 0;
  const known = isObject(content.usage) ? content.usage : { type: "duration", seconds };
  return { ...known, ...writeCost(usage) };
}

export function makeTranscriptWriter(): Writer<TranscriptionPiece> {
  /** The whole transcript, waiting for its usage. */
  let held: JsonObject = {};
  let hasParts = false;
  return makePieceWriter((piece: TranscriptionPiece) => {
    if (piece.kind === "reply") held = asObject(piece.reply.content);
    if (piece.kind === "usage") {
      const { text, logprobs, languages } = held;
      const type = "transcript.text.done";
      const usage = writeUsage(held, piece.usage);
      return (hasParts ? "" : writeParts(held)) + writeEvent({ type, text, logprobs, languages, usage });
    }
    if (piece.kind !== "part") return "";
    const { part } = piece;
    hasParts = true;
    if (part.kind === "segment") return writeSegment(part.segment);
    return writeEvent({ type: "transcript.text.delta", delta: part.delta, ...part.extras });
  }, DONE_LINE);
}

/** Writes a transcript that arrived whole: its segments if they name speakers, or its text in one piece. */
function writeParts({ text, segments }: JsonObject): string {
  const passages = asArray(segments).filter(isObject);
  const isSpoken = passages.length > 0 && passages.every(({ speaker }) => speaker !== undefined);
  if (isSpoken) return passages.map(writeSegment).join("");
  return writeEvent({ type: "transcript.text.delta", delta: text });
}

function writeSegment(segment: JsonObject): string {
  return writeEvent({ ...segment, type: "transcript.text.segment" });
}

function writeEvent(event: JsonObject): string {
  return dataLine(JSON.stringify(event));
}
