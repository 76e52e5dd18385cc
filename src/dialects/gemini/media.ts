// Images, sound and documents of a message as Gemini's inline data or file references. Nothing is ever fetched.

import type { JsonObject } from "../../core/json/json.ts";
import type { AudioPart, ContentPart, FilePart } from "../../operations/chat/form.ts";
import { joinText } from "../../operations/chat/prompt/content-text.ts";
import { parseDataUrl } from "../../operations/chat/prompt/data-url.ts";
import { findSoundType, nameSoundType, SOUND_EXTENSIONS } from "../../operations/sound-types.ts";

/** Extensions that name their media type's subtype. */
const NAMED = {
  image: ["jpeg", "png", "webp", "gif", "heic", "heif", "bmp"],
  video: ["mp4", "mpeg", "webm"],
  application: ["pdf", "json"],
  text: ["xml", "html", "css", "csv"],
};
const TYPES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(NAMED).flatMap(([kind, names]) =>
    names.map((name) => [name, `${kind}/${name}`] as const),
  ),
  ...SOUND_EXTENSIONS.map((name) => [name, findSoundType(name)] as const),
  ...Object.entries({ jpg: "image/jpeg", svg: "image/svg+xml", mov: "video/quicktime" }),
  ...Object.entries({ mpg: "video/mpeg", md: "text/markdown", txt: "text/plain" }),
]);
/** A name of clients' for a media type, and Gemini's for it. */
const JPG = "image/jpg";
const JPEG = "image/jpeg";
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Guesses the type from the extension of a file name or URL. Undefined if there is none. */
function guessType(nameOrUrl: string | undefined): string | undefined {
  const path = nameOrUrl?.split(/[?#]/, 1)[0] ?? "";
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1] ?? "";
  return TYPES.get(extension.toLowerCase());
}

function makeInline(mimeType: string, data: string): JsonObject {
  return { inlineData: { mimeType: mimeType === JPG ? JPEG : nameSoundType(mimeType), data } };
}

/** Sends a data: URL inline. Google fetches any other address itself (Gemini API, "File input methods"). */
function makeMediaPart(url: string, fallbackType: string): JsonObject {
  const data = parseDataUrl(url);
  if (data) return makeInline(data.mediaType, data.base64);
  return { fileData: { mimeType: guessType(url) ?? fallbackType, fileUri: url } };
}

function makeAudioPart({ data, format }: AudioPart["input_audio"]): JsonObject {
  return makeInline(findSoundType(format), data);
}

/** Makes a file part from its bytes or address. */
function makeFilePart({ file_data: data, filename }: FilePart["file"]): JsonObject {
  const type = guessType(filename) ?? "application/pdf";
  if (ADDRESS.test(data)) return makeMediaPart(data, type);
  const url = parseDataUrl(data);
  if (!url) return makeInline(type, data);
  return makeInline(url.mediaType === "application/octet-stream" ? type : url.mediaType, url.base64);
}

/** Leaves out empty texts, which the API refuses. */
export function makeContentPart(part: ContentPart): JsonObject[] {
  switch (part.type) {
    case "text":
    case "refusal": {
      const text = joinText([part]);
      return text === "" ? [] : [{ text }];
    }
    case "image_url":
      return [makeMediaPart(part.image_url.url, "image/jpeg")];
    case "video_url":
      return [makeMediaPart(part.video_url.url, "video/mp4")];
    case "input_audio":
      return [makeAudioPart(part.input_audio)];
    case "file":
      return [makeFilePart(part.file)];
  }
}
