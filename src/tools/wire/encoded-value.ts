// Values of the newer era's headers: plain ASCII as they are, anything else as `=?base64?…?=`.

const PREFIX = "=?base64?";
const SUFFIX = "?=";
const PLAIN = /^(?:[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)?$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function isEncoded(value: string): boolean {
  return value.length >= PREFIX.length + SUFFIX.length && value.startsWith(PREFIX) && value.endsWith(SUFFIX);
}

export function encodeHeaderValue(text: string): string {
  if (PLAIN.test(text) && !isEncoded(text)) return text;
  return `${PREFIX}${Buffer.from(text).toString("base64")}${SUFFIX}`;
}

/** Returns null for a value with invalid characters, or with base64 or UTF-8 that doesn't read. */
export function decodeHeaderValue(value: string): string | null {
  if (!isEncoded(value)) return PLAIN.test(value) ? value : null;
  const encoded = value.slice(PREFIX.length, -SUFFIX.length);
  if (!BASE64.test(encoded)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(encoded, "base64"));
  } catch {
    return null;
  }
}
