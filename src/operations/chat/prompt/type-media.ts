// Pictures, files and sounds by what they are: their first bytes decide which part of a message they are, whatever the
// client declared.
import type { JsonObject } from "../../../core/json/json.ts";
import { findMediaType } from "../../media-types.ts";
import { findSoundFormat, findSoundType, isSoundType, nameSoundType } from "../../sound-types.ts";
import type { AudioPart, ContentPart, FilePart, ImagePart } from "../form.ts";
import { splitDataUrl } from "./data-url.ts";

const PDF = "application/pdf";
/** Names of files that are read as a PDF where no type is given. */
const PDF_NAME = /^$|\.pdf$/i;
const ADDRESS = /^\s*[a-z][a-z0-9+.-]*:/i;

/** Returns the part with its true type. The same object if that is declared. */
export function typePart(part: ContentPart): ContentPart {
  switch (part.type) {
    case "image_url":
      return typeImage(part);
    case "file":
      return typeFile(part);
    case "input_audio":
      return typeSound(part);
    default:
      return part;
  }
}

function typeImage(part: ImagePart): ContentPart {
  const { image_url: image, ...rest } = part;
  const data = splitDataUrl(image.url);
  if (!data?.isBase64) return part;
  const type = findMediaType(data.payload, data.mediaType);
  const url = type === data.mediaType ? image.url : `data:${type};base64,${data.payload}`;
  if (type === PDF) return { ...rest, type: "file", file: { file_data: url } };
  if (isSoundType(type)) return { ...rest, type: "input_audio", input_audio: makeSound(type, data.payload) };
  return url === image.url ? part : { ...rest, type: "image_url", image_url: { ...image, url } };
}

function typeFile(part: FilePart): ContentPart {
  const { file_data: given, filename = "" } = part.file;
  const data = splitDataUrl(given);
  if (data ? !data.isBase64 : ADDRESS.test(given)) return part;
  const base64 = data?.payload ?? given;
  const declared = data?.mediaType ?? (PDF_NAME.test(filename) ? PDF : "");
  const type = findMediaType(base64, declared);
  const url = type === data?.mediaType ? given : `data:${type};base64,${base64}`;
  if (type.startsWith("image/")) {
    const { file: _, citations: __, ...rest }: FilePart & JsonObject = part;
    return { ...rest, type: "image_url", image_url: { url } };
  }
  return type === declared ? part : { ...part, file: { ...part.file, file_data: url } };
}

function typeSound(part: AudioPart): ContentPart {
  const { input_audio: sound, ...rest } = part;
  const declared = nameSoundType(findSoundType(sound.format));
  const type = findMediaType(sound.data, declared);
  if (type === declared) return part;
  if (isSoundType(type)) return { ...part, input_audio: { ...sound, format: findSoundFormat(type) } };
  const url = `data:${type};base64,${sound.data}`;
  if (type === PDF) return { ...rest, type: "file", file: { file_data: url } };
  return { ...rest, type: "image_url", image_url: { url } };
}

function makeSound(type: string, data: string): AudioPart["input_audio"] {
  return { data, format: findSoundFormat(type) };
}
