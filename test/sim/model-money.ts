// The auditor's own arithmetic of holds: the worst case of an offer in exact pico-dollars.
import type { Admission, Offer } from "../../src/core/demand.ts";
import { ceilDiv } from "./cards.ts";
import type { ModelAccount } from "./model-rows.ts";
import type { Scenario } from "./scenario.ts";

const MILLION = 1_000_000;

export function readMarkupParts({ billing }: Scenario): number {
  return Math.round(billing.markup * MILLION);
}

/** Converts USD per million tokens to pico-dollars per token. */
function picoOf(usdPerMillion: number): bigint {
  return BigInt(Math.round(usdPerMillion * 1_000_000));
}

/** Money from which a request's worst case is held. */
export interface ModelFund {
  readonly id: string;
  readonly rest: bigint;
  /** For a request with no limit, or a large one. */
  readonly share: bigint;
  readonly covers: (card: string) => boolean;
  readonly isBudget: boolean;
}

/** The worst cost of an offer by fund, or null if one that covers the card doesn't suffice. */
export function worstCosts(
  offer: Offer,
  funds: readonly ModelFund[],
  scenario: Scenario,
): ReadonlyMap<string, bigint> | null {
  const markup = BigInt(readMarkupParts(scenario));
  const perToken = BigInt(offer.choices) * picoOf(offer.outputUsdPerMillion);
  const own = funds.filter(({ covers }) => covers(offer.card));
  const costOf = (fund: ModelFund, tokens: bigint) => {
    const lines = (fund.isBudget ? offer.reservedLines : undefined) ?? offer.lines;
    const fixed = lines.reduce((sum, line) => sum + BigInt(line.count) * picoOf(line.usdPerMillion), 0n);
    return ceilDiv((fixed + tokens * perToken) * markup, 1_000_000_000n);
  };
  const { outputTokensAsked: asked } = offer;
  const most = BigInt(asked ?? offer.outputTokensMax ?? Number.MAX_SAFE_INTEGER);
  const least = asked === null ? 1024n : 4096n;
  const tokensOf = (fund: ModelFund) => {
    if (asked !== null && offer.isLimitMeant) return BigInt(asked);
    const room = (fund.share - costOf(fund, 0n)) * 1_000_000_000n;
    const affordable = perToken === 0n ? most : floorDiv(room, perToken * markup);
    const tokens = affordable > least ? affordable : least;
    return tokens < most ? tokens : most;
  };
  const tokens = own.map(tokensOf).reduce((fewest, one) => (one < fewest ? one : fewest), most);
  const costs = new Map(own.map((fund) => [fund.id, costOf(fund, tokens)]));
  const isShort = own.some(
    (fund) => (costs.get(fund.id) ?? 0n) > fund.rest || (fund.isBudget && !offer.isPriced),
  );
  return isShort ? null : costs;
}

/** The most that any of the fitting offers may cost, by fund. Null if none fits. */
export function computeHolds(
  offers: readonly Offer[],
  funds: readonly ModelFund[],
  scenario: Scenario,
): ReadonlyMap<string, bigint> | null {
  const fitting = offers.flatMap((offer) => worstCosts(offer, funds, scenario) ?? []);
  if (fitting.length === 0) return null;
  const held = new Map<string, bigint>();
  for (const costs of fitting)
    for (const [id, cost] of costs) if (cost > (held.get(id) ?? -1n)) held.set(id, cost);
  return held;
}

/** A budget as a fund. */
export function computeRange(limit: bigint, spent: bigint, held: bigint): Pick<ModelFund, "rest" | "share"> {
  return freeRoom(limit, spent, held);
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

/** The holds if the balance pays. Null if the first model isn't covered. */
export function findAffordable(
  demand: Admission,
  offers: readonly Offer[],
  funds: readonly ModelFund[],
  { balance }: ModelAccount,
  scenario: Scenario,
): ReadonlyMap<string, bigint> | null {
  const priced = demand.isPayable ? offers.filter(({ isPriced }) => isPriced) : [];
  const [first] = priced;
  const purse = { id: "balance", rest: balance, share: balance / 4n, covers: () => true, isBudget: false };
  const all = [...funds, purse];
  // The first model of the plan must be covered. Others that aren't are skipped.
  if (first === undefined || worstCosts(first, all, scenario) === null) return null;
  return computeHolds(priced, all, scenario);
}
