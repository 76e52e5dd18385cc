// The address a request comes from: the connection's or, behind a trusted proxy, the one that the proxy reports.

import { isAddress, isWithin } from "../../core/world/address.ts";

/** The part of Bun's server that knows peer addresses. */
export interface Peers {
  requestIP(request: Request): { readonly address: string } | null;
}

interface ClientOrigin {
  /** An IP address. Empty if the connection is already closed. */
  readonly address: string;
  /** True if the client's own connection is encrypted. */
  readonly isSecure: boolean;
  /** The hosts that the client may have addressed. */
  readonly hosts: readonly string[];
}

export type ReadOrigin = (request: Request, peers: Peers | null) => ClientOrigin;

const HOPS_MAX = 32;
/** The network interface of a local IPv6 address: `fe80::1%eth0`. */
const ZONE = /%[^/]*/;

/** `trusted` lists the addresses or CIDR blocks whose `X-Forwarded-For`, `-Proto` and `-Host` are believed. */
export function makeOriginReader(trusted: readonly string[]): ReadOrigin {
  const blocks = trusted.map((block) => block.replace(ZONE, ""));
  return (request, peers) => {
    const { headers } = request;
    const peer = normaliseAddress(peers?.requestIP(request)?.address ?? "");
    const named = (header: string) => (headers.get(header) ?? "").split(",").map((one) => one.trim());
    const host = headers.get("host") ?? "";
    if (!isWithin(blocks, peer)) return { address: peer, isSecure: false, hosts: [host] };
    return {
      address: findClientAddress(blocks, peer, named("x-forwarded-for")),
      isSecure: named("x-forwarded-proto")[0]?.toLowerCase() === "https",
      hosts: [host, named("x-forwarded-host")[0] ?? ""].filter((one) => one !== ""),
    };
  };
}

/** Returns the first address from the right that is not a trusted proxy: each proxy appends its peer. */
function findClientAddress(trusted: readonly string[], peer: string, hops: readonly string[]): string {
  let address = peer;
  for (const hop of hops.slice(-HOPS_MAX).reverse()) {
    const heard = normaliseAddress(hop);
    if (!isAddress(heard)) return address;
    address = heard;
    if (!isWithin(trusted, address)) return address;
  }
  return address;
}

/** Returns an address without its port, brackets and zone, and without the prefix of an IPv4-mapped one. */
function normaliseAddress(text: string): string {
  const bracketed = /^\[([^\]]+)\](:\d+)?$/.exec(text)?.[1];
  const bare = bracketed ?? text.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1");
  return bare.replace(ZONE, "").replace(/^::ffff:(?=\d+\.)/i, "");
}
