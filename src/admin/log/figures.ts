// The units of work in the operator's figures, and a summary of requests: count, sums, and time to first token.
import { Type } from "@sinclair/typebox";
import type { FirstTokenSum, UsageSum } from "../../core/log/usage-sum.ts";
import { type NanoUsd, toUsd } from "../../core/money/money.ts";
import { type Amounts, addAmounts, NO_AMOUNTS } from "../../core/money/units.ts";
import { computePercentiles } from "../../core/world/histogram.ts";
import { allowNull, count, percentiles, usd, type View } from "../schema.ts";
import { providerCostFields, viewProviderCost } from "./provider-cost.ts";

export const tokensSchema = Type.Object({
  prompt: count,
  completion: count,
  cached: count,
  cache_write: count,
  reasoning: count,
  searches: count,
});
export type TokensView = View<typeof tokensSchema>;

/** Work that isn't measured in tokens. */
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

export const figuresSchema = Type.Object({
  requests: count,
  errors: count,
  tokens: tokensSchema,
  units: unitsSchema,
  cost_usd: usd,
  ...providerCostFields,
  charged_usd: usd,
  // Requests answered from the cache, and what their answers had cost when they were new.
  cached: count,
  saved_usd: usd,
  first_token_ms: allowNull(percentiles),
});
export type FiguresView = View<typeof figuresSchema>;

/** Sums over rows. */
export class Figures {
  #requests = 0;
  #errors = 0;
  #amounts = NO_AMOUNTS;
  #costNanoUsd: NanoUsd = 0;
  #markupNanoUsd: NanoUsd = 0;
  #chargedNanoUsd: NanoUsd = 0;
  #cached = 0;
  #savedNanoUsd: NanoUsd = 0;
  /** The number of answers by the time bucket of their first token. */
  readonly #counts = new Map<number, number>();

  get requests(): number {
    return this.#requests;
  }

  get costNanoUsd(): NanoUsd {
    return this.#costNanoUsd;
  }

  add({ requests, errors, amounts, costNanoUsd, chargedNanoUsd, ...more }: UsageSum): void {
    const { cached, savedNanoUsd, markupNanoUsd } = more;
    this.#cached += cached;
    this.#savedNanoUsd += savedNanoUsd;
    this.#markupNanoUsd += markupNanoUsd;
    this.#requests += requests;
    this.#errors += errors;
    this.#amounts = addAmounts(this.#amounts, amounts);
    this.#costNanoUsd += costNanoUsd;
    this.#chargedNanoUsd += chargedNanoUsd;
  }

  addFirstTokens({ bucket, requests }: Pick<FirstTokenSum, "bucket" | "requests">): void {
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + requests);
  }

  /** With the cost without the markup only for those who may see it. */
  view(seesProviderCost: boolean): FiguresView {
    const cost = { costNanoUsd: this.#costNanoUsd, markupNanoUsd: this.#markupNanoUsd };
    return {
      requests: this.#requests,
      errors: this.#errors,
      tokens: tokensView(this.#amounts),
      units: unitsView(this.#amounts),
      cost_usd: toUsd(this.#costNanoUsd),
      ...viewProviderCost(cost, seesProviderCost),
      charged_usd: toUsd(this.#chargedNanoUsd),
      cached: this.#cached,
      saved_usd: toUsd(this.#savedNanoUsd),
      first_token_ms: computePercentiles(this.#counts),
    };
  }
}
