// The auditor's own arithmetic of holds: the worst case of an offer in exact pico-dollars.
import type { Offer } from "../../src/core/demand.ts";
import { ceilDiv } from "./cards.ts";
import type { Scenario } from "./scenario.ts";

const MILLION = 1_000_000;

export function markupPartsOf({ billing }: Scenario): number {
  return Math.round(billing.markup * MILLION);
}

/** Pico-dollars of a token at so many USD per million of them. */
function picoOf(usdPerMillion: number): bigint {
  return BigInt(Math.round(usdPerMillion * 1_000_000));
}

export function worstOf(offer: Offer, free: bigint, markupParts: number): bigint {
  const fixed = offer.lines.reduce((sum, line) => sum + BigInt(line.count) * picoOf(line.usdPerMillion), 0n);
  const perToken = BigInt(offer.choices) * picoOf(offer.outputUsdPerMillion);
  const costOf = (tokens: bigint) =>
    ceilDiv((fixed + tokens * perToken) * BigInt(markupParts), 1_000_000_000n);
  if (offer.outputTokensAsked !== null) return costOf(BigInt(offer.outputTokensAsked));
  const most = BigInt(offer.outputTokensMax ?? Number.MAX_SAFE_INTEGER);
  const quarter = (free * 1_000_000_000n) / 4n - costOf(0n) * 1_000_000_000n;
  const affordable = perToken === 0n ? most : floorDiv(quarter, perToken * BigInt(markupParts));
  const tokens = affordable > 1024n ? affordable : 1024n;
  return costOf(tokens < most ? tokens : most);
}

function floorDiv(amount: bigint, by: bigint): bigint {
  const quotient = amount / by;
  return amount % by < 0n ? quotient - 1n : quotient;
}
