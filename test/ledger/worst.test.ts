// The worst cost of a request: prices, tiers, choices, searches, and unlimited output.

import { describe, expect, test } from "bun:test";
import type { Offer } from "../../src/core/demand.ts";
import type { ModelCard, Price } from "../../src/core/models/card.ts";
import { NO_AMOUNTS } from "../../src/core/money/units.ts";
import { makeOffers } from "../../src/gateway/plan/fitted.ts";
import { Routes } from "../../src/gateway/plan/routes.ts";
import { computeBalanceRoom, computeHoldTerms } from "../../src/ledger/worst.ts";
import { estimateWorstPromptTokens } from "../../src/operations/chat/estimate.ts";
import type { ChatRequest } from "../../src/operations/chat/form.ts";
import { CHAT } from "../../src/operations/chat/operation.ts";
import { searchesMax } from "../../src/operations/chat/prompt/searches.ts";
import { cost, makeModelCard } from "../harness/cards.ts";
import { makeOffer } from "../harness/samples.ts";

const ENOUGH = Number.MAX_SAFE_INTEGER;
/** No provider is known, so nothing is left out of the request. */
const UNKNOWN = { operation: CHAT, routes: new Routes(CHAT, "openai", new Map()), raw: null };
const NO_TERMS = { isLimitRequired: false, searches: 0, unreadBytes: 0 };

function offersOf(cards: readonly ModelCard[], ask: ChatRequest): readonly Offer[] {
  return makeOffers({ ...UNKNOWN, ...NO_TERMS, ask }, cards);
}

/** Returns the hold for the offers that a balance covers, or null if it covers none. */
function findTerms(offers: readonly Offer[], free: number, markup: number) {
  const terms = computeHoldTerms(offers, [{ room: computeBalanceRoom(free) }], markup);
  return terms && { nanoUsd: terms.held[0], outputTokens: terms.outputTokens };
}

function cardOf(price: Price | null, fields: Partial<ModelCard> = {}): ModelCard {
  return makeModelCard("Sim#echo", {
    contextTokensMax: 1_000_000,
    outputTokensMax: 10_000,
    price,
    ...fields,
  });
}

const request: ChatRequest = {
  model: "Sim#echo",
  messages: [{ role: "user", content: "How much is the fish? ".repeat(100) }],
  max_tokens: 500,
};
const prompt = estimateWorstPromptTokens(request, cardOf(null));

/** Returns the hold for a request on a card, in whole nano-dollars. */
function worstOf(price: Price, fields: Partial<ChatRequest> = {}, card: Partial<ModelCard> = {}, markup = 1) {
  return findTerms(offersOf([cardOf(price, card)], { ...request, ...fields }), ENOUGH, markup);
}

