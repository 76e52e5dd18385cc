// The share of a repeated prompt that a model reads from its cache, learned from the usage that its answers report.

import { boundShares } from "../core/health/shares.ts";
import { FadingCounts } from "./decay.ts";
import { MarkSavings } from "./mark-savings.ts";
import { RecentTurns } from "./recent-turns.ts";

/** No provider caches shorter prefixes. */
const PREFIX_TOKENS_MIN = 1024;
const HALF_LIFE_TURNS = 50;
/** The share assumed for a model that has reported none, and the number of turns that the assumption counts as. */
const SHARE_BEFORE = 0.5;
const TURNS_BEFORE = 2;
const TURNS = 0;
const SHARES = 1;
/** Beyond this number of a card's payers, the one whose last turn is the oldest is forgotten. */
const PAYERS_MAX = 32;

/** Time is counted in a payer's turns, so that its share follows its last turns however rare they are. */
interface PayerTurns {
  readonly counts: FadingCounts;
  turn: number;
}

export class Caches {
  /** By card and payer. The payers of the last turns stand at the end. */
  readonly #cards = new Map<string, Map<string, PayerTurns>>();
  /** The turns that came a moment ago, and whether the marks that the gateway sets pay. */
  readonly turns = new RecentTurns();
  readonly savings = new MarkSavings();

  /** Records a payer's turn served by the model that served the conversation's previous turn. */
  fold(cardId: string, payer: string, heldTokens: number, cachedTokens: number): void {
    if (heldTokens < PREFIX_TOKENS_MIN) return;
    const payers = this.#cards.getOrInsertComputed(cardId, () => new Map());
    const own = payers.get(payer) ?? { counts: new FadingCounts(2, HALF_LIFE_TURNS), turn: 0 };
    payers.delete(payer);
    payers.set(payer, own);
    const [oldest] = payers.keys();
    if (payers.size > PAYERS_MAX && oldest !== undefined) payers.delete(oldest);
    own.counts.add(TURNS, ++own.turn);
    own.counts.add(SHARES, own.turn, Math.min(1, cachedTokens / heldTokens));
  }

  /**
   * The number of these tokens, which the model has seen just before, that are likely to be read from its cache. No other voice's
   * turns are more than a quarter of what the estimate rests on.
   */
  estimateTokens(cardId: string, payer: string, heldTokens: number): number {
    if (heldTokens < PREFIX_TOKENS_MIN) return 0;
    const payers = [...(this.#cards.get(cardId) ?? [])].filter(([one]) => one !== payer);
    const others = payers.map(([, turns]) => readTurns(turns));
    const own = readTurns(this.#cards.get(cardId)?.get(payer));
    let turns = own.turns + TURNS_BEFORE;
    let shares = own.shares + SHARE_BEFORE * TURNS_BEFORE;
    const parts = boundShares(
      turns,
      others.map((other) => other.turns),
      payers.map(([one]) => one),
      payer,
    );
    for (const [at, other] of others.entries()) {
      turns += (parts[at] ?? 0) * other.turns;
      shares += (parts[at] ?? 0) * other.shares;
    }
    return Math.round((shares / turns) * heldTokens);
  }
}

function readTurns(own: PayerTurns | undefined) {
  if (own === undefined) return { turns: 0, shares: 0 };
  const { counts, turn } = own;
  return { turns: counts.at(TURNS, turn), shares: counts.at(SHARES, turn) };
}
