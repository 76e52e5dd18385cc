// Tells a limit on an answer that its client means from one that is only a wish.

/** In tokens. Coding agents always send their model's maximum and hardly ever use it: a larger limit is only a wish. */
const MEANT_MAX = 16_384;

/** True if an answer of that many tokens may be expected. `isLimitRequired`: the client's API requires a limit. */
export function isLimitMeant(outputTokens: number, isLimitRequired: boolean): boolean {
  return !isLimitRequired && outputTokens <= MEANT_MAX;
}
