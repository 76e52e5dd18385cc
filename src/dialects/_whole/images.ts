// The parts of an image request that several dialects share.

import type { JsonObject } from "../../core/json/json.ts";
import { Attachment } from "../../core/models/attachment.ts";
import { splitDataUrl } from "../../operations/chat/prompt/data-url.ts";
import type { ImageSource, ImagesRequest } from "../../operations/images/form.ts";
import type { Unsent } from "../../operations/leave-out.ts";
import { findMediaType } from "../../operations/media-types.ts";

/** A request's settings, with OpenAI's names. */
export const SETTINGS = [
  ["size", "size"],
  ["quality", "quality"],
  ["background", "background"],
  ["outputFormat", "output_format"],
  ["outputCompression", "output_compression"],
  ["frameCount", "frame_count"],
  ["moderation", "moderation"],
  ["style", "style"],
  ["responseFormat", "response_format"],
  ["inputFidelity", "input_fidelity"],
  ["partialImages", "partial_images"],
] as const satisfies Unsent<ImagesRequest>;

export type Setting = (typeof SETTINGS)[number][0];

/** Lists a request's settings by OpenAI's names. Those that are not set are undefined. */
export function listSettings(ask: ImagesRequest): JsonObject {
  return Object.fromEntries(SETTINGS.map(([field, name]) => [name, ask[field]]));
}

/** Returns the picture's address, in which a picture that is sent along has its true type. */
export function findUrl(source: ImageSource): string {
  const url = source instanceof Attachment ? source.toDataUrl() : source.url;
  const data = splitDataUrl(url);
  if (!data?.isBase64) return url;
  const type = findMediaType(data.payload, data.mediaType);
  return type === data.mediaType ? url : `data:${type};base64,${data.payload}`;
}
