// Images, sound and documents of a message as Gemini's inline data or file references. Nothing is ever fetched.

import { Fault } from "../../core/fault.ts";
import type { JsonObject } from "../../core/json.ts";
import { parseDataUrl } from "../../operations/chat/data-url.ts";
import type { AudioPart, FilePart } from "../../operations/chat/form.ts";
import { isAccountFile } from "../../operations/chat/needs.ts";

const TYPES: ReadonlyMap<string, string> = new Map([
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["png", "image/png"],
  ["webp", "image/webp"],
  ["gif", "image/gif"],
  ["heic", "image/heic"],
  ["heif", "image/heif"],
  ["bmp", "image/bmp"],
  ["svg", "image/svg+xml"],
  ["wav", "audio/wav"],
  ["mp3", "audio/mpeg"],
  ["aac", "audio/aac"],
  ["aiff", "audio/aiff"],
  ["flac", "audio/flac"],
  ["ogg", "audio/ogg"],
  ["opus", "audio/opus"],
  ["m4a", "audio/m4a"],
  ["mp4", "video/mp4"],
  ["mov", "video/quicktime"],
  ["mpeg", "video/mpeg"],
  ["mpg", "video/mpeg"],
  ["webm", "video/webm"],
  ["pdf", "application/pdf"],
  ["json", "application/json"],
  ["xml", "text/xml"],
  ["html", "text/html"],
  ["css", "text/css"],
  ["csv", "text/csv"],
  ["md", "text/markdown"],
  ["txt", "text/plain"],
]);
/** Clients' names of media types, and Gemini's names for them. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["image/jpg", "image/jpeg"],
  ["audio/mp3", "audio/mpeg"],
]);
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Guesses the type from the extension of a file name or URL. Undefined if there is none. */
function guessType(nameOrUrl: string | undefined): string | undefined {
  const path = nameOrUrl?.split(/[?#]/, 1)[0] ?? "";
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1] ?? "";
  return TYPES.get(extension.toLowerCase());
}

function makeInline(mimeType: string, data: string): JsonObject {
  return { inlineData: { mimeType: ALIASES.get(mimeType) ?? mimeType, data } };
}

/**
 * Sends a data: URL inline. Google fetches any other address itself (Gemini API, "File input methods"). Throws a Fault
 * for one in the provider's account.
 */
export function makeMediaPart(url: string, fallbackType: string, param: string): JsonObject {
  const data = parseDataUrl(url);
  if (data) return makeInline(data.mediaType, data.base64);
  if (isAccountFile(url)) {
    const message = `'${param}' is not supported here. A file belongs to the provider's account, which all clients share.`;
    throw new Fault("unsupported_parameter", message, { param });
  }
  return { fileData: { mimeType: guessType(url) ?? fallbackType, fileUri: url } };
}

export function makeAudioPart({ data, format }: AudioPart["input_audio"]): JsonObject {
  return makeInline(TYPES.get(format.toLowerCase()) ?? `audio/${format}`, data);
}

/** Makes a file part from its bytes or address. */
export function makeFilePart({ file_data: data, filename }: FilePart["file"], param: string): JsonObject {
  const type = guessType(filename) ?? "application/pdf";
  if (ADDRESS.test(data)) return makeMediaPart(data, type, param);
  const url = parseDataUrl(data);
  if (!url) return makeInline(type, data);
  return makeInline(url.mediaType === "application/octet-stream" ? type : url.mediaType, url.base64);
}
