// Addresses of the internet protocol, of both versions.
import { DIGITS, endsAt, HEX, isAlphanumeric, isDigit, isHex } from "../characters.ts";
import type { Detector, Span } from "../detector.ts";
import { DOT as DOT_SEPARATOR } from "../forms.ts";

const DOT = 46;
const COLON = 58;
const AT_SIGN = 64;
const GROUPS = 8;
const VERSION = /version $/i;

/** The four parts of an address as one number, and where it ends; null if they aren't one. */
function readV4(text: string, at: number): { readonly parts: readonly number[]; readonly to: number } | null {
  const parts: number[] = [];
  let to = at;
  for (let part = 0; part < 4; part++) {
    if (part > 0 && text.charCodeAt(to++) !== DOT) return null;
    const from = to;
    let value = 0;
    while (to - from < 4 && isDigit(text.charCodeAt(to))) value = value * 10 + text.charCodeAt(to++) - 48;
    const isLeading = text.charCodeAt(from) === 48 && to - from > 1;
    if (to === from || to - from > 3 || isLeading || value > 255) return null;
    parts.push(value);
  }
  const isLonger = text.charCodeAt(to) === DOT && isDigit(text.charCodeAt(to + 1));
  return endsAt(text, to) && !isLonger ? { parts, to } : null;
}

/** Loopback, link-local, unspecified, and the networks of documents. */
function isReservedV4([first = 0, second = 0, third = 0, fourth = 0]: readonly number[]): boolean {
  const start = `${first}.${second}.${third}`;
  if (first === 127 || (first === 169 && second === 254)) return true;
  if (start === "192.0.2" || start === "198.51.100" || start === "203.0.113") return true;
  return first + second + third + fourth === 0;
}

/** True if a dot stands behind at most three characters. */
function hasDot(text: string, at: number): boolean {
  return (
    text.charCodeAt(at + 1) === DOT || text.charCodeAt(at + 2) === DOT || text.charCodeAt(at + 3) === DOT
  );
}

function findV4(text: string, at: number): Span | null {
  if (!hasDot(text, at)) return null;
  const before = text.charCodeAt(at - 1);
  if (before === AT_SIGN || (before === DOT && isDigit(text.charCodeAt(at - 2)))) return null;
  const read = readV4(text, at);
  if (read === null || isReservedV4(read.parts)) return null;
  return VERSION.test(text.slice(Math.max(0, at - 8), at)) ? null : { from: at, to: read.to };
}

interface V6 {
  readonly groups: number[];
  /** The number of groups before `::`, or -1. */
  gap: number;
  to: number;
  hasDigit: boolean;
}

function readHex(text: string, at: number): number {
  let to = at;
  while (to - at < 5 && isHex(text.charCodeAt(to))) to++;
  return to;
}

/** Takes the last four bytes from an address of version 4, as in `::ffff:93.184.216.34`. */
function takeV4(text: string, at: number, address: V6): boolean {
  const read = readV4(text, at);
  if (read === null) return false;
  const [first = 0, second = 0, third = 0, fourth = 0] = read.parts;
  address.groups.push(first * 256 + second, third * 256 + fourth);
  address.to = read.to;
  address.hasDigit = true;
  return true;
}

/** Takes a group, and returns false if none stands there. */
function takeGroup(text: string, at: number, address: V6): boolean {
  const to = readHex(text, at);
  if (to === at) return false;
  if (text.charCodeAt(to) === DOT && isDigit(text.charCodeAt(to + 1)) && takeV4(text, at, address))
    return true;
  if (to - at > 4) return false;
  const group = text.slice(at, to);
  address.groups.push(Number.parseInt(group, 16));
  address.to = to;
  address.hasDigit ||= /\d/.test(group);
  return true;
}

/** Where the next group begins, behind its colons; -1 if there is none. */
function findGroup(text: string, at: number, address: V6): number {
  if (text.charCodeAt(at) !== COLON) return address.groups.length === 0 && address.gap === -1 ? at : -1;
  if (text.charCodeAt(at + 1) !== COLON || address.gap !== -1) return at + 1;
  address.gap = address.groups.length;
  address.to = at + 2;
  return at + 2;
}

function readV6(text: string, from: number): V6 | null {
  const address: V6 = { groups: [], gap: -1, to: from, hasDigit: false };
  while (address.groups.length <= GROUPS) {
    const at = findGroup(text, address.to, address);
    if (at === -1 || !takeGroup(text, at, address)) break;
  }
  return isWhole(text, address) ? address : null;
}

function isWhole(text: string, { groups, gap, to }: V6): boolean {
  const isLonger = text.charCodeAt(to) === COLON && !/[\s"'),;]|^$/.test(text.charAt(to + 1));
  if (!endsAt(text, to) || isLonger) return false;
  return gap === -1 ? groups.length === GROUPS : groups.length >= 2 && groups.length < GROUPS;
}

/** Loopback, unspecified, link-local, and the network of documents. */
function isReservedV6({ groups, gap }: V6): boolean {
  const [first = 0, second = 0] = groups;
  const isFirst = gap !== 0;
  if (isFirst && (first >> 6 === 0x3fa || (first === 0x2001 && second === 0xdb8))) return true;
  const last = groups.at(-1) ?? 0;
  return groups.slice(0, -1).every((group) => group === 0) && last <= 1;
}

/** The longest address has eight groups of four, or six of them and one of version 4. */
const V6_MAX = 45;

/** True if the colons of an address may follow: `::`, or at least six. */
function hasColons(text: string, from: number): boolean {
  let colons = 0;
  for (let at = from; at < from + V6_MAX; at++) {
    const code = text.charCodeAt(at);
    if (code === COLON) {
      if (text.charCodeAt(at + 1) === COLON || ++colons === GROUPS - 2) return true;
    } else if (!isHex(code)) return false;
  }
  return false;
}

/** `at` is a colon: the first one of an address. */
function findV6(text: string, at: number): Span | null {
  let from = at;
  while (at - from < 5 && from > 0 && isHex(text.charCodeAt(from - 1))) from--;
  const before = text.charCodeAt(from - 1);
  if (at - from > 4 || isAlphanumeric(before) || before === COLON) return null;
  if (from === at && text.charCodeAt(at + 1) !== COLON) return null;
  if (!hasColons(text, from)) return null;
  const address = readV6(text, from);
  if (address === null || !address.hasDigit || isReservedV6(address)) return null;
  return { from, to: address.to };
}

export const IP: Detector = {
  name: "ip",
  group: "network",
  mark: "IP",
  rule: "addresses of IPv4 and IPv6, but loopback, link-local and those of documents",
  starts: `${DIGITS}:`,
  follows: `${HEX}:`,
  runs: [1, 2, 3],
  asks: ({ next, separator }) => (separator === DOT_SEPARATOR && next >= 1 && next <= 3 ? "always" : "never"),
  find: (text, at) => (text.charCodeAt(at) === COLON ? findV6(text, at) : findV4(text, at)),
  isByContext: true,
};
