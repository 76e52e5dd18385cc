// The places of a translated conversation's pictures, files and sounds in the client's own request, for errors about them.
import { Fault } from "../core/faults/fault.ts";
import type { ChatRequest, ContentPart } from "../operations/chat/form.ts";
import { findPart, listMedia, writePath } from "../operations/chat/prompt/media.ts";
import { typePart } from "../operations/chat/prompt/type-media.ts";
import { mapList } from "../operations/text-json.ts";

/** By part, so that they go with the prompt. */
const places = new WeakMap<ContentPart, string>();

/**
 * Takes a client's parts into the conversation: each by its true type, with the place where the client sent it, unless that is
 * known more closely.
 */
export function placeAt(path: string, parts: readonly ContentPart[]): readonly ContentPart[] {
  return mapList(parts, (given) => {
    const part = typePart(given);
    if (part.type !== "text" && !places.has(part)) places.set(part, places.get(given) ?? path);
    return part;
  });
}

const NO_NAMES: Readonly<Record<string, string>> = {};

/** Returns the client's names of the places, by those in the conversation. */
export function namePlaces(request: ChatRequest): Readonly<Record<string, string>> {
  const media = listMedia(request);
  if (media.length === 0) return NO_NAMES;
  const names: Record<string, string> = {};
  for (const medium of media) {
    const part = findPart(request, medium);
    const place = part && places.get(part);
    if (place !== undefined) names[writePath(medium)] = place;
  }
  return names;
}

const PREFIX_CHARACTERS_MAX = 100;
const PREFIX = /^data:[\w.+/-]*(;[\w=.-]+)*,/i;

/** Throws the Fault of data in base64 with the beginning of a data: URL, where a field of its own has the type. */
export function refusePrefix(data: string, param: string, typeField: string): void {
  if (!data.startsWith("data:")) return;
  const prefix = PREFIX.exec(data.slice(0, PREFIX_CHARACTERS_MAX))?.[0] ?? "data:";
  const message = `Invalid '${param}': it is a data: URL, where only the base64 belongs. Leave out "${prefix}"; '${typeField}' has the type.`;
  throw new Fault("invalid_value", message, { param });
}
