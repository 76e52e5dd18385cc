// The worst case of a request's cost, which is held before a provider is called.
import type { Offer } from "../core/demand.ts";
import { type BillLine, computeCost, type NanoUsd } from "../core/money/money.ts";

/** The share of the free balance that a request without an output limit may hold. */
const SHARE_UNASKED = 1 / 4;
/** A shorter answer is seldom useful: a balance that can't cover this many doesn't cover the request. */
const OUTPUT_TOKENS_MIN = 1024;
/** The least granted for a limit that is only a wish. */
const OUTPUT_TOKENS_WISHED_MIN = 4096;

/** Returns the cost with `outputTokens` per choice, in whole nano-dollars, markup included. */
export function worstCost(
  offer: Offer,
  lines: readonly BillLine[],
  outputTokens: number,
  markup: number,
): NanoUsd {
  const { outputUsdPerMillion: usdPerMillion, choices } = offer;
  const output: BillLine = { what: "output", count: choices * outputTokens, usdPerMillion };
  return computeCost([...lines, output], markup);
}

/** The most that a request may hold. */
export interface Room {
  readonly nanoUsd: NanoUsd;
  /** The most for a request without an output limit. */
  readonly unnamedNanoUsd: NanoUsd;
}

/** Money from which a request's worst case is held: a balance, the budget for free requests, or a budget. */
export interface Fund {
  readonly room: Room;
  /** False if the card's requests aren't paid from it. Missing if all are. */
  readonly covers?: (card: string) => boolean;
  /** True if a known conversation's cached prompt is held at the cached rate, and no card without a price is covered. */
  readonly isBudget?: true;
}

/** The amounts to hold, and the cards that they cover. */
export interface HoldTerms {
  /** For each fund, in the order given: the most that any of the cards may take from it. */
  readonly held: readonly NanoUsd[];
  /** The output tokens per choice that the holds cover, by card. Cards not listed aren't covered. */
  readonly outputTokens: Readonly<Record<string, number>>;
}

/** Returns the room of a balance. A request without an output limit leaves three quarters for others. */
export function computeBalanceRoom(freeNanoUsd: NanoUsd): Room {
  return { nanoUsd: freeNanoUsd, unnamedNanoUsd: Math.floor(freeNanoUsd * SHARE_UNASKED) };
}

/** Returns what to hold for the cards whose worst case fits in every fund that pays for them. Null if there are none. */
export function computeHoldTerms(
  offers: readonly Offer[],
  funds: readonly Fund[],
  markup: number,
): HoldTerms | null {
  const held: NanoUsd[] = [];
  for (let at = 0; at < funds.length; at++) held.push(0);
  const outputTokens: Record<string, number> = {};
  let isCovered = false;
  for (const offer of offers) {
    const tokens = chooseFundedOutput(offer, funds, markup);
    const worst = new WorstCost(offer, tokens, markup);
    if (findBeyond(offer, funds, worst) !== null) continue;
    holdMost(held, offer, funds, worst);
    outputTokens[offer.card] = tokens;
    isCovered = true;
  }
  return isCovered ? { held, outputTokens } : null;
}

function holdMost(held: NanoUsd[], offer: Offer, funds: readonly Fund[], worst: WorstCost): void {
  let at = 0;
  for (const fund of funds) {
    if (isAsked(fund, offer)) held[at] = Math.max(held[at] ?? 0, worst.measure(fund));
    at++;
  }
}

/** Returns the first fund that doesn't cover the card, or null. */
export function findShortFund<Kind extends Fund>(
  offer: Offer,
  funds: readonly Kind[],
  markup: number,
): Kind | null {
  const tokens = chooseFundedOutput(offer, funds, markup);
  return findBeyond(offer, funds, new WorstCost(offer, tokens, markup));
}

/** Returns the first fund with less room than the worst case, or null. */
function findBeyond<Kind extends Fund>(offer: Offer, funds: readonly Kind[], worst: WorstCost): Kind | null {
  for (const fund of funds)
    if (isAsked(fund, offer) && isBeyond(worst.measure(fund), fund, offer)) return fund;
  return null;
}

/** True if requests to the card are paid from the fund. */
function isAsked({ covers }: Fund, { card }: Offer): boolean {
  return covers === undefined || covers(card);
}

/** The worst cost by fund. All budgets have the same one, which is computed once. */
class WorstCost {
  readonly #offer: Offer;
  readonly #outputTokens: number;
  readonly #markup: number;
  #lines: readonly BillLine[] | null = null;
  #nanoUsd: NanoUsd = 0;

  constructor(offer: Offer, outputTokens: number, markup: number) {
    this.#offer = offer;
    this.#outputTokens = outputTokens;
    this.#markup = markup;
  }

  measure(fund: Fund): NanoUsd {
    const lines = chooseLines(fund, this.#offer);
    if (lines !== this.#lines) {
      this.#nanoUsd = worstCost(this.#offer, lines, this.#outputTokens, this.#markup);
      this.#lines = lines;
    }
    return this.#nanoUsd;
  }
}

function isBeyond(worst: NanoUsd, { room, isBudget }: Fund, { isPriced }: Offer): boolean {
  return worst > room.nanoUsd || (isBudget === true && !isPriced);
}

function chooseLines({ isBudget }: Fund, { lines, reservedLines = lines }: Offer): readonly BillLine[] {
  return isBudget ? reservedLines : lines;
}

/** The least that any of the funds allows that pay for the card. */
function chooseFundedOutput(offer: Offer, funds: readonly Fund[], markup: number): number {
  let least = offer.outputTokensAsked ?? offer.outputTokensMax ?? Number.MAX_SAFE_INTEGER;
  const input = new WorstCost(offer, 0, markup);
  for (const fund of funds) {
    if (isAsked(fund, offer)) least = Math.min(least, chooseOutput(offer, fund, input, markup));
  }
  return least;
}

/** Returns the output per choice to hold for: the client's limit, else what the share covers of the model's. */
function chooseOutput(offer: Offer, fund: Fund, input: WorstCost, markup: number): number {
  const { outputTokensAsked: asked, outputTokensMax, outputUsdPerMillion, choices } = offer;
  if (asked !== null && offer.isLimitMeant) return asked;
  const most = asked ?? outputTokensMax ?? Number.MAX_SAFE_INTEGER;
  const tokenNano = outputUsdPerMillion * 1000 * markup * choices;
  if (tokenNano === 0) return most;
  const least = asked === null ? OUTPUT_TOKENS_MIN : OUTPUT_TOKENS_WISHED_MIN;
  const shareNanoUsd = fund.room.unnamedNanoUsd;
  const covered = Math.floor((shareNanoUsd - input.measure(fund)) / tokenNano);
  return Math.min(most, Math.max(least, covered));
}
