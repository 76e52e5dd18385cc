// data: URLs, in which clients send images, audio and files.

interface DataUrl {
  /** Lower case, without parameters: `image/png`. */
  readonly mediaType: string;
  readonly base64: string;
}

const PREFIX = /^data:([^;,]*)((?:;[^;,]*)*),/i;

interface SplitDataUrl {
  readonly mediaType: string;
  readonly isBase64: boolean;
  /** Base64, or percent-encoded text. */
  readonly payload: string;
}

/** Splits a data: URL. Returns null for any other URL. */
export function splitDataUrl(url: string): SplitDataUrl | null {
  const match = PREFIX.exec(url.slice(0, 500));
  if (!match) return null;
  const mediaType = (match[1] || "text/plain").toLowerCase();
  return { mediaType, isBase64: /;base64/i.test(match[2] ?? ""), payload: url.slice(match[0].length) };
}

/** Parses a data: URL. Returns null for any other URL. Plain text is converted to base64. */
export function parseDataUrl(url: string): DataUrl | null {
  const split = splitDataUrl(url);
  if (!split) return null;
  const { mediaType, isBase64, payload } = split;
  if (isBase64) return { mediaType, base64: payload };
  return { mediaType, base64: Buffer.from(unescapePercent(payload)).toString("base64") };
}

const PERCENT = 0x25;

/** Returns the bytes of percent-encoded text: `%XX` is one byte, other characters are UTF-8. */
function unescapePercent(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const high = bytes[at] === PERCENT ? parseHexDigit(bytes[at + 1]) : -1;
    const low = high === -1 ? -1 : parseHexDigit(bytes[at + 2]);
    if (low !== -1) at += 2;
    bytes[length++] = low === -1 ? (bytes[at] ?? 0) : high * 16 + low;
  }
  return bytes.subarray(0, length);
}

/** Returns the value of an ASCII hex digit, or -1. */
function parseHexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
