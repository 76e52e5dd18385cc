// Takes what a maker signed or encrypted off thinking that was changed: it would refuse it in the next turn.
import { parseReceived } from "../../../core/json/bounds.ts";
import { isObject } from "../../../core/json/json.ts";
import type { IsChanged, NativeTexts } from "../../../core/text/texts.ts";
import { mapList } from "../../text-json.ts";
import type { ChatChunk, ChatReply, PartExtent, ReasoningDetail } from "../form.ts";
import { isChunk, type Part, Run, Verbatim } from "./run.ts";

/** OpenAI encrypts the thinking whose summary is shown. Others' encrypted thinking has no text, and stays. */
const SUMMARISED = "openai-responses-v1";

/** Returns a piece of a stream without it. None if it has nothing else. */
export function unsealPiece(piece: Part, native: NativeTexts | null, isChanged: IsChanged): readonly Part[] {
  // A run has texts alone.
  if (piece instanceof Run) return [piece];
  if (isChunk(piece)) return [unsealChunk(piece, isChanged)];
  const chunks = mapList(piece.meaning, (chunk) => unsealChunk(chunk, isChanged));
  const given = native && parseReceived(piece.event.data);
  const event = native && isObject(given) ? native.unseal(given, isChanged) : given;
  if (event === given) return chunks === piece.meaning ? [piece] : [new Verbatim(piece.event, chunks)];
  return event === null ? [] : [new Verbatim({ ...piece.event, data: JSON.stringify(event) }, chunks)];
}

/** The same for a whole answer. */
export function unsealReply(reply: ChatReply, native: NativeTexts | null, isChanged: IsChanged): ChatReply {
  const choices = mapList(reply.choices, (choice) => {
    const { message, index } = choice;
    const { reasoning_details: given = NONE, parts } = message;
    const details = unsealDetails(given, `choices[${index}].message`, isChanged);
    if (details === given) return choice;
    const counted = parts && { parts: countDetails(parts, details) };
    return { ...choice, message: { ...message, reasoning_details: leaveOut(details), ...counted } };
  });
  const { verbatim } = reply;
  const own = native && verbatim ? (native.unseal(verbatim, isChanged) ?? verbatim) : verbatim;
  if (choices === reply.choices && own === verbatim) return reply;
  return { ...reply, choices, ...(own ? { verbatim: own } : {}) };
}

function unsealChunk(chunk: ChatChunk, isChanged: IsChanged): ChatChunk {
  const choices = mapList(chunk.choices, (choice) => {
    const { delta, index } = choice;
    const { reasoning_details: given = NONE } = delta;
    const details = unsealDetails(given, `choices[${index}].delta`, isChanged);
    return details === given
      ? choice
      : { ...choice, delta: { ...delta, reasoning_details: leaveOut(details) } };
  });
  return choices === chunk.choices ? chunk : { ...chunk, choices };
}

const NONE: readonly ReasoningDetail[] = [];

/** Null stands for a detail that has nothing else. */
type Unsealed = readonly (ReasoningDetail | null)[];

function unsealDetails(
  details: readonly ReasoningDetail[],
  path: string,
  isChanged: IsChanged,
): readonly ReasoningDetail[] | Unsealed {
  if (details.length === 0 || !isChanged(`${path}.reasoning`)) return details;
  return mapList<ReasoningDetail, ReasoningDetail | null>(details, (detail) => {
    const { type, index, format, signature, ...rest } = detail;
    if (type === "reasoning.encrypted") return format === SUMMARISED ? null : detail;
    // The fragments of one detail share its index.
    const isOther = index !== undefined && !isChanged(`${path}.reasoning_details[${index}].`);
    if (signature === undefined || isOther) return detail;
    return { type, ...rest, ...(index === undefined ? {} : { index }), ...(format ? { format } : {}) };
  });
}

function leaveOut(details: Unsealed): readonly ReasoningDetail[] {
  return details.filter((detail) => detail !== null);
}

/** Extents count the details of each part. */
function countDetails(parts: readonly PartExtent[], details: Unsealed): readonly PartExtent[] {
  let taken = 0;
  return parts.map((part) => {
    const own = details.slice(taken, taken + part.details);
    taken += part.details;
    return { ...part, details: leaveOut(own).length };
  });
}
