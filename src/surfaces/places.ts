// The places of a translated conversation's pictures, files and sounds in the client's own request, for errors about them.
import type { ChatRequest, ContentPart } from "../operations/chat/form.ts";
import { findPart, listMedia, writePath } from "../operations/chat/prompt/media.ts";

/** By part, so that they go with the prompt. */
const places = new WeakMap<ContentPart, string>();

/** Remembers where the client sent these parts, unless it is known more closely. Returns the parts. */
export function placeAt(path: string, parts: readonly ContentPart[]): readonly ContentPart[] {
  for (const part of parts) if (part.type !== "text" && !places.has(part)) places.set(part, path);
  return parts;
}

/** Returns the client's names of the places, by those in the conversation. */
export function namePlaces(request: ChatRequest): Readonly<Record<string, string>> {
  const names: Record<string, string> = {};
  for (const medium of listMedia(request)) {
    const part = findPart(request, medium);
    const place = part && places.get(part);
    if (place !== undefined) names[writePath(medium)] = place;
  }
  return names;
}
