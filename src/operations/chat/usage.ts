// A usage report of a chat answer as the counts that are billed.
import { asCount } from "../../core/json.ts";
import { type Amounts, NO_AMOUNTS } from "../../core/units.ts";
import type { Usage } from "./form.ts";

/** More than any answer can need: a report beyond it is a mistake, and must not overflow the sums. */
const SEARCHES_MAX = 10_000;

/** A usage report as whole counts of what is billed, its parts never more than their whole. */
export function countAmounts(usage: Usage): Amounts {
  const prompt = asCount(usage.billed_units?.input_tokens ?? usage.prompt_tokens);
  const completion = asCount(usage.billed_units?.output_tokens ?? usage.completion_tokens);
  const cached = Math.min(prompt, asCount(usage.prompt_tokens_details?.cached_tokens));
  const cacheWrite = Math.min(prompt - cached, asCount(usage.prompt_tokens_details?.cache_write_tokens));
  return {
    ...NO_AMOUNTS,
    prompt,
    completion,
    cached,
    cacheWrite,
    cacheWrite1h: Math.min(cacheWrite, asCount(usage.prompt_tokens_details?.cache_write_1h_tokens)),
    reasoning: Math.min(completion, asCount(usage.completion_tokens_details?.reasoning_tokens)),
    searches: Math.min(SEARCHES_MAX, asCount(usage.server_tool_use?.web_search_requests)),
  };
}

/** Adds the counts of several calls, each of which was billed its own prompt. Returns null when one reported none. */
export function addUsages(usages: readonly (Usage | null)[]): Usage | null {
  let sum: Usage | null = null;
  for (const usage of usages) {
    if (!usage) return null;
    sum = sum ? addUsage(sum, usage) : usage;
  }
  return sum;
}

function addUsage(a: Usage, b: Usage): Usage {
  const sum: Usage = {
    prompt_tokens: a.prompt_tokens + b.prompt_tokens,
    completion_tokens: a.completion_tokens + b.completion_tokens,
    total_tokens: a.total_tokens + b.total_tokens,
  };
  for (const part of COUNTED_PARTS) {
    if (a[part] || b[part]) Object.assign(sum, { [part]: addCounts(a[part], b[part]) });
  }
  return sum;
}

const COUNTED_PARTS = [
  "prompt_tokens_details",
  "completion_tokens_details",
  "billed_units",
  "server_tool_use",
] as const;

function addCounts(a: object | undefined, b: object | undefined): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const [field, value] of [...Object.entries(a ?? {}), ...Object.entries(b ?? {})]) {
    if (typeof value === "number") sum[field] = (sum[field] ?? 0) + value;
  }
  return sum;
}
