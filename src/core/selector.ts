// The names of the selectors: `Router#best`, `Router#fair` and `Router#light`. Each has its rule in its own file.

export const SELECTORS = ["best", "fair", "light"] as const;
export type Selector = (typeof SELECTORS)[number];
