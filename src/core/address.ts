// IP addresses, and blocks of them in CIDR notation. An IPv4 address mapped to IPv6 counts as IPv4.

interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

interface AddressBlock extends Address {
  /** The number of leading bits that all its addresses share. */
  readonly shared: number;
}

const PART = "(0|[1-9]\\d{0,2})";
const IPV4 = new RegExp(`^${PART}\\.${PART}\\.${PART}\\.${PART}$`);
const GROUP = /^[0-9a-f]{1,4}$/i;
const GROUPS = 8;
const LENGTH = /^(0|[1-9]\d{0,2})$/;
/** The upper 96 bits of `::ffff:0:0/96`, the block of mapped IPv4 addresses (RFC 4291). */
const MAPPED = 0xffffn;

/** Returns null for anything but an IP address. Zones and ports are not part of one. */
function parseAddress(text: string): Address | null {
  const short = parseIpv4(text);
  if (short !== null) return { bits: 32, value: short };
  const long = parseIpv6(text);
  if (long === null) return null;
  return long >> 32n === MAPPED ? { bits: 32, value: long & 0xffffffffn } : { bits: 128, value: long };
}

export function isAddress(text: string): boolean {
  return parseAddress(text) !== null;
}

function parseIpv4(text: string): bigint | null {
  const parts = IPV4.exec(text)?.slice(1).map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) return null;
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function parseIpv6(text: string): bigint | null {
  const [head = "", tail, ...more] = spellInGroups(text).split("::");
  const [left, right] = [parseGroups(head), parseGroups(tail ?? "")];
  if (left === null || right === null || more.length > 0) return null;
  const missing = GROUPS - left.length - right.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return null;
  const groups = [...left, ...Array<bigint>(missing).fill(0n), ...right];
  return groups.reduce((value, group) => (value << 16n) | group, 0n);
}

/** Writes an IPv4 address at the end, as in `::ffff:10.0.0.1`, as two groups. */
function spellInGroups(text: string): string {
  const end = text.slice(text.lastIndexOf(":") + 1);
  const value = parseIpv4(end);
  if (value === null) return text;
  return `${text.slice(0, -end.length)}${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
}

function parseGroups(text: string): readonly bigint[] | null {
  const groups = text === "" ? [] : text.split(":");
  return groups.every((group) => GROUP.test(group)) ? groups.map((group) => BigInt(`0x${group}`)) : null;
}

/** Parses `10.0.0.0/8`, `2001:db8::/32` or a single address. Returns null for anything else. */
function parseBlock(text: string): AddressBlock | null {
  const [address = "", length, ...rest] = text.split("/");
  const first = parseAddress(address);
  if (first === null || rest.length > 0) return null;
  if (length === undefined) return { ...first, shared: first.bits };
  if (!LENGTH.test(length)) return null;
  const shared = Number(length) - (address.includes(":") ? 128 : 32) + first.bits;
  return shared >= 0 && shared <= first.bits ? { ...first, shared } : null;
}

export function isAddressBlock(text: string): boolean {
  return parseBlock(text) !== null;
}

/** Keyed by the list, which is reused between requests. */
const parsed = new WeakMap<readonly string[], readonly AddressBlock[]>();

function parseBlocks(blocks: readonly string[]): readonly AddressBlock[] {
  return blocks.flatMap((block) => parseBlock(block) ?? []);
}

/** True if one of the blocks contains the address. Anything that isn't an address is in none. */
export function isWithin(blocks: readonly string[], address: string): boolean {
  const known = parsed.getOrInsertComputed(blocks, parseBlocks);
  // Without trusted proxies, each request asks for an empty list.
  const given = known.length === 0 ? null : parseAddress(address);
  return given !== null && known.some((block) => contains(block, given));
}

function contains({ bits, value, shared }: AddressBlock, given: Address): boolean {
  return bits === given.bits && (value ^ given.value) >> BigInt(bits - shared) === 0n;
}
