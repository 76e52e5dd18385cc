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
  return { mediaType, base64: btoa(unescapePercent(payload)) };
}

function unescapePercent(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
