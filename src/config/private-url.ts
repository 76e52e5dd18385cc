// Addresses on the way to which nobody listens, so that http is good enough.
import { isWithin } from "../core/address.ts";

const PRIVATE = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "::1", "fc00::/7"];
const PRIVATE_NAME = /^localhost$|^[a-z0-9-]+$|\.(internal|local|localhost|svc|lan)$/i;

/** True for https, and for http to a private address or name. */
export function isSafeUrl({ protocol, hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  const isPrivate = isWithin(PRIVATE, host) || (!/^[\d.]+$/.test(host) && PRIVATE_NAME.test(host));
  return protocol === "https:" || (protocol === "http:" && isPrivate);
}
