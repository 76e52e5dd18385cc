// Says in sentences why no model is left to choose from, with what would bring the nearest ones back.

import type { Steering } from "../core/models/steering.ts";
import { formatPlainUsd, toNearestNanoUsd } from "../core/money/money.ts";
import type { Candidate } from "./candidate.ts";
import type { Choice } from "./choose.ts";
import { UNPRICED } from "./sieve.ts";
import { MAX_COST, MAX_MS } from "./sift.ts";

/** Returns the reasons with their numbers of models, and what the ceilings and missing prices are about. */
export function explainRemoved(
  { removed, candidates, asked }: Pick<Choice, "removed" | "candidates" | "asked">,
  steering: Steering,
): readonly string[] {
  const counts = Object.entries(removed).map(([reason, count]) => `${reason} (${count})`);
  return [
    `Removed by: ${counts.join(", ")}.`,
    ...explainCeilings(candidates, steering, asked.markup),
    ...explainUnpriced(candidates),
  ];
}

/** Names the cheapest of the models that cost too much, and the fastest of those that take too long. */
function explainCeilings(
  candidates: readonly Candidate[],
  { maxCostUsd, maxMs }: Steering,
  markup: number,
): readonly string[] {
  const by = (reason: string) => candidates.filter(({ removedBy }) => removedBy === reason);
  const [cheapest] = by(MAX_COST).toSorted((a, b) => (a.costUsd ?? 0) - (b.costUsd ?? 0));
  const [fastest] = by(MAX_MS).toSorted((a, b) => a.latencyMs - b.latencyMs);
  return [
    ...(cheapest
      ? [
          `The cheapest, '${cheapest.card.id}', would cost about ${formatEstimate((cheapest.costUsd ?? 0) * markup)} USD; the most is ${formatEstimate(maxCostUsd)}.`,
        ]
      : []),
    ...(fastest
      ? [`The fastest, '${fastest.card.id}', would take about ${fastest.latencyMs} ms; the most is ${maxMs}.`]
      : []),
  ];
}

function formatEstimate(usd: number | null): string {
  return formatPlainUsd(toNearestNanoUsd(usd ?? 0));
}

function explainUnpriced(candidates: readonly Candidate[]): readonly string[] {
  const unpriced = candidates.find(({ removedBy }) => removedBy === UNPRICED);
  if (unpriced === undefined) return [];
  const set = `models: { "${unpriced.card.id}": { price: { input: 0, output: 0 } } }`;
  return [`Selectors need prices, in USD per million tokens: set them in the configuration, as in ${set}.`];
}
