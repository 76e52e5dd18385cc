// One Bayesian linear model of what labels say, for all models together: they share its design. Its noise and how
// far each model's own weights are followed come from the labels, by leaving out each prompt in turn.

import type { FindModel } from "../expense.ts";
import { TOPICS } from "../topics.ts";
import { addScaled, dot, halve, invert, measureUnder, multiply } from "./algebra.ts";
import type { Fit, Foretold, Labelled, Mark } from "./labelled.ts";
import { type Tradeoffs, weighExpenses } from "./trials.ts";

export interface Posterior extends Tradeoffs {
  /** The number of labelled prompts by their likeliest topic, in the order of TOPICS. */
  readonly topics: Float32Array;
  readonly fits: ReadonlyMap<string, Fit>;
  /** The champion's own weights, which all labelled models share: how much harder or easier a request is than expected. */
  readonly common: Float32Array;
  /** Per unit of noise: one half of it. */
  readonly covariance: Float32Array;
  /** The labelled prompts, each as it looked before it was labelled, ascending: of many some, evenly. */
  readonly variances: Float32Array;
  readonly tops: Float32Array;
}

const NOISES = [1, 2, 4, 8, 16, 32] as const;
const NOISE_USUAL = 4;
/** Fewer prompts say nothing of noise. */
const NOISE_PROMPTS_MIN = 30;
/** A model's level starts as if so many answers had been as expected. */
const LEVEL_START = 20;
/** The standard deviation of one score, about. */
const SCORE_SPREAD = 0.45;
/** Benchmarks, or the price, count as so many labels of a model's overall level: few labels name the champion by chance. */
const PRIOR_LABELS = 40;
/** The share of its weights that a model's labels are expected to bear out. */
const SLOPE_USUAL = 0.9;
const LEVERAGE_MAX = 0.99;
/** Prompts between two slices of work. */
const SLICE = 20;
/** More ranks than these tell nothing. */
const RANKS_MAX = 512;
/** Weights are followed by half once there were so many scores, so that a single one moves little. */
const WEIGHTS_START = 10;

interface Gathered {
  readonly overall: number;
  readonly level: number;
  readonly count: number;
  /** The distance of the overall level from that without labels. */
  readonly lift: number;
  /** By prompt: the distance from what was expected and from `overall`; NaN: not labelled. */
  readonly wanted: Float64Array;
  readonly weight: Float64Array;
  /** The same from the prompt's mean over models, so that noise isn't estimated from what they share. */
  readonly apart: Float64Array;
}

/** Null without labels. A generator, so that requests are served between its slices: thousands of prompts take a second. */
export function* fitPosterior(
  prompts: readonly Labelled[],
  findModel: FindModel,
): Generator<void, Posterior | null> {
  const width = prompts[0]?.phi.length ?? 0;
  const models = yield* gather(prompts, findModel);
  if (models.size === 0) return null;
  const design = new Float64Array(width * width);
  const shares = prompts.map(({ marks }) => Math.max(...[...marks.values()].map(({ weight }) => weight)));
  for (const [at, { phi }] of prompts.entries()) {
    addOuter(design, phi, shares[at] ?? 0);
    if (at % SLICE === SLICE - 1) yield;
  }
  const sums = new Map<string, Float64Array>();
  for (const [id, own] of models) {
    sums.set(id, sumUp(prompts, own.apart, own.weight));
    yield;
  }
  let best: { score: number; covariance: Float64Array; leverage: Float64Array } = {
    score: Number.NEGATIVE_INFINITY,
    covariance: design,
    leverage: new Float64Array(0),
  };
  for (const noise of prompts.length < NOISE_PROMPTS_MIN ? [NOISE_USUAL] : NOISES) {
    const covariance = yield* invert(design, width, noise);
    const half = halve(covariance, width);
    const leverage = new Float64Array(prompts.length);
    for (const [at, { phi }] of prompts.entries()) {
      leverage[at] = measureUnder(half, phi);
      if (at % SLICE === SLICE - 1) yield;
    }
    let squares = 0;
    let count = 0;
    for (const [id, { apart, weight }] of models) {
      const weights = Float32Array.from(multiply(covariance, sums.get(id) ?? []));
      for (const [at, { phi }] of prompts.entries()) {
        const wanted = apart[at] ?? Number.NaN;
        if (Number.isNaN(wanted)) continue;
        squares +=
          (wanted - leaveOut(dot(weights, phi), wanted, (leverage[at] ?? 0) * (weight[at] ?? 0))) ** 2;
        count++;
      }
      yield;
    }
    const likelihood = (-prompts.length / 2) * Math.log(squares / count + 1e-9) * Math.sqrt(models.size - 1);
    const score = likelihood - Math.log2(noise / NOISE_USUAL) ** 2 / 2;
    if (score > best.score) best = { score, covariance, leverage };
  }
  const { covariance, leverage } = best;
  const left = leverage.map((own, at) => {
    const share = Math.min(LEVERAGE_MAX, own * (shares[at] ?? 0));
    return own / (1 - share);
  });
  const { fits, common, champion, foretold } = yield* fitModels(prompts, models, covariance, leverage);
  const tradeoffs = yield* weighExpenses(prompts, { fits, champion, foretold }, findModel);
  return {
    ...{ fits, common, ...tradeoffs },
    topics: countTopics(prompts),
    covariance: halve(covariance, width),
    variances: pickEvenly(left.sort()),
    tops: pickEvenly(Float64Array.from(prompts, ({ top }) => top).sort()),
  };
}

