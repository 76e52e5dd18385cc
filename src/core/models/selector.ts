// The names of the selectors. Each selector's rule has its own file.

export const SELECTORS = ["best", "fair", "light"] as const;
export type Selector = (typeof SELECTORS)[number];

/** True for the id of a selector, in any case, and for a pattern of such ids. */
export function isSelector(id: string): boolean {
  return /^router#/i.test(id);
}

/** The share of the best quality that `fair` keeps unless another is asked for. */
export const FAIR_QUALITY = 0.98;
