// Text that only a provider of the client's family reads: it is in no canonical field, but costs just as much.
import { isObject } from "../core/json.ts";

/** The quotes, colons, commas and brackets around each JSON entry. */
const QUOTING_BYTES = 4;
/** The provider counts about 4 characters of encrypted content a token; text may have only 1.4 bytes a token. */
const SEALED_SHARE = 0.35;
/** The largest image's tokens, at 1.4 bytes a token. */
const IMAGE_BYTES_MAX = 14_000;

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
  if (field === "encrypted_content") return Math.ceil(bytes * SEALED_SHARE);
  return field === "image_url" ? Math.min(bytes, IMAGE_BYTES_MAX) : bytes;
}
