// A conversation keeps its model while that one serves: another would read the whole prompt once more, without its cache, and
// may not take the thinking that is in it.
import type { Asked } from "./ask.ts";
import type { Candidate } from "./candidate.ts";
import { pickFirst, type SelectorRule } from "./selector.ts";

/** A conversation is expected to go on for as many turns as it has had, and for no more than these. */
const TURNS_LEFT_MAX = 50;

/**
 * The model that a conversation stays with, in place of the first by score; undefined: it holds too little of the prompt to
 * be lost, can't serve, or over the expected rest of the conversation the first one, which has to read all of the prompt,
 * costs less, where the selector saves money.
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
