// The auditor's own arithmetic of holds: the worst case of an offer in exact pico-dollars.
import type { Admission, Offer } from "../../src/core/demand.ts";
import type { GatewayKey } from "../../src/core/key.ts";
import { ceilDiv } from "./cards.ts";
import type { ModelAccount, ModelSpend } from "./model-rows.ts";
import type { Scenario } from "./scenario.ts";

const MILLION = 1_000_000;

export function readMarkupParts({ billing }: Scenario): number {
  return Math.round(billing.markup * MILLION);
}

/** Converts USD per million tokens to pico-dollars per token. */
function picoOf(usdPerMillion: number): bigint {
  return BigInt(Math.round(usdPerMillion * 1_000_000));
}

/** The worst cost of an offer if a request with no limit, or a large one, may use up to `share`. */
export function computeWorst(offer: Offer, share: bigint, markupParts: number): bigint {
  const fixed = offer.lines.reduce((sum, line) => sum + BigInt(line.count) * picoOf(line.usdPerMillion), 0n);
  const perToken = BigInt(offer.choices) * picoOf(offer.outputUsdPerMillion);
  const costOf = (tokens: bigint) =>
    ceilDiv((fixed + tokens * perToken) * BigInt(markupParts), 1_000_000_000n);
  const { outputTokensAsked: asked } = offer;
  if (asked !== null && asked <= 16_384) return costOf(BigInt(asked));
  const most = BigInt(asked ?? offer.outputTokensMax ?? Number.MAX_SAFE_INTEGER);
  const room = (share - costOf(0n)) * 1_000_000_000n;
  const affordable = perToken === 0n ? most : floorDiv(room, perToken * BigInt(markupParts));
  const least = asked === null ? 1024n : 4096n;
  const tokens = affordable > least ? affordable : least;
  return costOf(tokens < most ? tokens : most);
}

/** The part of a budget that a free request may use: all that is left, or a share of it if it sets no limit. */
export function freeRoom(limit: bigint, spent: bigint, held: bigint): { rest: bigint; share: bigint } {
  const unspent = limit > spent ? limit - spent : 0n;
  const rest = unspent > held ? unspent - held : 0n;
  if (unspent === 0n) return { rest, share: 0n };
  const alone = Number(rest) / Number(unspent);
  return { rest, share: BigInt(Math.floor((Number(rest) / 4) * alone * alone)) };
}

function floorDiv(amount: bigint, by: bigint): bigint {
  const quotient = amount / by;
  return amount % by < 0n ? quotient - 1n : quotient;
}

/** True if a balance can pay for any model of the plan. */
export function isCovered({ offers, isPayable }: Admission): boolean {
  return isPayable && (offers ?? []).some(({ isPriced }) => isPriced);
}

/** The worst cost of the most expensive covered model. Null if the first model isn't covered. */
export function findAffordable(
  demand: Admission,
  { spendLimitNanoUsd }: GatewayKey,
  { balance }: ModelAccount,
  { spent, held }: ModelSpend,
  scenario: Scenario,
): bigint | null {
  if (!isCovered(demand)) return null;
  const limit = spendLimitNanoUsd === null ? null : BigInt(spendLimitNanoUsd) - spent - held;
  const free = limit !== null && limit < balance ? limit : balance;
  const costs = (demand.offers ?? [])
    .filter(({ isPriced }) => isPriced)
    .map((offer) => computeWorst(offer, free / 4n, readMarkupParts(scenario)));
  // The first model of the plan must be covered. Others that aren't are skipped.
  if (costs[0] === undefined || costs[0] > free) return null;
  return costs.filter((cost) => cost <= free).reduce((a, b) => (a > b ? a : b), 0n);
}
