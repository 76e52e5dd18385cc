// Parses the notations of the configuration: sizes, shares, times of day, addresses.
import type nodeNet from "node:net";
import { isAddressBlock } from "../core/world/address.ts";
import { parsePostgresAddress } from "../core/world/postgres-address.ts";

export const SIZE = /^(\d{1,12})(B|KB|MB|GB|KiB|MiB|GiB)$/;
const BYTES: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
};

/** Parses `32MB`, `1GiB` or a bare number into bytes; null for anything else. */
export function parseSize(size: string | number): number | null {
  if (typeof size === "number") return Number.isSafeInteger(size) ? size : null;
  const [, count, unit] = SIZE.exec(size) ?? [];
  return count === undefined || unit === undefined ? null : Number(count) * (BYTES[unit] ?? 0);
}

const PERCENTAGE = /^(\d{1,3}(?:\.\d{1,4})?)%$/;

/** Parses `2%` or 0.02 into a share from 0 to 1; null for anything else. */
export function parseShare(share: string | number): number | null {
  const [, percent] = typeof share === "string" ? (PERCENTAGE.exec(share) ?? []) : [];
  const value =
    typeof share === "number" ? share : percent === undefined ? Number.NaN : Number(percent) / 100;
  return value >= 0 && value <= 1 ? value : null;
}

export const CLOCK = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** Parses `HH:MM` into minutes after midnight; null for anything else. */
export function parseClock(text: string): number | null {
  const [, hours, minutes] = CLOCK.exec(text) ?? [];
  return hours === undefined ? null : Number(hours) * 60 + Number(minutes);
}

const PERCENTILE = /^p([1-9]\d?)$/;

/** Parses `p95` into 95; null for anything else. */
export function parsePercentile(text: string): number | null {
  const [, percentile] = PERCENTILE.exec(text) ?? [];
  return percentile === undefined ? null : Number(percentile);
}

/** Returns the address without trailing slashes, or null if it isn't http or https, or has more than host and path. */
export function parseBaseUrl(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || /[?#\s\\]/.test(text)) return null;
  if (url.username !== "" || url.password !== "") return null;
  return url.href.replace(/\/+$/, "");
}

/** True for `*`, and for an origin: scheme, host and port. */
export function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return text === "*" || (url !== null && /^https?:$/.test(url.protocol) && url.origin === text);
}

/** Loaded only when it is needed, because it costs 3 ms of a start and few configurations need it. */
function loadNet(): typeof nodeNet {
  return require("node:net");
}

/** True if it is an IP address, perhaps with a zone, or a CIDR block. */
export function isPeerBlock(text: string): boolean {
  return isAddressBlock(text.replace(/%[^\s/]+/, ""));
}

/** True if it names a store: `sqlite:PATH` or `postgres://…`. */
export function isStoreUrl(text: string): boolean {
  if (/^sqlite:[^\s].*$/.test(text)) return true;
  return /^postgres(ql)?:\/\/[^\s]+$/.test(text) && parsePostgresAddress(text) !== null;
}

/** True if a server can listen on it: an IP address or a host name. */
export function isHost(text: string): boolean {
  return /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(text) || loadNet().isIPv6(text);
}
