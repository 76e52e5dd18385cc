// The quality that `fair` gives for money, and `light` for time: no more than labels bear out that the share of quality which
// is asked for is kept.

/** One model's answer to a labelled prompt, beside the champion's. */
export interface Offer {
  /** The quality that is predicted from the other prompts' labels. */
  readonly told: number;
  /** The score. */
  readonly real: number;
  /** The cost or the time, as selectors weigh it: 1 is the champion's cost, 0 its time. */
  readonly expense: number;
}

/** A labelled prompt as a selector would meet it: the champion's answer, and those that are no more expensive. */
export interface Trial {
  readonly champion: Offer;
  readonly others: readonly Offer[];
}

/** A price of quality, and the share of the champion's quality that is surely kept by choosing at it. */
export interface Step {
  readonly weight: number;
  readonly share: number;
}

/** By ascending weights; empty where too few prompts are labelled. */
export type Tradeoff = readonly Step[];

/** The weight at which nothing but the champion is chosen. */
export const CHAMPION_ONLY = -1;
/** Fewer prompts say too little of what is kept. */
const TRIALS_MIN = 100;
const WEIGHTS: readonly number[] = [0, ...Array.from({ length: 32 }, (_, at) => 0.002 * 1.25 ** at)];

/** The highest weight that keeps a share, 0…1, as do all lower ones; null: too little is known. */
export function findWeight(tradeoff: Tradeoff, share: number): number | null {
  if (tradeoff.length === 0) return null;
  let found = CHAMPION_ONLY;
  for (const step of tradeoff) {
    if (step.share < share) break;
    found = step.weight;
  }
  return found;
}

/** The weight at which the most is surely kept, if that is more than the champion's; 0 where too little is known. */
export function findBestWeight(tradeoff: Tradeoff): number | null {
  let best: Step = { weight: CHAMPION_ONLY, share: 1 };
  for (const step of tradeoff) if (step.share > best.share) best = step;
  if (tradeoff.length === 0) return 0;
  return best.weight === CHAMPION_ONLY ? null : best.weight;
}

/** In slices: it goes through all labels for each weight. */
export function* weighTrials(trials: readonly Trial[], least = TRIALS_MIN): Generator<void, Tradeoff> {
  if (trials.length < least) return [];
  const steps: Step[] = [];
  for (const weight of WEIGHTS) {
    const sums = { real: 0, single: 0, squares: 0, singles: 0, products: 0 };
    for (const { champion, others } of trials) {
      const real = pick(champion, others, weight).real;
      sums.real += real;
      sums.single += champion.real;
      sums.squares += real * real;
      sums.singles += champion.real ** 2;
      sums.products += real * champion.real;
    }
    steps.push({ weight, share: computeShare(sums, trials.length) });
    yield;
  }
  return steps;
}

function pick(champion: Offer, others: readonly Offer[], weight: number): Offer {
  let best = champion;
  let highest = champion.told - weight * champion.expense;
  for (const other of others) {
    const score = other.told - weight * other.expense;
    if (score <= highest) continue;
    best = other;
    highest = score;
  }
  return best;
}

type Sums = Readonly<Record<"real" | "single" | "squares" | "singles" | "products", number>>;

/** The share of the champion's scores that is reached, with one standard error taken off. */
function computeShare({ real, single, squares, singles, products }: Sums, count: number): number {
  if (single <= 0) return 1;
  const share = real / single;
  // The variance of what is above or below that share, prompt by prompt.
  const variance = (squares - 2 * share * products + share * share * singles) / count;
  return share - Math.sqrt(Math.max(0, variance) / count) / (single / count);
}
