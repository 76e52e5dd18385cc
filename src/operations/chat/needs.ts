// The capabilities that a request needs from a model.

import { Fault } from "../../core/fault.ts";
import { asObject, asString } from "../../core/json/json.ts";
import { type Capability, can, type ModelCard } from "../../core/models/card.ts";
import type { UrlKind } from "../codec.ts";
import { type ChatRequest, type ContentPart, isCallForced } from "./form.ts";
import { isPublicFile, isPublicImage } from "./prompt/address.ts";
import { findPart, listMedia, writePath } from "./prompt/media.ts";

/** Throws the Fault `unsupported_parameter` for a file in the provider's account, which all clients share. */
function refuseAccountFile(part: ContentPart, param: string): void {
  const content = asString(asObject(part.file).file_data);
  const isPublic =
    part.type === "image_url"
      ? isPublicImage(part.image_url.url)
      : content === undefined || isPublicFile(content);
  if (isPublic) return;
  const message = `'${param}' is not supported here: only data and URLs on the public web are. A file belongs to the provider's account, which all clients share.`;
  throw new Fault("unsupported_parameter", message, { param });
}

/** Each needed capability, with the request field that needs it: pictures and files in the newest user message only. */
export type Needs = ReadonlyMap<Capability, string>;

const NO_NEEDS: Needs = new Map<Capability, string>();

/** Throws the Fault `unsupported_parameter` for a file in the provider's account. */
export function findNeeds(request: ChatRequest): Needs {
  const media = listMedia(request);
  if (!request.tools && media.length === 0) return NO_NEEDS;
  const needs = new Map<Capability, string>();
  if (request.tools && request.tool_choice !== "none") {
    needs.set(isCallForced(request) ? "tools" : "tools_auto", "tools");
  }
  for (const medium of media) {
    const part = findPart(request, medium);
    const path = writePath(medium);
    if (part) refuseAccountFile(part, path);
    if (medium.isAsked && !needs.has(medium.need)) needs.set(medium.need, path);
  }
  return needs;
}

/** Returns the field of the first image or file that the provider would have to fetch, or null. */
export function findUrl(request: ChatRequest, kind: UrlKind): string | null {
  for (const medium of listMedia(request))
    if (medium.isAsked && medium.url === kind) return writePath(medium);
  return null;
}

const WORDS: Record<Capability, string> = {
  tools: "tools",
  tools_auto: "tools",
  vision: "images",
  files: "files",
  audio: "audio",
  structured: "structured output",
  reasoning: "reasoning",
  search: "web searches",
};

/**
 * Throws if the model can't take what the request is about, because dropping it would change the meaning. A model that
 * can't be forced to call a tool is asked to in the prompt, and `x-poundkey-dropped` says so.
 */
export function refuseUnable(card: ModelCard, needs: Needs): void {
  for (const [need, param] of needs) {
    if (can(card, need === "tools" ? "tools_auto" : need)) continue;
    const message = `The model '${card.id}' does not accept ${WORDS[need]}.`;
    throw new Fault("unsupported_capability", message, { param });
  }
}
