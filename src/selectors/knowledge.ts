// The port through which choosing reads what was learned of models, and its answers while nothing is known.
import type { Places } from "../core/world/card-map.ts";
import type { Prediction } from "./text/predictor.ts";

/** The corrections of a card, by its place. Numbers, not an object for each: a decision asks for thousands. */
export interface Shifts {
  /** Added to the predicted quality of this request. */
  quality(place: number): number;
  /** Added to the overall level. */
  lift(place: number): number;
  /** The standard deviation of `quality`. */
  spread(place: number): number;
  /** 1 without scores of the model, towards 0 the more there are. */
  doubt(place: number): number;
  /** The day of the newest score, `YYYY-MM-DD`, if scores decide the quality. Null if there are too few of them. */
  scoredOn(place: number): string | null;
  /** The last change of the model that its users' scores show. Null if there is none. */
  changed(place: number): Change | null;
}

/** A model whose newest scores differ from the older ones, which therefore count little. */
export interface Change {
  /** The day of the first score after the change, `YYYY-MM-DD`. */
  readonly on: string;
  readonly to: "worse" | "better";
}

/** One of the request's topics. */
export interface Leaning {
  readonly topic: string;
  /** The share of it in the request. */
  readonly share: number;
  /** The number of labelled prompts on it. */
  readonly prompts: number;
}

type PredictionRow = Pick<Prediction, "row">;

export interface Knowledge {
  /** The lead in quality that another model needs over the champion. */
  readonly margin: number;
  /** The mean cost of the champion's answers to labelled prompts. */
  readonly usualCostUsd: number;
  /**
   * Returns the share of labelled prompts that are at least as unlike the others as this request, 0…1: the smaller of
   * two, by the variance that labels leave and by the likeliest topic's share. Null without labels.
   */
  likenessOf(asked: PredictionRow): number | null;
  /** Returns the request's likeliest topics among those of the labelled prompts, the likeliest first. */
  leanedOn(asked: PredictionRow): readonly Leaning[];
  /**
   * Returns the weight of cost or time up to which choosing keeps a share of the champion's quality, 0…1, or
   * `CHAMPION_ONLY`. Null if too little is known.
   */
  weightFor(what: "money" | "time", share: number): number | null;
  /** Returns the corrections of cards' quality for a request like this one. */
  shiftsBy(places: Places, asked: PredictionRow): Shifts;
  /** Returns the ratio of a card's answers' length to the predicted one that a payer may expect, by place. */
  lengthsBy(places: Places, payer: string): (place: number) => number;
  /** Returns the standard deviation of ln(actual / expected length) of the card's answers, for a payer. */
  lengthSpreadOf(model: string, payer: string): number;
}

/** The weight at which only the champion is chosen. */
export const CHAMPION_ONLY = -1;
/** The standard deviation of ln(actual / predicted length) within a model, measured on public rows. */
export const LENGTH_SPREAD = 0.8;

export const NO_SHIFTS: Shifts = {
  quality: () => 0,
  lift: () => 0,
  spread: () => 0,
  doubt: () => 1,
  scoredOn: () => null,
  changed: () => null,
};

export const NOTHING_KNOWN: Knowledge = {
  margin: 0,
  usualCostUsd: 0,
  likenessOf: () => null,
  leanedOn: () => [],
  weightFor: () => null,
  shiftsBy: () => NO_SHIFTS,
  lengthsBy: () => () => 1,
  lengthSpreadOf: () => LENGTH_SPREAD,
};
