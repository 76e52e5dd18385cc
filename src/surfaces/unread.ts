// Text that only a provider of the client's family reads: it is in no canonical field, but costs just as much.
import { asObject, isObject, type JsonObject } from "../core/json/json.ts";

/** The quotes, colons, commas and brackets around each JSON entry. */
const QUOTING_BYTES = 4;
/** The provider counts about 4 characters of encrypted content a token; text may have only 1.4 bytes a token. */
const SEALED_SHARE = 0.35;
/** The largest image's tokens, at 1.4 bytes a token. */
const IMAGE_BYTES_MAX = 14_000;

/** A file that the provider fetches may fill its context. No model reads more than 2 million tokens. */
const REMOTE_FILE_BYTES = 2_800_000;

/** Returns the bytes of a value's text, for the hold before the call. */
export function countUnread(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (Array.isArray(value)) {
    return value.reduce((bytes: number, one) => bytes + QUOTING_BYTES + countUnread(one), QUOTING_BYTES);
  }
  if (!isObject(value)) return QUOTING_BYTES;
  let bytes = QUOTING_BYTES;
  for (const field in value) {
    bytes += Buffer.byteLength(field) + QUOTING_BYTES + countField(field, value[field]);
  }
  return bytes;
}

function countField(field: string, value: unknown): number {
  const bytes = countUnread(value);
  switch (field) {
    case "encrypted_content":
      return Math.ceil(bytes * SEALED_SHARE);
    case "image_url":
      return Math.min(bytes, IMAGE_BYTES_MAX);
    case "inlineData":
    case "inline_data":
      return isImage(asObject(value)) ? Math.min(bytes, IMAGE_BYTES_MAX) : bytes;
    case "fileData":
    case "file_data":
      return isObject(value) ? REMOTE_FILE_BYTES : bytes;
    default:
      return bytes;
  }
}

function isImage({ mimeType, mime_type }: JsonObject): boolean {
  return /^image\//i.test(String(mimeType ?? mime_type));
}
