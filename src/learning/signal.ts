// Turns a signal against an answer into a score and its weight.
import type { Signal } from "../operations/chat/grader.ts";

interface WeighedSignal {
  /** Both 0…1. */
  readonly score: number;
  readonly weight: number;
}

/** Each signal's score, and its weight relative to a client's own score, which weighs 1. */
const SIGNAL_WEIGHTS: Readonly<Record<Signal, WeighedSignal>> = {
  refused: { score: 0, weight: 0.2 },
  cut_off: { score: 0.2, weight: 0.2 },
  not_json: { score: 0, weight: 0.4 },
  breaks_schema: { score: 0, weight: 0.4 },
  bad_arguments: { score: 0, weight: 0.4 },
};
const WEIGHT_MAX = 0.5;

/**
 * Returns the lesson of a broken answer after this many sound ones: one bad answer among many doesn't make a bad model.
 * Sound answers only confirm the expectation, so they are counted into the lesson of the next broken one.
 */
export function weighSignal(signal: Signal, expected: number, soundBefore: number): WeighedSignal {
  const { score, weight } = SIGNAL_WEIGHTS[signal];
  return {
    score: (score + soundBefore * expected) / (1 + soundBefore),
    weight: Math.min(WEIGHT_MAX, weight * (1 + soundBefore)),
  };
}
