// The table of methods: which era has which, what answers it, and which field of a request stands in a header.
import type { ListKind } from "../merged-list.ts";
import type { Era } from "./eras.ts";

/** Each has an answer in `http/tools/door.ts`, which doesn't compile without it: a list, or one of the others. */
export type MethodAnswer = "nothing" | "start" | "discovery" | "call" | "listening" | ListKind;

interface NotificationRow {
  readonly eras: readonly Era[];
  readonly kind: "notification";
}

interface RequestRow {
  readonly eras: readonly Era[];
  readonly kind: "request";
  readonly answer: MethodAnswer;
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
  initialize: { eras: older, kind: "request", answer: "start" },
  "server/discover": { eras: newer, kind: "request", answer: "discovery", isCached: true },
  ping: { eras: both, kind: "request", answer: "nothing" },
  "tools/list": { eras: both, kind: "request", answer: "tools", isCached: true },
  "tools/call": { eras: both, kind: "request", answer: "call", named: "name" },
  "prompts/list": { eras: both, kind: "request", answer: "prompts", isCached: true },
  "prompts/get": { eras: both, kind: "request", answer: "call", named: "name" },
  "resources/list": { eras: both, kind: "request", answer: "resources", isCached: true },
  "resources/templates/list": { eras: both, kind: "request", answer: "resourceTemplates", isCached: true },
  "resources/read": { eras: both, kind: "request", answer: "call", named: "uri", isCached: true },
  "subscriptions/listen": { eras: newer, kind: "request", answer: "listening" },
  "notifications/initialized": { eras: older, kind: "notification" },
  "notifications/cancelled": { eras: both, kind: "notification" },
} as const satisfies Record<string, NotificationRow | RequestRow>;

type MethodTable = typeof METHODS;
/** A method that is answered. */
export type MethodName = {
  [Name in keyof MethodTable]: MethodTable[Name] extends RequestRow ? Name : never;
}[keyof MethodTable];

function isAnswered(method: string): method is MethodName {
  const row: NotificationRow | RequestRow | null = isKnown(method) ? METHODS[method] : null;
  return row?.kind === "request";
}

function isKnown(method: string): method is keyof MethodTable {
  return Object.hasOwn(METHODS, method);
}

/** Returns the method if the era has such a request, or null. */
export function findMethod(method: string, era: Era): MethodName | null {
  if (!isAnswered(method)) return null;
  const row: RequestRow = METHODS[method];
  return row.eras.includes(era) ? method : null;
}

/** Returns the value that `Mcp-Name` repeats, or null for a method without one. */
export function findNamed(method: string, params: { readonly [field: string]: unknown }): unknown {
  if (!isAnswered(method)) return null;
  const { named }: RequestRow = METHODS[method];
  return named === undefined ? null : params[named];
}

/** True if the method's results say how long they may be kept (2026-07-28, "Caching"). */
export function isCached(method: MethodName): boolean {
  const row: RequestRow = METHODS[method];
  return row.isCached === true;
}
