// Files in the forms of Google's APIs as parts of chat messages, by their media types.
import { omitUndefined } from "../../core/json/json.ts";
import type { ContentPart } from "../../operations/chat/form.ts";
import { findSoundFormat, isSoundType } from "../../operations/sound-types.ts";
import { toStandardBase64 } from "./base64.ts";

/** Returns a file given as base64, in either alphabet. */
export function makeDataPart(mediaType: string, given: string, filename: string | undefined): ContentPart {
  const data = toStandardBase64(given);
  if (isSoundType(mediaType))
    return { type: "input_audio", input_audio: { data, format: findSoundFormat(mediaType) } };
  return makeUrlPart(`data:${mediaType};base64,${data}`, mediaType, filename);
}

/** Returns a file given by its address, which may be a data: URL. */
export function makeUrlPart(url: string, mediaType: string, filename: string | undefined): ContentPart {
  if (mediaType.startsWith("image/")) return { type: "image_url", image_url: { url } };
  return { type: "file", file: omitUndefined({ file_data: url, filename }) };
}
