// The capabilities that a request needs from a model.

import { Fault } from "../../core/faults/fault.ts";
import { asObject, asString } from "../../core/json/json.ts";
import { type Capability, can, type ModelCard } from "../../core/models/card.ts";
import { PICTURE_KINDS, type PictureKind } from "../../core/models/refusals.ts";
import type { findLimits } from "../../core/models/target-rows.ts";
import type { UrlKind } from "../codec.ts";
import { type ChatMessage, type ChatRequest, type ContentPart, isCallForced } from "./form.ts";
import { explainAddress, isPublicFile, isPublicImage } from "./prompt/address.ts";
import { findPart, listMedia, writePath } from "./prompt/media.ts";

/** Throws the Fault `unsupported_parameter` for a file that is neither in the request nor on the public web. */
function refuseAccountFile(part: ContentPart, param: string): void {
  const address = readAddress(part);
  if (address === undefined || (part.type === "file" ? isPublicFile(address) : isPublicImage(address)))
    return;
  throw new Fault("unsupported_parameter", explainAddress(address, param), { param });
}

function readAddress(part: ContentPart): string | undefined {
  if (part.type === "image_url") return part.image_url.url;
  if (part.type === "video_url") return part.video_url.url;
  return asString(asObject(part.file).file_data);
}

type NeededLimits = ReturnType<typeof findLimits>;

/** Each needed capability, with the request field that needs it: pictures and files in the newest user message only. */
export type Needs = ReadonlyMap<Capability, string>;

const NO_NEEDS: Needs = new Map<Capability, string>();

/** Tools, pictures and texts, of which a target may refuse the number, the size or the kind. */
interface Bulk {
  readonly tools: number;
  /** The size in base64 of the largest picture in the newest user message. */
  readonly pictureBytes: number;
  /** The length of the longest text in a message. */
  readonly textCharacters: number;
  /** Those in the newest user message, given as data. The type of others is known to their server alone. */
  readonly pictures: readonly PictureKind[];
  /** True with a video in the newest user message. */
  readonly hasVideo: boolean;
}

const NO_PICTURES: readonly PictureKind[] = [];
const PICTURE_TYPE = /^data:image\/(\w+)/i;

export function measureBulk(request: ChatRequest): Bulk {
  const tools = request.tools?.length ?? 0;
  const textCharacters = request.messages.reduce((most, one) => Math.max(most, countLongest(one)), 0);
  if (listMedia(request).length === 0)
    return { tools, textCharacters, pictureBytes: 0, pictures: NO_PICTURES, hasVideo: false };
  const urls = listPictures(request);
  const types = urls.map((url) => PICTURE_TYPE.exec(url)?.[1]?.toLowerCase());
  return {
    tools,
    textCharacters,
    pictureBytes: urls.reduce((most, url) => Math.max(most, url.length - url.indexOf(",") - 1), 0),
    pictures: PICTURE_KINDS.filter((kind) => types.includes(kind)),
    hasVideo: listMedia(request).some(({ type, isAsked }) => type === "video_url" && isAsked),
  };
}

function countLongest({ content }: ChatMessage): number {
  if (typeof content === "string") return content.length;
  let longest = 0;
  for (const part of content ?? []) if (part.type === "text") longest = Math.max(longest, part.text.length);
  return longest;
}

/** Returns the data: URLs of the pictures. */
function listPictures(request: ChatRequest): readonly string[] {
  return listMedia(request).flatMap((medium) => {
    const part = medium.isAsked && medium.type === "image_url" ? findPart(request, medium) : undefined;
    return part?.type === "image_url" && PICTURE_TYPE.test(part.image_url.url) ? [part.image_url.url] : [];
  });
}

/** Throws if the request has more of something, or of a kind, than the model takes. */
export function refuseBulk(card: ModelCard, request: ChatRequest, limits: NeededLimits): void {
  const bulk = measureBulk(request);
  const found = findExcess(bulk, limits);
  if (found === null) return;
  const [excess, need] = found;
  const param = need === "vision" ? (findNeeds(request).get(need) ?? "messages") : need;
  throw new Fault("unsupported_capability", `The model '${card.id}' ${excess}.`, { param });
}

/** Returns what the request has too much of, in words, with the field or the need. */
function findExcess(bulk: Bulk, limits: NeededLimits): readonly [words: string, field: string] | null {
  const { tools, pictureBytes, textCharacters, pictures, hasVideo } = bulk;
  if (hasVideo && !limits.takesVideos) return ["does not accept videos", "vision"];
  if (tools > limits.toolsMax)
    return [`takes at most ${limits.toolsMax} tools, and the request has ${tools}`, "tools"];
  if (pictureBytes > limits.pictureBytesMax) {
    const words = `takes images of at most ${limits.pictureBytesMax} bytes in base64, and one has ${pictureBytes}`;
    return [words, "vision"];
  }
  if (textCharacters > limits.textCharactersMax) {
    const words = `takes texts of at most ${limits.textCharactersMax} characters, and one has ${textCharacters}`;
    return [words, "messages"];
  }
  const untaken = pictures.find((kind) => limits.untakenPictures.includes(kind));
  return untaken === undefined ? null : [`does not accept images of the type ${untaken}`, "vision"];
}

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
