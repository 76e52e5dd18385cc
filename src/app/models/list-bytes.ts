// The bytes of a list of models, as a stranger sends them.
import { FeedError } from "../../catalogue/feeds/feed.ts";

const MEGABYTE = 1_000_000;
/** The longest public list has 5 MB. */
export const LIST_BYTES_MAX = 64 * MEGABYTE;
export const TOO_LONG = `it is larger than ${LIST_BYTES_MAX / MEGABYTE} MB`;

/** The longest public list has a tenth of that. */
export const LIST_SHAPE = { depth: 40, elements: 5_000_000 };

/** Throws a FeedError for bytes that are no text, or too many. */
export function decodeList(bytes: Uint8Array): string {
  if (bytes.length > LIST_BYTES_MAX) throw new FeedError(TOO_LONG, "size");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new FeedError("it is not UTF-8");
  }
}
