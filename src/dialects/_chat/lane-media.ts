// Pictures and files in a client's own request whose declared type its provider would answer with 400: their first bytes
// decide, as in translation.
import { isObject, type JsonObject } from "../../core/json/json.ts";
import type { ChatRequest } from "../../operations/chat/form.ts";
import { splitDataUrl } from "../../operations/chat/prompt/data-url.ts";
import { listMedia } from "../../operations/chat/prompt/media.ts";
import { NONE } from "../../operations/form.ts";
import { findMediaType } from "../../operations/media-types.ts";

/** Types that say nothing, and one that is written wrongly. Every provider refuses them. */
const MEANINGLESS: ReadonlySet<string> = new Set([
  "",
  "text/plain",
  "application/octet-stream",
  "binary/octet-stream",
  "image/jpg",
]);

interface MendedMedia {
  /** The same value if nothing is changed. */
  readonly value: unknown;
  /** The paths of the changed blocks. */
  readonly dropped: readonly string[];
}

type MendBlock = (block: JsonObject) => JsonObject;

/** Mends the blocks in a part of a request's body. `path` is where that is. */
export function mendMedia(request: ChatRequest, value: unknown, path: string, mend: MendBlock): MendedMedia {
  // A walk through a long conversation is for those alone that have a picture or a file.
  if (listMedia(request).length === 0) return { value, dropped: NONE };
  const dropped: string[] = [];
  return { value: mendWithin(value, path, mend, dropped), dropped };
}

function mendWithin(value: unknown, path: string, mend: MendBlock, dropped: string[]): unknown {
  if (Array.isArray(value)) {
    const given: readonly unknown[] = value;
    const made = given.map((one, at) => mendWithin(one, `${path}[${at}]`, mend, dropped));
    return made.every((one, at) => one === given[at]) ? value : made;
  }
  if (!isObject(value)) return value;
  const block = mend(value);
  if (block !== value) {
    dropped.push(path);
    return block;
  }
  return mendFields(value, path, mend, dropped);
}

/** Arguments and results of tools are their own, even if they look like a picture. */
const OF_TOOLS: ReadonlySet<string> = new Set(["input", "args", "response"]);

function mendFields(given: JsonObject, path: string, mend: MendBlock, dropped: string[]): JsonObject {
  let made = given;
  for (const field of Object.keys(given)) {
    const value = given[field];
    if (typeof value !== "object" || value === null || OF_TOOLS.has(field)) continue;
    const mended = mendWithin(value, `${path}.${field}`, mend, dropped);
    if (mended !== value) made = { ...made, [field]: mended };
  }
  return made;
}

/** Returns the type of base64 by its first bytes if the declared one says nothing, else the declared one. */
export function findMeantType(base64: string, declared: string): string {
  const type = declared.toLowerCase();
  if (!MEANINGLESS.has(type)) return declared;
  const found = findMediaType(base64, type);
  return found === type ? declared : found;
}

/** Returns a data: URL with the type that its first bytes have, if the declared one says nothing. */
export function nameMeantType(url: unknown): unknown {
  const data = typeof url === "string" ? splitDataUrl(url) : null;
  if (!data?.isBase64) return url;
  const type = findMeantType(data.payload, data.mediaType);
  return type === data.mediaType ? url : `data:${type};base64,${data.payload}`;
}
