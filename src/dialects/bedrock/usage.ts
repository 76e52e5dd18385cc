// Converse's token counts as the canonical usage.
import { asObject, type JsonObject } from "../../core/json.ts";
import type { Usage } from "../../operations/chat/form.ts";
import { parseKnownCount, parseMainCounts } from "../_chat/counts.ts";

/** Cached tokens come under two names, mostly under both at once: they are the same tokens. */
const READ = ["cacheReadInputTokens", "cacheReadInputTokenCount"] as const;
const WRITTEN = ["cacheWriteInputTokens", "cacheWriteInputTokenCount"] as const;
/** Nova's own searches; all objects that were recorded are empty. */
const SEARCHES = "webSearchRequests";

/** The input count leaves cached and cache-written tokens out, the canonical prompt count holds them. A malformed count is NaN. */
export function parseConverseUsage(raw: JsonObject): Usage {
  const [input, completion] = parseMainCounts(raw.inputTokens, raw.outputTokens);
  const cached = readFirst(raw, READ);
  const written = readFirst(raw, WRITTEN);
  const prompt = input + (cached ?? 0) + (written ?? 0);
  const usage: Usage = {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  };
  if (cached !== undefined || written !== undefined) {
    usage.prompt_tokens_details = {
      ...(cached === undefined ? {} : { cached_tokens: cached }),
      ...(written === undefined ? {} : { cache_write_tokens: written }),
    };
  }
  const searches = parseKnownCount(asObject(raw.serverToolUsage)[SEARCHES]);
  if (searches !== undefined) usage.server_tool_use = { web_search_requests: searches };
  return usage;
}

function readFirst(raw: JsonObject, names: readonly string[]): number | undefined {
  return names.map((name) => parseKnownCount(raw[name])).find((count) => count !== undefined);
}
