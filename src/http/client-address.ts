// The address a request comes from: the connection's or, behind a trusted proxy, the one that the proxy reports.

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

/** `trusted` lists the addresses or CIDR blocks whose `X-Forwarded-For`, `-Proto` and `-Host` are believed. */
export async function makeOriginReader(trusted: readonly string[]): Promise<ReadOrigin> {
  const list = trusted.length === 0 ? null : await buildTrusted(trusted);
  return (request, peers) => {
    const { headers } = request;
    const peer = normaliseAddress(peers?.requestIP(request)?.address ?? "");
    const named = (header: string) => (headers.get(header) ?? "").split(",").map((one) => one.trim());
    const host = headers.get("host") ?? "";
    if (!list?.holds(peer)) return { address: peer, isSecure: false, hosts: [host] };
    return {
      address: findClientAddress(list, peer, named("x-forwarded-for")),
      isSecure: named("x-forwarded-proto")[0]?.toLowerCase() === "https",
      hosts: [host, named("x-forwarded-host")[0] ?? ""].filter((one) => one !== ""),
    };
  };
}

/** Returns the first address from the right that is not a trusted proxy: each proxy appends its peer. */
function findClientAddress(list: Trusted, peer: string, hops: readonly string[]): string {
  let address = peer;
  for (const hop of hops.slice(-HOPS_MAX).reverse()) {
    const heard = normaliseAddress(hop);
    if (!list.isAddress(heard)) return address;
    address = heard;
    if (!list.holds(address)) return address;
  }
  return address;
}

/** Returns an address without its port, brackets and zone, and without the prefix of an IPv4-mapped one. */
function normaliseAddress(text: string): string {
  const bracketed = /^\[([^\]]+)\](:\d+)?$/.exec(text)?.[1];
  const bare = bracketed ?? text.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1");
  return bare.replace(/%.*$/, "").replace(/^::ffff:(?=\d+\.)/i, "");
}

interface Trusted {
  isAddress(text: string): boolean;
  holds(address: string): boolean;
}

/** Imported only here: without trusted proxies, the gateway starts 3 ms sooner. */
async function buildTrusted(trusted: readonly string[]): Promise<Trusted> {
  const { BlockList, isIP } = await import("node:net");
  const familyOf = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");
  const list = new BlockList();
  for (const entry of trusted) {
    const [address = "", bits] = entry.split("/");
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  const isAddress = (text: string) => isIP(text) !== 0;
  return { isAddress, holds: (address) => isAddress(address) && list.check(address, familyOf(address)) };
}
