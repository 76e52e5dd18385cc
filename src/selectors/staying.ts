// Keeps a conversation on its model while that one can serve: another would read the whole prompt without a cache, and
// may not accept the thinking in it.
import { type Estimates, estimateTokens, priceTokens } from "./estimates.ts";
import type { SelectorRule } from "./selector.ts";

/** A conversation is expected to go on for as many turns as it has had, but at most this many. */
const TURNS_LEFT_MAX = 50;

/**
 * The rest of the conversation must cost less than this share of what it would. Its next tasks, and so what fits them,
 * are unknown: at any saving at all, ten of twelve simulated sessions changed their model with a new task.
 */
const CHANGED_SHARE = 1 / 3;

/**
 * Returns the place of the model to stay with instead of the first by score. −1 if it holds none of the prompt in its
 * cache or can't serve. Also −1 if the selector saves money and the first one, which has to read the whole prompt, still
 * costs far less over the expected rest of the conversation, whose tasks may be of other kinds than this one.
 */
export function findStaying(able: Estimates, first: number | undefined, rule: SelectorRule): number {
  const { asked, rows } = able;
  const { cached, input } = asked;
  if (cached === null || cached.tokens === 0) return -1;
  const holder = able.find(cached.cardId);
  if (holder < 0 || first === undefined || holder === first || rule.saves !== "cost") return holder;
  if (!isGoodOverall(able, first, rule)) return holder;
  const turns = input.request.messages.filter(({ role }) => role === "assistant").length;
  const left = Math.min(TURNS_LEFT_MAX, turns);
  const cost = (place: number, heldTokens: number) => {
    const row = rows[place] ?? 0;
    return priceTokens(asked, row, heldTokens, estimateTokens(asked, row));
  };
  const staying = (1 + left) * cost(holder, cached.tokens);
  const changing = cost(first, 0) + left * cost(first, cached.tokens);
  return changing < CHANGED_SHARE * staying ? -1 : holder;
}

/** True if the model keeps the promised share of the champion's quality whatever is asked. */
function isGoodOverall({ asked, level, champion }: Estimates, place: number, rule: SelectorRule): boolean {
  return (level[place] ?? 0) >= rule.findPromisedShare(asked.ask) * (level[champion] ?? 0);
}
