// A conversation keeps its model while that one serves: another would read the whole prompt once more, without its cache, and
// may not take the thinking that is in it.
import type { Cached } from "../core/attempt.ts";
import type { SelectorRule } from "./selector.ts";
import type { CandidateTable } from "./table.ts";

/** A conversation is expected to go on for as many turns as it has had, and for no more than these. */
const TURNS_LEFT_MAX = 50;

export interface Holding {
  /** The card that served the last turn, and the tokens of the prompt that it is likely to hold. */
  readonly cached: Cached | null;
  /** The answers in the conversation so far. */
  readonly turns: number;
}

/**
 * The place of the model that a conversation stays with, in place of the first by score; −1: it holds too little of the
 * prompt to be lost, can't serve, or over the expected rest of the conversation the first one, which has to read all of the
 * prompt, costs less, where the selector saves money.
 */
export function findStaying(
  able: CandidateTable,
  first: number,
  { savesMoney }: Pick<SelectorRule, "savesMoney">,
  { cached, turns }: Holding,
): number {
  if (cached === null || cached.tokens === 0) return -1;
  const at = able.cards.findIndex(({ id }) => id === cached.cardId);
  if (at < 0 || at === first || !savesMoney) return at;
  const left = Math.min(TURNS_LEFT_MAX, turns);
  const staying = (1 + left) * able.costWhenHeld(at, cached.tokens);
  const changing = able.costWhenHeld(first, 0) + left * able.costWhenHeld(first, cached.tokens);
  return changing < staying ? -1 : at;
}
