// The share of a repeated prompt that a model reads from its cache, learned from the usage that its answers report.
import { FadingCounts } from "./decay.ts";

/** No provider caches shorter prefixes. */
const PREFIX_TOKENS_MIN = 1024;
const HALF_LIFE_TURNS = 50;
/** The share assumed for a model that has reported none, and the number of turns that the assumption counts as. */
const SHARE_BEFORE = 0.5;
const TURNS_BEFORE = 2;
const TURNS = 0;
const SHARES = 1;

export class Caches {
  /** Time is counted in turns, so that a card's share follows its last turns however rare they are. */
  readonly #cards = new Map<string, { readonly counts: FadingCounts; turn: number }>();

  /** Records a turn served by the model that served the conversation's previous turn. */
  fold(cardId: string, heldTokens: number, cachedTokens: number): void {
    if (heldTokens < PREFIX_TOKENS_MIN) return;
    const card = this.#cards.get(cardId) ?? { counts: new FadingCounts(2, HALF_LIFE_TURNS), turn: 0 };
    this.#cards.set(cardId, card);
    card.counts.add(TURNS, ++card.turn);
    card.counts.add(SHARES, card.turn, Math.min(1, cachedTokens / heldTokens));
  }

  /** The number of these tokens, which the model has seen just before, that are likely to be read from its cache. */
  estimateTokens(cardId: string, heldTokens: number): number {
    if (heldTokens < PREFIX_TOKENS_MIN) return 0;
    const card = this.#cards.get(cardId);
    const at = (slot: number) => card?.counts.at(slot, card.turn) ?? 0;
    const share = (at(SHARES) + SHARE_BEFORE * TURNS_BEFORE) / (at(TURNS) + TURNS_BEFORE);
    return Math.round(share * heldTokens);
  }
}
