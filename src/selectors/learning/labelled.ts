// A labelled prompt, and what is drawn from all of them of each model.
import type { Lengths } from "../predictor.ts";
import type { Design } from "./design.ts";

/** No model's quality is moved further against the others' than this. */
export const OWN_MAX = 0.35;

/** The scores of one model for one prompt. */
export interface Mark {
  /** The sum of the labels' weights. */
  weight: number;
  /** Sums over the labels by weight: of the scores' distance from what was expected, and of what was expected. */
  residual: number;
  expected: number;
}

export interface Labelled extends Pick<Design, "phi" | "topic" | "top"> {
  readonly lengths: Lengths;
  readonly marks: ReadonlyMap<string, Mark>;
}

/** One model's part of the posterior. */
export interface Fit {
  /** The model is better by this than expected, whatever the request: as if 20 more answers had been as expected. */
  readonly overall: number;
  /** Its overall level is higher by this than without labels; of that it is less sure. */
  readonly lift: number;
  /** The difference from the champion beside that, by the design, and the share of it that is followed. */
  readonly weights: Float32Array;
  readonly slope: number;
  /** The variance that labels leave of a prompt's difference from the champion. */
  readonly noise: number;
  /** 1: no label; towards 0 the more there are. */
  readonly doubt: number;
}

/** Each prompt as the labels of the others foretell it. */
export interface Foretold {
  readonly champion: string;
  /** By model and prompt: the difference from the champion, beside that of their levels. The champion has none. */
  readonly foretold: ReadonlyMap<string, Float64Array>;
}
