// Amounts of work as the operator reads them.
import { Type } from "@sinclair/typebox";
import type { Amounts } from "../core/units.ts";
import { count, type View } from "./schema.ts";

export const tokensSchema = Type.Object({
  prompt: count,
  completion: count,
  cached: count,
  cache_write: count,
  reasoning: count,
  searches: count,
});
export type TokensView = View<typeof tokensSchema>;

/** The work that isn't counted in tokens. */
export const unitsSchema = Type.Object({
  images: count,
  seconds: count,
  characters: count,
  search_units: count,
  pages: count,
});

export type UnitsView = View<typeof unitsSchema>;

export function tokensView(amounts: Amounts): TokensView {
  return {
    prompt: amounts.prompt,
    completion: amounts.completion,
    cached: amounts.cached,
    cache_write: amounts.cacheWrite,
    reasoning: amounts.reasoning,
    searches: amounts.searches,
  };
}

export function unitsView(amounts: Amounts): UnitsView {
  return {
    images: amounts.images,
    seconds: amounts.seconds,
    characters: amounts.characters,
    search_units: amounts.searchUnits,
    pages: amounts.pages,
  };
}
