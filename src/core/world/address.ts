// IP addresses, and blocks of them in CIDR notation. An IPv4 address mapped to IPv6 counts as IPv4.
import { BlockList, isIP } from "node:net";

const BITS = { ipv4: 32, ipv6: 128 } as const;
type AddressFamily = keyof typeof BITS;

interface AddressBlock {
  readonly address: string;
  readonly family: AddressFamily;
  /** The number of leading bits that all its addresses share. */
  readonly shared: number;
}

const LENGTH = /^(0|[1-9]\d{0,2})$/;
/** The block of mapped IPv4 addresses, `::ffff:0:0/96` (RFC 4291). */
const MAPPED_SHARED = 96;
const MAPPED = new BlockList();
MAPPED.addSubnet("::ffff:0:0", MAPPED_SHARED, "ipv6");

/** Returns null for anything but an IP address. Zones and ports are not part of one. */
function findFamily(text: string): AddressFamily | null {
  if (text.includes("%")) return null;
  const version = isIP(text);
  if (version === 0) return null;
  return version === 4 ? "ipv4" : "ipv6";
}

/** True for IPv4 addresses, mapped or not. */
function isIpv4(address: string, family: AddressFamily): boolean {
  return family === "ipv4" || MAPPED.check(address, family);
}

export function isAddress(text: string): boolean {
  return findFamily(text) !== null;
}

/** Parses `10.0.0.0/8`, `2001:db8::/32` or a single address. Returns null for anything else. */
function parseBlock(text: string): AddressBlock | null {
  const [address = "", length, ...rest] = text.split("/");
  const family = findFamily(address);
  if (family === null || rest.length > 0) return null;
  if (length === undefined) return { address, family, shared: BITS[family] };
  const shared = LENGTH.test(length) ? Number(length) : Number.POSITIVE_INFINITY;
  const least = family === "ipv6" && MAPPED.check(address, family) ? MAPPED_SHARED : 0;
  return shared >= least && shared <= BITS[family] ? { address, family, shared } : null;
}

export function isAddressBlock(text: string): boolean {
  return parseBlock(text) !== null;
}

/** True if one of the blocks contains all addresses of another block. */
export function containsBlock(blocks: readonly string[], block: string): boolean {
  const inner = parseBlock(block);
  if (inner === null) return false;
  return blocks.some((one) => {
    const outer = parseBlock(one);
    return outer !== null && countShared(outer) <= countShared(inner) && isWithin([one], inner.address);
  });
}

/** The leading bits that a block's addresses share, those of the block of mapped addresses left out. */
function countShared({ address, family, shared }: AddressBlock): number {
  return family === "ipv6" && isIpv4(address, family) ? shared - MAPPED_SHARED : shared;
}

/** The blocks of IPv4 apart from the others, because `::/0` would contain mapped addresses as well. */
interface AddressBlocks {
  readonly ipv4: BlockList;
  readonly ipv6: BlockList;
}

/** Keyed by the list, which is reused between requests. */
const parsed = new WeakMap<readonly string[], AddressBlocks>();

function parseBlocks(blocks: readonly string[]): AddressBlocks {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const { address, family, shared } of blocks.flatMap((block) => parseBlock(block) ?? [])) {
    lists[isIpv4(address, family) ? "ipv4" : "ipv6"].addSubnet(address, shared, family);
  }
  return lists;
}

/** True if one of the blocks contains the address. Anything that isn't an address is in none. */
export function isWithin(blocks: readonly string[], address: string): boolean {
  // Without trusted proxies, each request asks for an empty list.
  if (blocks.length === 0) return false;
  const family = findFamily(address);
  if (family === null) return false;
  return parsed
    .getOrInsertComputed(blocks, parseBlocks)
    [isIpv4(address, family) ? "ipv4" : "ipv6"].check(address, family);
}

const PRIVATE = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "::1", "fc00::/7"];
const PRIVATE_NAME = /^localhost$|^[a-z0-9-]+$|\.(internal|local|localhost|svc|lan)$/i;

/** True for the host of a URL that is on this machine or in a private network, by its address or its name. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  return isWithin(PRIVATE, host) || (!/^[\d.]+$/.test(host) && PRIVATE_NAME.test(host));
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** True for the host of a URL that is this machine itself. */
export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

const KEPT_PARTS = 3;

/** Returns the network that an address belongs to: /24, or /48 of IPv6. Anything else is returned as null. */
export function cutAddress(address: string): string | null {
  const family = findFamily(address);
  if (family === null) return null;
  if (family === "ipv4") return `${address.split(".").slice(0, KEPT_PARTS).join(".")}.0/24`;
  return `${expandAddress(address).slice(0, KEPT_PARTS).join(":")}::/48`;
}

const HOST_PARTS = 4;

/** Returns the block that one host may have to itself: an IPv4 address, or /64 of IPv6. Anything else stays as it is. */
export function cutToHost(address: string): string {
  if (findFamily(address) !== "ipv6") return address;
  return `${expandAddress(address).slice(0, HOST_PARTS).join(":")}::/64`;
}

/** Returns the groups of an IPv6 address, without leading zeros. */
function expandAddress(address: string): readonly string[] {
  const [head = "", tail] = address.toLowerCase().split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: Math.max(0, GROUPS - before.length - after.length) }, () => "0");
  return [...before, ...zeros, ...after].map((group) => group.replace(/^0+(?=.)/, ""));
}

const GROUPS = 8;
