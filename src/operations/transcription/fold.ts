// Collects a streamed transcript.
import type { JsonObject } from "../../core/json/json.ts";
import { estimateLength } from "../../core/json/rough-length.ts";
import type { Folding } from "../folding.ts";
import type { TranscriptionForm, TranscriptionReply } from "./form.ts";

/** A stream shows the segments of its speakers as parts, and its last event doesn't repeat them. */
export function foldTranscript(): Folding<TranscriptionForm> {
  const segments: JsonObject[] = [];
  let reply: TranscriptionReply | null = null;
  return {
    add(pieces) {
      let characters = 0;
      for (const piece of pieces) {
        if (piece.kind === "reply") reply = piece.reply;
        if (piece.kind !== "part" || piece.part.kind !== "segment") continue;
        const segment = { type: "transcript.text.segment", ...piece.part.segment };
        characters += estimateLength(segment);
        segments.push(segment);
      }
      return characters;
    },
    reply: () => reply && addSegments(reply, segments),
  };
}

function addSegments(reply: TranscriptionReply, segments: readonly JsonObject[]): TranscriptionReply {
  const { content } = reply;
  if (segments.length === 0 || typeof content === "string" || content.segments) return reply;
  return { ...reply, content: { ...content, segments } };
}
