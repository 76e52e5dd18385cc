// Addresses of pictures and files in a request: which of them lie on the public web, where a provider's own account has
// no more rights than anybody else.

/** Hosts of Google's APIs. They read files by the rights of the secret that the gateway sends. */
const VENDOR_HOST = /(^|\.)googleapis\.com\.?$/;
/** Anything else is read differently by different parsers: white space, backslashes, controls, invisible characters. */
const PLAIN = /^https?:\/\/[^/\\?#\s\p{C}][^\\\s\p{C}]*$/iu;

/** True for a URL on the public web, outside the vendors' own hosts. */
function isPublicUrl(address: string): boolean {
  if (!PLAIN.test(address) || !URL.canParse(address)) return false;
  return !VENDOR_HOST.test(new URL(address).hostname);
}

/** True for such a URL that is encrypted. */
export function isSecureUrl(address: string): boolean {
  return /^https:/i.test(address) && isPublicUrl(address);
}

const DATA_URL = /^data:/i;
const SCHEME = /^\s*[a-z][a-z0-9+.-]*:/i;

/** True for an image that is in the request or on the public web. */
export function isPublicImage(address: string): boolean {
  return DATA_URL.test(address) || isPublicUrl(address);
}

/** Like `isPublicImage`, for a file: its content may also be plain base64, which names nothing. */
export function isPublicFile(content: string): boolean {
  if (SCHEME.test(content)) return isPublicImage(content);
  return !/^\s*files\//i.test(content);
}

/** Enough of a text to tell base64 from an address. */
const HEAD_CHARACTERS = 200;
/** Shorter texts may be names. */
const BASE64_CHARACTERS_MIN = 24;
const BASE64 = /^[A-Za-z0-9+/\s_-]+=*\s*$/;
/** The first bytes of files in base64, by their types. */
const TYPES: Readonly<Record<string, string>> = {
  iVBOR: "image/png",
  "/9j/": "image/jpeg",
  R0lGOD: "image/gif",
  UklGR: "image/webp",
  JVBER: "application/pdf",
};
/** `file:`, `/home/…`, `./cat.png`, `C:\…`, and a bare name with an extension. */
const LOCAL = /^\s*(file:|[.~]{0,2}\/|[a-z]:\\|[^:/\\]+\.\w{2,4}\s*$)/i;

/** Says why an address leads to nothing that a model may read, and what to send in its place. */
export function explainAddress(address: string, param: string): string {
  const head = address.slice(0, HEAD_CHARACTERS);
  const begin = Object.keys(TYPES).find((one) => head.trimStart().startsWith(one));
  const prefix = `data:${TYPES[begin ?? ""] ?? "image/png"};base64,`;
  if (address.length >= BASE64_CHARACTERS_MIN && BASE64.test(head))
    return `'${param}' is base64 without its type: put "${prefix}" before it.`;
  if (LOCAL.test(head))
    return `'${param}' names a file of your own machine, which nobody else can read: send its content in base64, with "${prefix}" before it.`;
  return `'${param}' is not supported here: only data and URLs on the public web are. A file belongs to the provider's account, which all clients share.`;
}
