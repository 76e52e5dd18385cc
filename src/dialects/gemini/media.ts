// Images, sound and documents of a message as Gemini's inline data or file references. Nothing is ever fetched.

import type { JsonObject } from "../../core/json.ts";
import { parseDataUrl } from "../../operations/chat/data-url.ts";
import type { AudioPart, FilePart } from "../../operations/chat/form.ts";

/** Gemini's names for media types that clients or the runtime name otherwise. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["image/jpg", "image/jpeg"],
  ["image/x-ms-bmp", "image/bmp"],
  ["audio/mp3", "audio/mpeg"],
  ["audio/m4a", "audio/mp4"],
  ["application/xml", "text/xml"],
]);
const UNKNOWN = "application/octet-stream";
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Guesses the type from the extension of a file name or URL. Undefined if there is none. */
function guessType(nameOrUrl: string | undefined): string | undefined {
  const path = nameOrUrl?.split(/[?#]/, 1)[0] ?? "";
  const extension = /\.([a-z0-9]{1,10})$/i.exec(path)?.[1]?.toLowerCase();
  const [known = UNKNOWN] = Bun.file(`name.${extension ?? ""}`).type.split(";");
  const type = known.replace("audio/x-", "audio/");
  return type === UNKNOWN ? undefined : (ALIASES.get(type) ?? type);
}

function makeInline(mimeType: string, data: string): JsonObject {
  return { inlineData: { mimeType: ALIASES.get(mimeType) ?? mimeType, data } };
}

/** Sends a data: URL inline. Google fetches any other address itself (Gemini API, "File input methods"). */
export function makeMediaPart(url: string, fallbackType: string): JsonObject {
  const data = parseDataUrl(url);
  if (data) return makeInline(data.mediaType, data.base64);
  return { fileData: { mimeType: guessType(url) ?? fallbackType, fileUri: url } };
}

export function makeAudioPart({ data, format }: AudioPart["input_audio"]): JsonObject {
  return makeInline(guessType(`name.${format}`) ?? `audio/${format}`, data);
}

/** Makes a file part from its bytes or address. */
export function makeFilePart({ file_data: data, filename }: FilePart["file"]): JsonObject {
  const type = guessType(filename) ?? "application/pdf";
  if (ADDRESS.test(data)) return makeMediaPart(data, type);
  const url = parseDataUrl(data);
  if (!url) return makeInline(type, data);
  return makeInline(url.mediaType === UNKNOWN ? type : url.mediaType, url.base64);
}
