// The types of pictures and PDFs in a client's own Messages request. Claude refuses a picture whose type isn't the declared
// one (home-assistant, issue 167208, August 2026).
import { asString, isObject, type JsonObject } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Mending } from "../../core/models/dialect.ts";
import { findMediaType } from "../../operations/media-types.ts";

const PDF = "application/pdf";
/** A picture under another picture's type was answered by claude-3-5-sonnet-20240620 (a recorded exchange). */
const LENIENT = /claude-3/;

/** True if the lane may change types: for any model that the gateway chose, and for a named one that is certain to refuse. */
export function mayType({ name }: ModelCard, mends: Mending | undefined): boolean {
  return mends === "refused" || (mends === "surely_refused" && !LENIENT.test(name));
}

/** Returns the block with its true type. The same block if that is declared, or it is of another kind. */
export function typeBlock(block: JsonObject): JsonObject {
  const { type, source } = block;
  if ((type !== "image" && type !== "document") || !isObject(source) || source.type !== "base64")
    return block;
  const data = asString(source.data) ?? "";
  const declared = asString(source.media_type) ?? "";
  const mediaType = findMediaType(data, declared.toLowerCase());
  const kind = mediaType === PDF ? "document" : "image";
  const isKnown = mediaType === PDF || mediaType.startsWith("image/");
  if (!isKnown || (mediaType === declared && kind === type)) return block;
  const typed = { ...source, media_type: mediaType };
  if (kind === type) return { ...block, source: typed };
  // A document's other fields aren't a picture's.
  const { cache_control: mark } = block;
  return { type: kind, source: typed, ...(mark === undefined ? {} : { cache_control: mark }) };
}
