// A usage report of a chat answer as the counts that are billed.
import { asCount } from "../../core/json.ts";
import type { Tokens } from "../../core/record.ts";
import type { Usage } from "./form.ts";

/** More than any answer can need: a report beyond it is a mistake, and must not overflow the sums. */
const SEARCHES_MAX = 10_000;

/** A usage report as whole counts of what is billed, its parts never more than their whole. */
export function countTokens(usage: Usage): Tokens {
  const prompt = asCount(usage.billed_units?.input_tokens ?? usage.prompt_tokens);
  const completion = asCount(usage.billed_units?.output_tokens ?? usage.completion_tokens);
  const cached = Math.min(prompt, asCount(usage.prompt_tokens_details?.cached_tokens));
  return {
    prompt,
    completion,
    cached,
    cacheWrite: Math.min(prompt - cached, asCount(usage.prompt_tokens_details?.cache_write_tokens)),
    reasoning: Math.min(completion, asCount(usage.completion_tokens_details?.reasoning_tokens)),
    searches: Math.min(SEARCHES_MAX, asCount(usage.server_tool_use?.web_search_requests)),
  };
}
