// Amounts of work as the operator reads them.
import type { Amounts } from "../core/units.ts";

export function tokensView(amounts: Amounts) {
  return {
    prompt: amounts.prompt,
    completion: amounts.completion,
    cached: amounts.cached,
    cache_write: amounts.cacheWrite,
    reasoning: amounts.reasoning,
    searches: amounts.searches,
  };
}
export type TokensView = ReturnType<typeof tokensView>;

/** The work that isn't counted in tokens. */
export function unitsView(amounts: Amounts) {
  return {
    images: amounts.images,
    seconds: amounts.seconds,
    characters: amounts.characters,
    search_units: amounts.searchUnits,
    pages: amounts.pages,
  };
}