describe("the worst case", () => {
  test("is the prompt's estimate plus the whole output, per choice", () => {
    expect(worstOf({ input: 2, output: 8 })?.nanoUsd).toBe((prompt * 2 + 500 * 8) * 1000);
    expect(worstOf({ input: 2, output: 8 }, { n: 3 })?.nanoUsd).toBe(3 * (prompt * 2 + 500 * 8) * 1000);
  });

  test("is rounded up once, after the markup", () => {
    const price = { input: 0.0001, output: 0.0001 };
    expect(worstOf(price)?.nanoUsd).toBe(Math.ceil((prompt + 500) / 10));
    expect(worstOf(price, {}, {}, 1.05)?.nanoUsd).toBe(Math.ceil(((prompt + 500) / 10) * 1.05));
    // Two tenths of a nano-dollar.
    const lines = [{ what: "input", count: 1, usdPerMillion: 0.0001 }];
    const least = makeOffer({ lines, outputTokensAsked: 1, outputUsdPerMillion: 0.0001 });
    expect(findTerms([least], 1, 1)?.nanoUsd).toBe(1);
  });

  test("uses the smaller of the client's limits, and at most the model's", () => {
    const outputOf = (fields: Partial<ChatRequest>) => worstOf({ input: 2, output: 8 }, fields)?.outputTokens;
    expect(outputOf({ max_completion_tokens: 400 })).toEqual({ "Sim#echo": 400 });
    expect(outputOf({ max_completion_tokens: 600 })).toEqual({ "Sim#echo": 500 });
    expect(outputOf({ max_tokens: 12_000 })).toEqual({ "Sim#echo": 10_000 });
  });

  test("takes a limit above 16,384 as a wish, on a model whose own is lower too", () => {
    const price = { input: 0, output: 8 };
    const outputFor = (asked: number, tokensPaid: number, outputTokensMax: number) =>
      findTerms(
        offersOf([cardOf(price, { outputTokensMax })], { ...request, max_tokens: asked }),
        tokensPaid * 8000,
        1,
      )?.outputTokens["Sim#echo"];
    for (const modelMax of [10_000, 16_384, 64_000]) {
      expect(outputFor(16_385, 5000, modelMax)).toBe(4096);
      expect(outputFor(16_385, 24_000, modelMax)).toBe(6000);
      expect(outputFor(16_385, 4000, modelMax)).toBeUndefined();
      expect(outputFor(16_384, 5000, modelMax)).toBeUndefined();
    }
    expect(outputFor(16_385, 5000, 2000)).toBe(2000);
  });

  test("uses the most expensive tier within the prompt's reach, per choice", () => {
    const tiered = (aboveTokens: number, input: number, output: number): Price => ({
      input: 2,
      output: 8,
      tiers: [{ aboveTokens, input, output }],
    });
    expect(worstOf(tiered(prompt - 1, 4, 16))?.nanoUsd).toBe((prompt * 4 + 500 * 16) * 1000);
    expect(worstOf(tiered(prompt, 4, 16))?.nanoUsd).toBe((prompt * 2 + 500 * 8) * 1000);
    expect(worstOf(tiered(prompt, 4, 16), { n: 2 })?.nanoUsd).toBe(2 * (prompt * 2 + 500 * 8) * 1000);
    expect(worstOf(tiered(prompt - 1, 4, 16), { n: 2 })?.nanoUsd).toBe(2 * (prompt * 4 + 500 * 16) * 1000);
    // The estimate is high: the actual prompt may stay below this tier, whose input is cheaper.
    expect(worstOf(tiered(1, 1, 20))?.nanoUsd).toBe((prompt * 2 + 500 * 20) * 1000);
  });

  test("includes cache writes and reasoning at their prices, if those are higher", () => {
    const price = { input: 2, output: 8, cacheWrite: 2.5, reasoning: 12, cachedInput: 0.2 };
    expect(worstOf(price)?.nanoUsd).toBe((prompt * 2.5 + 500 * 12) * 1000);
    expect(worstOf({ ...price, cacheWrite: 1, reasoning: 1 })?.nanoUsd).toBe((prompt * 2 + 500 * 8) * 1000);
  });

  test("includes sound at its prices: in answers always, in prompts that have any", () => {
    const price = { input: 2, output: 8, inputAudio: 40, outputAudio: 80 };
    expect(worstOf(price)?.nanoUsd).toBe((prompt * 2 + 500 * 80) * 1000);
    const sound = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } } as const;
    const asked = { ...request, messages: [{ role: "user", content: [sound] } as const] };
    const tokens = estimateWorstPromptTokens(asked, cardOf(price));
    expect(worstOf(price, asked)?.nanoUsd).toBe((tokens * 40 + 500 * 80) * 1000);
  });

  test("counts requests and searches once per choice", () => {
    const price = { input: 2, output: 8, perRequest: 0.005, perSearch: 0.01 };
    expect(worstOf(price, { n: 2 })?.nanoUsd).toBe(2 * ((prompt * 2 + 500 * 8) * 1000 + 5_000_000));
    const searching = cardOf(price, { id: "Perplexity#sonar", provider: "Perplexity", name: "sonar" });
    const searches = searchesMax(request, searching);
    const tokens = estimateWorstPromptTokens(request, searching);
    expect(searches).toBeGreaterThan(0);
    expect(findTerms(offersOf([searching], { ...request, n: 2 }), ENOUGH, 1)?.nanoUsd).toBe(
      2 * ((tokens * 2 + 500 * 8) * 1000 + 5_000_000 + searches * 10_000_000),
    );
  });

  test("is never below the final cost of such an answer", () => {
    const price: Price = {
      input: 1.1,
      output: 4.4,
      cachedInput: 0.3,
      cacheWrite: 1.4,
      perRequest: 0.003,
      perSearch: 0.01,
      tiers: [{ aboveTokens: 100, input: 2.2, output: 6.6, reasoning: 7 }],
    };
    const worst = worstOf(price, {}, {}, 1.37)?.nanoUsd ?? 0;
    for (const [cached, cacheWrite, reasoning] of [
      [0, 0, 0],
      [prompt, 0, 0],
      [0, prompt, 500],
      [10, prompt - 10, 499],
    ] as const) {
      for (const most of [prompt, 100]) {
        const amounts = {
          ...NO_AMOUNTS,
          prompt: most,
          completion: 500,
          cached,
          cacheWrite: Math.min(cacheWrite, most),
          reasoning,
        };
        expect(
          cost(price, { ...amounts, cached: Math.min(cached, most - amounts.cacheWrite), searches: 0 }, 1.37),
        ).toBeLessThanOrEqual(worst);
      }
    }
  });

  test("of a plan is that of its most expensive card, each card once", () => {
    const cheap = cardOf({ input: 1, output: 1 }, { id: "Sim#cheap" });
    const dear = cardOf({ input: 2, output: 8 });
    const offers = offersOf([cheap, dear, cheap], request);
    expect(offers.map(({ card }) => card)).toEqual(["Sim#cheap", "Sim#echo"]);
    const terms = findTerms(offers, ENOUGH, 1);
    expect(terms).toEqual({
      nanoUsd: (prompt * 2 + 500 * 8) * 1000,
      outputTokens: { "Sim#cheap": 500, "Sim#echo": 500 },
    });
    expect(findTerms(offers, (terms?.nanoUsd ?? 0) - 1, 1)?.outputTokens).toEqual({ "Sim#cheap": 500 });
    expect(findTerms(offers, terms?.nanoUsd ?? 0, 1)).toEqual(terms);
  });
});

