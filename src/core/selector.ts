// The names of the selectors. Each selector's rule has its own file.

export const SELECTORS = ["best", "fair", "light"] as const;
export type Selector = (typeof SELECTORS)[number];