function* fitModels(
  prompts: readonly Labelled[],
  models: ReadonlyMap<string, Gathered>,
  covariance: Float64Array,
  leverage: Float64Array,
): Generator<void, Pick<Posterior, "fits" | "common"> & Foretold> {
  const [champion = ""] = [...models.keys()].sort((a, b) => findLevel(models, b) - findLevel(models, a));
  const solve = ({ weight, count }: Gathered, wanted: Float64Array) => {
    const trust = count / (count + WEIGHTS_START);
    return Float32Array.from(multiply(covariance, sumUp(prompts, wanted, weight)), (value) => trust * value);
  };
  const single = models.get(champion);
  const base = single === undefined ? new Float32Array(0) : solve(single, single.wanted);
  // Where the champion wasn't labelled, it would have done as its other labels say: else a hard prompt would be another's fault.
  const reference = Float64Array.from(prompts, ({ phi }, at) => {
    const own = single?.wanted[at] ?? Number.NaN;
    return Number.isNaN(own) ? dot(base, phi) : own;
  });
  const weights = new Map<string, Float32Array>();
  const foretold = new Map<string, Float64Array>();
  const compared = new Map<string, { along: number; squares: number; noise: number; count: number }>();
  const all = { along: 0, squares: 0, noise: 0, count: 0 };
  for (const [id, model] of models) {
    const one = { along: 0, squares: 0, noise: 0, count: 0 };
    compared.set(id, one);
    if (id === champion) continue;
    const apart = reference.map((usual, at) => (model.wanted[at] ?? Number.NaN) - usual);
    const own = solve(model, apart);
    const told = Float64Array.from(prompts, ({ phi }, at) =>
      leaveOut(dot(own, phi), apart[at] ?? Number.NaN, (leverage[at] ?? 0) * (model.weight[at] ?? 0)),
    );
    weights.set(id, own);
    foretold.set(id, told);
    for (const [at, own] of told.entries()) {
      const real = apart[at] ?? Number.NaN;
      if (Number.isNaN(real) || Number.isNaN(own)) continue;
      one.along += own * real;
      one.squares += own * own;
      one.noise += (real - own) ** 2;
      one.count++;
    }
    for (const key of ["along", "squares", "noise", "count"] as const) all[key] += one[key];
    yield;
  }
  const usual = all.count === 0 ? 2 * SCORE_SPREAD ** 2 : all.noise / all.count;
  const shared = clampSlope((all.along + usual * SLOPE_USUAL) / (all.squares + usual));
  const fits = new Map(
    [...models].map(([id, { overall, lift, count }]) => {
      const { along, squares, noise, count: pairs } = compared.get(id) ?? all;
      const slope = clampSlope((along + usual * shared) / (squares + usual));
      const own = weights.get(id) ?? new Float32Array(base.length);
      return [
        id,
        {
          overall,
          lift,
          slope,
          weights: own.map((value) => slope * value),
          noise: pairs === 0 ? usual : noise / pairs,
          doubt: LEVEL_START / (LEVEL_START + count),
        },
      ];
    }),
  );
  return { fits, common: base, champion, foretold };
}