describe("an output limit that the client left open", () => {
  const { max_tokens: _limit, ...unlimited } = request;
  const offersFor = (card: Partial<ModelCard>, price: Price = { input: 0, output: 10 }) =>
    offersOf([cardOf(price, card)], unlimited);

  test("is the model's, up to a quarter of the free balance", () => {
    // 10,000 nano-dollars per token.
    const outputOf = (free: number) => findTerms(offersFor({}), free, 1)?.outputTokens["Sim#echo"];
    expect(outputOf(400_000_000)).toBe(10_000);
    expect(outputOf(399_999_999)).toBe(9_999);
    expect(outputOf(200_039_999)).toBe(5_000);
    expect(outputOf(200_040_000)).toBe(5_001);
  });

  test("is at least 1,024 tokens, or the request is refused", () => {
    expect(findTerms(offersFor({}), 40_960_000, 1)?.outputTokens).toEqual({ "Sim#echo": 1_024 });
    expect(findTerms(offersFor({}), 10_240_000, 1)?.outputTokens).toEqual({ "Sim#echo": 1_024 });
    expect(findTerms(offersFor({}), 10_239_999, 1)).toBeNull();
    expect(findTerms(offersFor({ outputTokensMax: 100 }), 1_000_000, 1)?.outputTokens).toEqual({
      "Sim#echo": 100,
    });
  });

  test("is what the prompt leaves of the quarter, for all choices together", () => {
    const offer = makeOffer({
      lines: [{ what: "input", count: 1_000, usdPerMillion: 20 }],
      outputUsdPerMillion: 10,
      choices: 4,
      outputTokensMax: 100_000,
    });
    // A quarter of 0.8 USD less 0.02 for the prompt is 0.18: 18,000 tokens, 4,500 for each choice.
    expect(findTerms([offer], 800_000_000, 1)).toEqual({
      nanoUsd: 200_000_000,
      outputTokens: { "Sim#echo": 4_500 },
    });
    expect(findTerms([offer], 800_000_000, 2)).toEqual({
      nanoUsd: 200_000_000,
      outputTokens: { "Sim#echo": 2_000 },
    });
  });

  test("uses the context if the model's limit is unknown, and is free without a price", () => {
    const unknown = { outputTokensMax: null, contextTokensMax: 32_000 };
    expect(findTerms(offersFor(unknown), ENOUGH, 1)?.outputTokens).toEqual({ "Sim#echo": 32_000 });
    const free = offersFor({}, { input: 0, output: 0 });
    expect(findTerms(free, 0, 1)).toEqual({ nanoUsd: 0, outputTokens: { "Sim#echo": 10_000 } });
  });

  test("is set per card, and the most expensive card is held", () => {
    const cheap = makeOffer({ card: "Sim#cheap", outputUsdPerMillion: 1, outputTokensMax: 8_000 });
    const dear = makeOffer({ card: "Sim#dear", outputUsdPerMillion: 40, outputTokensMax: 64_000 });
    expect(findTerms([cheap, dear], 1_000_000_000, 1)).toEqual({
      nanoUsd: 250_000_000,
      outputTokens: { "Sim#cheap": 8_000, "Sim#dear": 6_250 },
    });
    // An offer that isn't covered is no fallback.
    expect(findTerms([cheap, dear], 40_000_000, 1)?.outputTokens).toEqual({ "Sim#cheap": 8_000 });
  });

  test("never takes more than a quarter beyond the minimum, nor a token less than fits", () => {
    let seed = 1;
    const roll = (most: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % most;
    };
    for (let round = 0; round < 2_000; round++) {
      const offer: Offer = makeOffer({
        lines: [{ what: "input", count: roll(5_000), usdPerMillion: roll(30_000_000) / 1_000_000 }],
        outputUsdPerMillion: (1 + roll(90_000_000)) / 1_000_000,
        choices: 1 + roll(4),
        outputTokensMax: 1 + roll(200_000),
      });
      const free = roll(2_000_000_000);
      const markup = 1 + roll(1_000_000) / 1_000_000;
      const terms = findTerms([offer], free, markup);
      const tokens = terms?.outputTokens["Sim#echo"] ?? 0;
      const held = (outputTokensAsked: number) =>
        findTerms([{ ...offer, outputTokensAsked }], ENOUGH, markup)?.nanoUsd ?? 0;
      const least = Math.min(1_024, offer.outputTokensMax ?? 0);
      if (terms === null) expect(held(least)).toBeGreaterThan(free);
      else {
        expect(terms.nanoUsd).toBeLessThanOrEqual(free);
        expect(tokens).toBeGreaterThanOrEqual(least);
        if (tokens > least) expect(terms.nanoUsd).toBeLessThanOrEqual(Math.ceil(free / 4));
        // Two, because the prompt's share is rounded up separately.
        if (tokens < (offer.outputTokensMax ?? 0)) expect(held(tokens + 2)).toBeGreaterThan(free / 4);
      }
    }
  });
});
