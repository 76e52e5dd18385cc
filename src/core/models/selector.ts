// The names of the selectors. Each selector's rule has its own file.

export const SELECTORS = ["best", "fair", "light"] as const;
export type Selector = (typeof SELECTORS)[number];

/** The reasons for which a conversation stays with its model, whatever the scores are. */
export const STAY_REASONS = ["tool_loop", "cache", "thinking", "opening"] as const;
export type StayReason = (typeof STAY_REASONS)[number];

/** The end of the sentence "The model stays …". */
export const STAY_WORDS: Readonly<Record<StayReason, string>> = {
  tool_loop: "with the conversation, whose newest message is the result of its call",
  cache: "with the conversation, whose prompt it has cached",
  thinking: "with the conversation, whose thinking it can read",
  opening: "with the conversation, for whose opening it is chosen",
};

/** True for the id of a selector, in any case, and for a pattern of such ids. */
export function isSelector(id: string): boolean {
  return /^router#/i.test(id);
}

/** The share of the best quality that `fair` keeps unless another is asked for. */
export const FAIR_QUALITY = 0.98;
