// Usage reports of one answer: they are cumulative, and a later one may say less than those before it.
import type { Usage } from "./form.ts";

/** Returns a report with what a later one adds. A count that the later one lacks, or has as 0, stays what it was. */
export function mergeReports(before: Usage | null, later: Usage): Usage {
  if (before === null || isFuller(before, later)) return later;
  const merged: Usage = { ...before };
  for (const field of Object.keys(later)) {
    const now = later[field];
    const was = before[field];
    if (isCounts(now) && isCounts(was)) merged[field] = { ...was, ...keepCounts(now) };
    else if (saysMore(now)) merged[field] = now;
  }
  merged.total_tokens = merged.prompt_tokens + merged.completion_tokens;
  return merged;
}

/** True if it says all that the one before said, as usual: Gemini reports with every chunk. */
function isFuller(before: object, later: object): boolean {
  const now = new Map<string, unknown>();
  for (const [field, value] of Object.entries(later)) now.set(field, value);
  for (const [field, was] of Object.entries(before)) {
    const value = now.get(field);
    if (saysMore(was) && !saysMore(value)) return false;
    if (isCounts(was) && isCounts(value) && !isFuller(was, value)) return false;
  }
  return true;
}

function saysMore(value: unknown): boolean {
  return value !== 0 && value !== undefined && value !== null;
}

function isCounts(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function keepCounts(counts: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(counts).filter(([, value]) => saysMore(value)));
}
