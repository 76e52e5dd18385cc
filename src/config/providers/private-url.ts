// Addresses on the way to which nobody listens, so that http is good enough.
import { isPrivateHost } from "../../core/world/address.ts";

/** True for https, and for http to a private address or name. */
export function isSafeUrl({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isPrivateHost(hostname));
}
