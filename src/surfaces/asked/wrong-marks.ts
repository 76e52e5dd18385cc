// Finds a cache mark with a time that no provider has, at its place in a client's own request.
import { isObject, type JsonObject } from "../../core/json/json.ts";
import { MARK_TIMES } from "../../core/models/words/cache-marks.ts";
import type { Mistake } from "./lone-results.ts";

/** Marks stand on blocks, on those of a tool's result, and on tools. */
const DEPTH_MAX = 8;
const TIMES: ReadonlySet<unknown> = new Set(MARK_TIMES);

/** Returns the first such mark with what it may say. Null if there is none. */
export function findWrongMark(body: JsonObject): Mistake | null {
  const param = findPlace(body, "", DEPTH_MAX);
  if (param === null) return null;
  return { param, message: `'${param}' must be ${MARK_TIMES.map((time) => `'${time}'`).join(" or ")}.` };
}

function findPlace(value: unknown, path: string, depth: number): string | null {
  if (depth === 0 || typeof value !== "object" || value === null) return null;
  const mark = isObject(value) ? value.cache_control : undefined;
  if (isObject(mark) && mark.ttl !== undefined && !TIMES.has(mark.ttl))
    return join(path, "cache_control.ttl");
  const isList = Array.isArray(value);
  for (const [name, held] of Object.entries(value)) {
    const found = findPlace(held, isList ? `${path}[${name}]` : join(path, name), depth - 1);
    if (found !== null) return found;
  }
  return null;
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
