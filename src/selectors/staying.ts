// Keeps a conversation on its model while that one can serve: another would read the whole prompt without a cache, and
// may not accept the thinking in it.
import type { Asked } from "./ask.ts";
import type { Candidate } from "./candidate.ts";
import { pickFirst, type SelectorRule } from "./selector.ts";

/** A conversation is expected to go on for as many turns as it has had, but at most this many. */
const TURNS_LEFT_MAX = 50;

/**
 * Returns the model to stay with instead of the first by score. Undefined if it holds none of the prompt in its cache
 * or can't serve. Also undefined if the selector saves money and the first one, which has to read the whole prompt,
 * still costs less over the expected rest of the conversation.
 */
export function findStaying(
  able: readonly Candidate[],
  { savesMoney }: SelectorRule,
  { cached, input }: Pick<Asked, "cached" | "input">,
): Candidate | undefined {
  if (cached === null || cached.tokens === 0) return undefined;
  const holder = able.find(({ card }) => card.id === cached.cardId);
  const [first] = pickFirst(able, 1);
  if (holder === undefined || first === undefined || holder === first || !savesMoney) return holder;
  const turns = input.request.messages.filter(({ role }) => role === "assistant").length;
  const left = Math.min(TURNS_LEFT_MAX, turns);
  const cost = (one: Candidate, heldTokens: number) => one.costWhenHeld(heldTokens) ?? 0;
  const staying = (1 + left) * cost(holder, cached.tokens);
  const changing = cost(first, 0) + left * cost(first, cached.tokens);
  return changing < staying ? undefined : holder;
}
