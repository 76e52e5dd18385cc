// data: URLs, the form in which clients put images, audio and files into a request.

export interface DataUrl {
  /** Lower case, without parameters: `image/png`. */
  readonly mediaType: string;
  readonly base64: string;
}

const PREFIX = /^data:([^;,]*)((?:;[^;,]*)*),/i;

/** The parts of a data: URL; null for any other URL. Text that is not base64 is made so. */
export function parseDataUrl(url: string): DataUrl | null {
  const match = PREFIX.exec(url.slice(0, 500));
  if (!match) return null;
  const mediaType = (match[1] || "text/plain").toLowerCase();
  const payload = url.slice(match[0].length);
  if (/;base64/i.test(match[2] ?? "")) return { mediaType, base64: payload };
  return { mediaType, base64: Buffer.from(unescapePercent(payload)).toString("base64") };
}

const PERCENT = 0x25;

/** The bytes that a text stands for: `%` and two hexadecimal digits are one, other characters are in UTF-8. */
function unescapePercent(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const high = bytes[at] === PERCENT ? digitOf(bytes[at + 1]) : -1;
    const low = high === -1 ? -1 : digitOf(bytes[at + 2]);
    if (low !== -1) at += 2;
    bytes[length++] = low === -1 ? (bytes[at] ?? 0) : high * 16 + low;
  }
  return bytes.subarray(0, length);
}

/** The value of a hexadecimal digit in ASCII; -1 for any other byte. */
function digitOf(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
