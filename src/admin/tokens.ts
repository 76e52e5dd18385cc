// Token counts as the operator reads them.
import type { Tokens } from "../core/record.ts";

export function tokensView(tokens: Tokens) {
  return {
    prompt: tokens.prompt,
    completion: tokens.completion,
    cached: tokens.cached,
    cache_write: tokens.cacheWrite,
    reasoning: tokens.reasoning,
    searches: tokens.searches,
  };
}
export type TokensView = ReturnType<typeof tokensView>;
