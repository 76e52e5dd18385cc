// Keeps a conversation on its model while that one can serve: another would read the whole prompt without a cache, and
// can't read the thinking in it.
import type { StayReason } from "../core/models/selector.ts";
import { type Estimates, estimateTokens, priceTokens } from "./estimates.ts";
import type { SelectorRule } from "./selector.ts";
import { isInToolLoop } from "./text/task.ts";
import { countUnread, type ServingModel } from "./thought.ts";

/** A conversation is expected to go on for as many turns as it has had, but at most this many. */
const TURNS_LEFT_MAX = 50;

/**
 * The rest of the conversation must cost less than this share of what it would. Its next tasks, and so what fits them,
 * are unknown: at any saving at all, ten of twelve simulated sessions changed their model with a new task.
 */
const CHANGED_SHARE = 1 / 3;

export interface Staying {
  /** The place of the model to stay with. */
  readonly place: number;
  readonly because: StayReason;
  /** The tokens of the prompt that it has probably cached. */
  readonly cachedTokens: number;
  /** The tokens of the history's thinking that the first by score can't read, and this one can. */
  readonly thinkingTokens: number;
  /** True if the calls are known to be this model's: then no pin comes before it. */
  readonly isCaller: boolean;
}

/**
 * Returns the model to stay with, whatever the first by score is. Null if the conversation has none, or if it can't serve.
 * Also null outside a loop of tools if it has neither cached the prompt nor made the thinking, or if the selector saves money
 * and the first one, which has to read and think it all again, still costs far less over the expected rest of the
 * conversation, whose tasks may be of other kinds than this one.
 */
export function findStaying(able: Estimates, first: number | undefined, rule: SelectorRule): Staying | null {
  const { served, input } = able.asked;
  if (served === null || first === undefined) return null;
  const place = able.find(served.cardId);
  if (place < 0) return null;
  const card = able.cardAt(place);
  const own = countUnread(served.thought, card, card);
  const thinkingTokens = Math.max(0, countUnread(served.thought, able.cardAt(first), card) - own);
  const stay = (because: StayReason): Staying => ({
    place,
    because,
    cachedTokens: served.tokens,
    thinkingTokens,
    isCaller: because === "tool_loop" && served.by === "memory",
  });
  // The model that made a call has planned what to do with its result. Where the process didn't see the call, the opening's
  // choice has probably made it.
  if (isInToolLoop(input.request.messages)) return stay("tool_loop");
  const because = findReason(served, thinkingTokens);
  if (because === null || place === first || rule.saves !== "cost") return because && stay(because);
  if (!isGoodOverall(able, first, rule)) return stay(because);
  const costs = { able, place, first, own };
  if (!isFarCheaper(costs, 0)) return stay(because);
  return isFarCheaper(costs, thinkingTokens) ? null : stay("thinking");
}

function findReason({ by, tokens }: ServingModel, thinkingTokens: number): StayReason | null {
  if (by !== "memory") return by;
  if (tokens > 0) return "cache";
  return thinkingTokens > 0 ? "thinking" : null;
}

interface StayComparison {
  readonly able: Estimates;
  readonly place: number;
  readonly first: number;
  /** The tokens of thinking that the model itself can't read. */
  readonly own: number;
}

/** True if the first costs far less, although it has to think this many more tokens again than the model does. */
function isFarCheaper({ able, place, first, own }: StayComparison, thinkingTokens: number): boolean {
  const { asked, rows } = able;
  const heldTokens = asked.served?.tokens ?? 0;
  const turns = asked.input.request.messages.filter(({ role }) => role === "assistant").length;
  const left = Math.min(TURNS_LEFT_MAX, turns);
  const cost = (at: number, held: number, again = 0) => {
    const row = rows[at] ?? 0;
    const { answer, thought } = estimateTokens(asked, row);
    return priceTokens(asked, row, held, { answer, thought: thought + again });
  };
  const staying = cost(place, heldTokens, own) + left * cost(place, heldTokens);
  const changing = cost(first, 0, own + thinkingTokens) + left * cost(first, heldTokens);
  return changing < CHANGED_SHARE * staying;
}

/** True if the model keeps the promised share of the champion's quality whatever is asked. */
function isGoodOverall({ asked, level, champion }: Estimates, place: number, rule: SelectorRule): boolean {
  return (level[place] ?? 0) >= rule.findPromisedShare(asked.ask) * (level[champion] ?? 0);
}
