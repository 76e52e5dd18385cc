// Usage reports of one answer: they are cumulative, and a later one may say less than those before it.
import { isObject, type JsonObject } from "../../core/json/json.ts";
import type { Usage } from "./form.ts";

/** Returns a report with what a later one adds. A count that the later one lacks, or has as 0, stays what it was. */
export function mergeReports(before: Usage | null, later: Usage): Usage {
  if (before === null || isFuller(before, later)) return later;
  const merged: Usage = { ...before };
  for (const field of Object.keys(later)) {
    const now = later[field];
    const was = before[field];
    if (isObject(now) && isObject(was)) merged[field] = { ...was, ...keepCounts(now) };
    else if (saysMore(now)) merged[field] = now;
  }
  merged.total_tokens = merged.prompt_tokens + merged.completion_tokens;
  return merged;
}

/** True if it says all that the one before said, as usual: Gemini reports with every chunk. */
function isFuller(before: JsonObject, later: JsonObject): boolean {
  for (const field in before) {
    const was = before[field];
    const now = later[field];
    if (saysMore(was) && !saysMore(now)) return false;
    if (isObject(was) && isObject(now) && !isFuller(was, now)) return false;
  }
  return true;
}

function saysMore(value: unknown): boolean {
  return value !== 0 && value !== undefined && value !== null;
}

function keepCounts(counts: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(counts).filter(([, value]) => saysMore(value)));
}
