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
