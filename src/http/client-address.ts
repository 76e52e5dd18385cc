// Where a request comes from: the connection's address or, behind a proxy that the operator trusts, what that one says.
import { BlockList, isIP } from "node:net";

/** The part of Bun's server that knows connections. */
export interface Peers {
  requestIP(request: Request): { readonly address: string } | null;
}

export interface ClientOrigin {
  /** An IP address; empty when the connection is gone already. */
  readonly address: string;
  /** The client's own connection is encrypted. */
  readonly isSecure: boolean;
  /** The hosts that the client may have asked. */
  readonly hosts: readonly string[];
}

export type ReadOrigin = (request: Request, peers: Peers | null) => ClientOrigin;

const HOPS_MAX = 32;

/** `trusted`: addresses or CIDR blocks whose `X-Forwarded-For`, `-Proto` and `-Host` are believed. */
export function originReader(trusted: readonly string[]): ReadOrigin {
  const list = blockListOf(trusted);
  return (request, peers) => {
    const { headers } = request;
    const peer = plain(peers?.requestIP(request)?.address ?? "");
    const named = (header: string) => (headers.get(header) ?? "").split(",").map((one) => one.trim());
    const host = headers.get("host") ?? "";
    if (!isIn(list, peer)) return { address: peer, isSecure: false, hosts: [host] };
    return {
      address: farthest(list, peer, named("x-forwarded-for")),
      isSecure: named("x-forwarded-proto")[0]?.toLowerCase() === "https",
      hosts: [host, named("x-forwarded-host")[0] ?? ""].filter((one) => one !== ""),
    };
  };
}

/** Each proxy adds on the right whom it heard: the first from there that is no trusted proxy is the client. */
function farthest(list: BlockList, peer: string, hops: readonly string[]): string {
  let address = peer;
  for (const hop of hops.slice(-HOPS_MAX).reverse()) {
    const heard = plain(hop);
    if (isIP(heard) === 0) return address;
    address = heard;
    if (!isIn(list, address)) return address;
  }
  return address;
}

/** Without the port, the brackets, the zone, and IPv4's dress as IPv6. */
function plain(text: string): string {
  const bracketed = /^\[([^\]]+)\](:\d+)?$/.exec(text)?.[1];
  const bare = bracketed ?? text.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1");
  return bare.replace(/%.*$/, "").replace(/^::ffff:(?=\d+\.)/i, "");
}

function blockListOf(trusted: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of trusted) {
    const [address = "", bits] = entry.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

function isIn(list: BlockList, address: string): boolean {
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 6 ? "ipv6" : "ipv4");
}
