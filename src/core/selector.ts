// The selectors: `Router#best`, `Router#fair` and `Router#light`.

export const SELECTORS = ["best", "fair", "light"] as const;
export type Selector = (typeof SELECTORS)[number];
