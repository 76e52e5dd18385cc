// The addresses that a list of prices may be fetched from.

const ADDRESS = /^[a-z][a-z\d+.-]*:\/\//i;

/** True for an address. Anything else is a path. */
export function isListAddress(from: string): boolean {
  return ADDRESS.test(from);
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Returns why a list can't be fetched from that address, or null. Over plain http anyone on the way could set prices. */
export function refuseFeedAddress(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return "is no URL";
  if (url.username !== "" || url.password !== "") return "must not contain credentials";
  if (url.protocol === "https:" || LOOPBACK.test(url.hostname)) return null;
  return "must begin with https:// (http:// only on this machine)";
}
