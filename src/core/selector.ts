// The names of the selectors. Each selector's rule has its own file.

export const SELECTORS = ["best", "fair", "light"] as const;
export type Selector = (typeof SELECTORS)[number];

/** The share of the best quality that `fair` keeps unless another is asked for. */
export const FAIR_QUALITY = 0.98;
