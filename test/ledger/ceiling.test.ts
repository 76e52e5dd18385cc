// The most that a request may cost: whatever its offers are, what is held and what an answer can cost stay within it.
import { describe, expect, test } from "bun:test";
import type { Offer } from "../../src/core/demand.ts";
import { capOffer } from "../../src/ledger/ceiling.ts";
import { computeBalanceRoom, computeHoldTerms, worstCost } from "../../src/ledger/worst.ts";
import { makeDice } from "../selectors/dice.ts";

const ROUNDS = 5000;
const MARKUPS = [1, 1.25, 0.3, 7.000001, 0];

type Roll = () => number;

function oneOf<One>(values: readonly One[], roll: Roll): One | undefined {
  return values[Math.floor(roll() * values.length)];
}

function makeOffer(roll: Roll, at: number): Offer {
  const limit = () => (roll() < 0.4 ? null : 1 + Math.floor(roll() ** 3 * 200_000));
  const outputTokensMax = limit();
  const asked = limit();
  return {
    card: `Acme#${at}`,
    isPriced: true,
    lines: [
      {
        what: "input",
        count: Math.floor(roll() ** 4 * 1_000_000),
        usdPerMillion: Math.round(roll() * 1e8) / 1e6,
      },
      { what: "request", count: 1, usdPerMillion: roll() < 0.2 ? 5000 : 0 },
    ],
    outputUsdPerMillion: roll() < 0.1 ? 0 : Math.round(roll() * 1e9) / 1e6,
    choices: 1 + Math.floor(roll() * 4),
    isLimitMeant: roll() < 0.7,
    outputTokensAsked: asked === null ? null : Math.min(asked, outputTokensMax ?? asked),
    outputTokensMax,
  };
}

describe("over random offers", () => {
  test("a hold never exceeds the ceiling, nor does any answer that it allows", () => {
    const roll = makeDice(8);
    let capped = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const markup = oneOf(MARKUPS, roll) ?? 1;
      const ceiling = Math.floor(10 ** (3 + roll() * 7));
      const offers = Array.from({ length: 1 + Math.floor(roll() * 4) }, (_, at) => makeOffer(roll, at));
      const kept = offers.flatMap((offer) => capOffer(offer, ceiling, markup) ?? []);
      const room = computeBalanceRoom(10 ** (3 + roll() * 9));
      const terms = computeHoldTerms(kept, [{ room }], markup);
      if (terms === null) continue;
      expect(terms.held[0]).toBeLessThanOrEqual(ceiling);
      for (const [card, tokens] of Object.entries(terms.outputTokens)) {
        const own = offers.find((offer) => offer.card === card);
        if (own === undefined) throw new Error("There is no such offer.");
        expect(worstCost(own, own.lines, tokens, markup)).toBeLessThanOrEqual(ceiling);
        expect(tokens).toBeLessThanOrEqual(own.outputTokensAsked ?? Number.MAX_SAFE_INTEGER);
        capped++;
      }
    }
    expect(capped).toBeGreaterThan(ROUNDS / 4);
  });

  test("an offer is refused only if sixteen tokens don't fit, or as many as were asked for", () => {
    const roll = makeDice(9);
    for (let round = 0; round < ROUNDS; round++) {
      const offer = makeOffer(roll, 0);
      const ceiling = Math.floor(10 ** (2 + roll() * 8));
      const most = Math.min(offer.outputTokensAsked ?? 16, offer.outputTokensMax ?? 16);
      const fits = worstCost(offer, offer.lines, Math.min(16, most), 1) <= ceiling;
      expect(capOffer(offer, ceiling, 1) !== null).toBe(fits);
    }
  });

  test("a limit that the ceiling covers stays as it is", () => {
    const roll = makeDice(10);
    for (let round = 0; round < ROUNDS; round++) {
      const offer = makeOffer(roll, 0);
      const asked = offer.outputTokensAsked;
      if (asked === null || worstCost(offer, offer.lines, asked, 1) > 1e12) continue;
      expect(capOffer(offer, 1e12, 1)?.outputTokensAsked).toBe(asked);
    }
  });
});
