// The table of methods: which era has which, and which field of a request stands in a header.
import type { Era } from "./eras.ts";

interface MethodRow {
  readonly eras: readonly Era[];
  /** A request that is answered, or a notification. */
  readonly kind: "request" | "notification";
  /** The field of `params` that the header `Mcp-Name` repeats. */
  readonly named?: "name" | "uri";
  /** A list, whose result says how long it may be kept. */
  readonly isCached?: true;
}

const both: readonly Era[] = ["older", "newer"];
const older: readonly Era[] = ["older"];
const newer: readonly Era[] = ["newer"];

/** All that the gateway answers. `ping` is in no newer version, and harmless there. */
export const METHODS = {
  initialize: { eras: older, kind: "request" },
  "server/discover": { eras: newer, kind: "request", isCached: true },
  ping: { eras: both, kind: "request" },
  "tools/list": { eras: both, kind: "request", isCached: true },
  "tools/call": { eras: both, kind: "request", named: "name" },
  "prompts/list": { eras: both, kind: "request", isCached: true },
  "prompts/get": { eras: both, kind: "request", named: "name" },
  "resources/list": { eras: both, kind: "request", isCached: true },
  "resources/templates/list": { eras: both, kind: "request", isCached: true },
  "resources/read": { eras: both, kind: "request", named: "uri", isCached: true },
  "subscriptions/listen": { eras: newer, kind: "request" },
  "notifications/initialized": { eras: older, kind: "notification" },
  "notifications/cancelled": { eras: both, kind: "notification" },
} as const satisfies Record<string, MethodRow>;

export type MethodName = keyof typeof METHODS;

function isKnown(method: string): method is MethodName {
  return Object.hasOwn(METHODS, method);
}

/** Returns the method if the era has such a request, or null. */
export function findMethod(method: string, era: Era): MethodName | null {
  if (!isKnown(method)) return null;
  const row: MethodRow = METHODS[method];
  return row.kind === "request" && row.eras.includes(era) ? method : null;
}

/** Returns the value that `Mcp-Name` repeats, or null for a method without one. */
export function findNamed(method: string, params: { readonly [field: string]: unknown }): unknown {
  if (!isKnown(method)) return null;
  const { named }: MethodRow = METHODS[method];
  return named === undefined ? null : params[named];
}

/** True if the method's results say how long they may be kept (2026-07-28, "Caching"). */
export function isCached(method: MethodName): boolean {
  const row: MethodRow = METHODS[method];
  return row.isCached === true;
}
