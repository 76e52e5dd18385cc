// The capabilities that a request needs from a model.
import { type Capability, can, type ModelCard } from "../../core/card.ts";
import { Fault } from "../../core/fault.ts";
import { asObject, asString } from "../../core/json.ts";
import { isPublicFile, isPublicImage } from "./address.ts";
import { type ChatRequest, type ContentPart, isCallForced } from "./form.ts";

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

/** Each needed capability, with the request field that needs it. */
export type Needs = ReadonlyMap<Capability, string>;

const PART_NEEDS: Partial<Record<ContentPart["type"], Capability>> = {
  image_url: "vision",
  input_audio: "audio",
  file: "files",
};

/** Yields the parts other than text, each with the field that holds it. */
function* eachMedia({ messages }: ChatRequest): Generator<readonly [ContentPart, string]> {
  for (const [at, { content }] of messages.entries()) {
    if (typeof content === "string" || !content) continue;
    for (const [place, part] of content.entries()) {
      if (part.type !== "text") yield [part, `messages[${at}].content[${place}]`];
    }
  }
}

/** Throws the Fault `unsupported_parameter` for a file in the provider's account. */
export function findNeeds(request: ChatRequest): Needs {
  const needs = new Map<Capability, string>();
  if (request.tools && request.tool_choice !== "none") {
    needs.set(isCallForced(request) ? "tools" : "tools_auto", "tools");
  }
  for (const [part, path] of eachMedia(request)) {
    refuseAccountFile(part, path);
    const need = PART_NEEDS[part.type];
    if (need && !needs.has(need)) needs.set(need, path);
  }
  return needs;
}

const WEB_ADDRESS = /^https?:/i;

/** Returns the field of the first image that the provider would have to fetch, or null. */
export function findImageUrl(request: ChatRequest): string | null {
  for (const [part, path] of eachMedia(request)) {
    if (part.type === "image_url" && WEB_ADDRESS.test(part.image_url.url)) return path;
  }
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
