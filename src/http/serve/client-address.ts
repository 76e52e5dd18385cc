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
/** Returns the address alone, which most requests need no more than. */
export type ReadAddress = (request: Request, peers: Peers | null) => string;

const HOPS_MAX = 32;
/** The network interface of a local IPv6 address: `fe80::1%eth0`. */
const ZONE = /%[^/]*/;
const BRACKETED = /^\[([^\]]+)\](:\d+)?$/;
const WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):\d+$/;
const MAPPED = /^::ffff:(?=\d+\.)/i;

/** `trusted` lists the addresses or CIDR blocks whose `X-Forwarded-For`, `-Proto` and `-Host` are believed. */
export function makeOriginReader(trusted: readonly string[]): ReadOrigin {
  const readAddress = makeAddressReader(trusted);
  const blocks = listBlocks(trusted);
  return (request, peers) => {
    const { headers } = request;
    const address = readAddress(request, peers);
    const host = headers.get("host") ?? "";
    if (!isWithin(blocks, readPeer(request, peers))) return { address, isSecure: false, hosts: [host] };
    return {
      address,
      isSecure: listValues(headers, "x-forwarded-proto")[0]?.toLowerCase() === "https",
      hosts: [host, listValues(headers, "x-forwarded-host")[0] ?? ""].filter((one) => one !== ""),
    };
  };
}

/** The same for the address alone. */
export function makeAddressReader(trusted: readonly string[]): ReadAddress {
  const blocks = listBlocks(trusted);
  return (request, peers) => {
    const peer = readPeer(request, peers);
    if (!isWithin(blocks, peer)) return peer;
    return findClientAddress(blocks, peer, listValues(request.headers, "x-forwarded-for"));
  };
}

function listBlocks(trusted: readonly string[]): readonly string[] {
  return trusted.map((block) => block.replace(ZONE, ""));
}

/** Returns the address of the connection itself, which may be a proxy's. */
export function readPeer(request: Request, peers: Peers | null): string {
  return normaliseAddress(peers?.requestIP(request)?.address ?? "");
}

function listValues(headers: Headers, name: string): readonly string[] {
  return (headers.get(name) ?? "").split(",").map((one) => one.trim());
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
  const bracketed = BRACKETED.exec(text)?.[1];
  const bare = bracketed ?? text.replace(WITH_PORT, "$1");
  return bare.replace(ZONE, "").replace(MAPPED, "");
}