function findLevel(models: ReadonlyMap<string, Gathered>, id: string): number {
  return models.get(id)?.level ?? 0;
}

function* gather(
  prompts: readonly Labelled[],
  findModel: FindModel,
): Generator<void, ReadonlyMap<string, Gathered>> {
  const sums = new Map<string, Mark>();
  for (const { marks } of prompts) {
    for (const [id, { weight, residual, expected }] of marks) {
      const sum = sums.get(id) ?? { weight: 0, residual: 0, expected: 0 };
      sums.set(id, sum);
      sum.weight += weight;
      sum.residual += residual;
      sum.expected += expected;
    }
  }
  yield;
  const models = new Map<string, Gathered>();
  for (const [id, { weight: count, residual, expected }] of sums) {
    const overall = residual / (count + LEVEL_START);
    const column = () => new Float64Array(prompts.length).fill(Number.NaN);
    const columns = { wanted: column(), weight: new Float64Array(prompts.length), apart: column() };
    const usual = expected / count;
    const { level, priorLevel } = findModel(id)?.profile ?? { level: usual, priorLevel: usual };
    const lift = (residual + PRIOR_LABELS * (priorLevel - level)) / (count + PRIOR_LABELS);
    models.set(id, { overall, level: level + lift, lift, count, ...columns });
  }
  for (const [at, { marks }] of prompts.entries()) {
    let sum = 0;
    for (const [id, { weight, residual }] of marks) {
      const own = models.get(id);
      if (own === undefined) continue;
      own.weight[at] = weight;
      own.wanted[at] = residual / weight - own.overall;
      sum += own.wanted[at] ?? 0;
    }
    const mean = marks.size < 2 ? 0 : sum / marks.size;
    for (const id of marks.keys()) {
      const own = models.get(id);
      if (own !== undefined) own.apart[at] = (own.wanted[at] ?? 0) - mean;
    }
    if (at % SLICE === SLICE - 1) yield;
  }
  return models;
}

function sumUp(prompts: readonly Labelled[], wanted: Float64Array, weight: Float64Array): Float64Array {
  const sum = new Float64Array(prompts[0]?.phi.length ?? 0);
  for (const [at, { phi }] of prompts.entries()) {
    const value = (wanted[at] ?? Number.NaN) * (weight[at] ?? 0);
    if (!Number.isNaN(value)) addScaled(sum, phi, value);
  }
  return sum;
}

/** The prediction for a prompt without its own label. */
function leaveOut(predicted: number, wanted: number, leverage: number): number {
  const share = Math.min(LEVERAGE_MAX, leverage);
  return (predicted - share * wanted) / (1 - share);
}

function addOuter(square: Float64Array, row: Float32Array, times: number): void {
  const width = row.length;
  for (let at = 0; at < width; at++) {
    const value = times * (row[at] ?? 0);
    const start = at * width;
    for (let other = 0; other < width; other++)
      square[start + other] = (square[start + other] ?? 0) + value * (row[other] ?? 0);
  }
}

function countTopics(prompts: readonly Labelled[]): Float32Array {
  const counts = new Float32Array(TOPICS.length);
  for (const { topic } of prompts) counts[topic] = (counts[topic] ?? 0) + 1;
  return counts;
}

/** Picks at most `RANKS_MAX` of ascending values, from the first to the last. */
function pickEvenly(ascending: Float64Array): Float32Array {
  const count = Math.min(RANKS_MAX, ascending.length);
  const step = (ascending.length - 1) / Math.max(1, count - 1);
  return Float32Array.from({ length: count }, (_, at) => ascending[Math.round(at * step)] ?? 0);
}

function clampSlope(slope: number): number {
  return Math.min(1, Math.max(0, slope));
}
