// Bayesian linear regression on the labels of all models, which share one design; leaving out each prompt in turn sets
// the noise and the trust in each model's own weights.
import type { FindModel } from "../selectors/expense.ts";
import { TOPICS } from "../selectors/text/topics.ts";
import { addOuter, addScaled, dot, halve, invert, measureUnder, multiply } from "./algebra.ts";
import type { LabelledPrompt, Mark } from "./evidence.ts";
import { LEVEL_START, SCORE_SPREAD } from "./feedback.ts";
import type { Fit, Posterior } from "./fitted.ts";
import { mapInSlices } from "./slices.ts";
import { type ModelFits, weighExpenses } from "./tradeoff.ts";

const NOISES = [1, 2, 4, 8, 16, 32] as const;
const NOISE_USUAL = 4;
/** With fewer prompts the noise can't be estimated. */
const NOISE_PROMPTS_MIN = 30;
/** Benchmarks or the price count as this many labels of a model's overall level, or chance would name the champion. */
const PRIOR_LABELS = 40;
/** The prior mean of `slope`: the share of a model's predicted differences that is expected to hold. */
const SLOPE_USUAL = 0.9;
/** The weight of that prior in units of the noise's variance. With little weight, chance at few labels would decide. */
const SLOPE_WEIGHT = 16;
const LEVERAGE_MAX = 0.99;
/** More ranks than these add nothing. */
const RANKS_MAX = 512;
/** Weights count half after this many scores, so that a single score moves little. */
const WEIGHTS_START = 10;

/** One model's labels, by prompt. NaN if not labelled. */
interface ModelLabels extends Pick<Fit, "overall" | "lift"> {
  readonly level: number;
  readonly count: number;
  /** The score minus its expectation and minus `overall`. */
  readonly wanted: Float64Array;
  readonly weight: Float64Array;
  /** The same minus the prompt's mean over models, so that noise isn't estimated from what they share. */
  readonly apart: Float64Array;
}

type LabelsByModel = ReadonlyMap<string, ModelLabels>;

/** Null without labels. A generator, so that requests are served between slices: thousands of prompts take a second. */
export function* fitPosterior(
  prompts: readonly LabelledPrompt[],
  findModel: FindModel,
): Generator<void, Posterior | null> {
  const width = prompts[0]?.phi.length ?? 0;
  const models = yield* gather(prompts, findModel);
  if (models.size === 0) return null;
  const design = new Float64Array(width * width);
  const shares = yield* mapInSlices(prompts, ({ phi, marks }) => {
    const share = Math.max(...[...marks.values()].map(({ weight }) => weight));
    addOuter(design, phi, share);
    return share;
  });
  const { covariance, leverage } = yield* findNoise(prompts, models, design);
  const left = Float64Array.from(leverage, (own, at) => {
    const share = Math.min(LEVERAGE_MAX, own * (shares[at] ?? 0));
    return own / (1 - share);
  });
  const { common, ...modelFits } = yield* fitModels(prompts, models, covariance, leverage);
  const tradeoffs = yield* weighExpenses(prompts, modelFits, findModel);
  const topics = new Float32Array(TOPICS.length);
  for (const { topic } of prompts) topics[topic] = (topics[topic] ?? 0) + 1;
  return {
    width,
    common,
    topics,
    ...tradeoffs,
    fits: new Map(modelFits.fits),
    covariance: halve(covariance, width),
    variances: pickEvenly(left.sort()),
    tops: pickEvenly(Float64Array.from(prompts, ({ top }) => top).sort()),
  };
}

interface Noise {
  readonly score: number;
  /** Per unit of noise. */
  readonly covariance: Float64Array;
  /** By prompt, for a label of weight 1. */
  readonly leverage: readonly number[];
}

/** Picks the noise at which the other prompts' labels predict each prompt's best. */
function* findNoise(
  prompts: readonly LabelledPrompt[],
  models: LabelsByModel,
  design: Float64Array,
): Generator<void, Noise> {
  const width = Math.sqrt(design.length);
  const sums = new Map<string, Float64Array>();
  for (const [id, { apart, weight }] of models) {
    sums.set(id, sumUp(prompts, apart, weight));
    yield;
  }
  let best: Noise = { score: Number.NEGATIVE_INFINITY, covariance: design, leverage: [] };
  for (const noise of prompts.length < NOISE_PROMPTS_MIN ? [NOISE_USUAL] : NOISES) {
    const covariance = yield* invert(design, width, noise);
    const half = halve(covariance, width);
    const leverage = yield* mapInSlices(prompts, ({ phi }) => measureUnder(half, phi));
    let squares = 0;
    let count = 0;
    for (const [id, { apart, weight }] of models) {
      const weights = Float32Array.from(multiply(covariance, sums.get(id) ?? []));
      const borne = sumForSlope(leaveOut(prompts, weights, apart, weight, leverage), apart);
      squares += borne.noise;
      count += borne.count;
      yield;
    }
    const likelihood = (-prompts.length / 2) * Math.log(squares / count + 1e-9) * Math.sqrt(models.size - 1);
    const score = likelihood - Math.log2(noise / NOISE_USUAL) ** 2 / 2;
    if (score > best.score) best = { score, covariance, leverage };
  }
  return best;
}

/** Sums over labels for the regression of actual values on predicted ones, which gives `slope`. */
const NO_SUMS = { along: 0, squares: 0, noise: 0, count: 0 };
type SlopeSums = Readonly<typeof NO_SUMS>;

function* fitModels(
  prompts: readonly LabelledPrompt[],
  models: LabelsByModel,
  covariance: Float64Array,
  leverage: readonly number[],
): Generator<void, Pick<Posterior, "common"> & ModelFits> {
  const [champion = "", single] = [...models].sort(([, a], [, b]) => b.level - a.level)[0] ?? [];
  const solve = ({ weight, count }: ModelLabels, wanted: Float64Array) => {
    const trust = count / (count + WEIGHTS_START);
    return Float32Array.from(multiply(covariance, sumUp(prompts, wanted, weight)), (value) => trust * value);
  };
  const common = single === undefined ? new Float32Array(0) : solve(single, single.wanted);
  // Without a label, the champion's predicted score is used: otherwise hard prompts would count against the others.
  const reference = Float64Array.from(prompts, ({ phi }, at) => {
    const own = single?.wanted[at] ?? Number.NaN;
    return Number.isNaN(own) ? dot(common, phi) : own;
  });
  const weights = new Map<string, Float32Array>();
  const predicted = new Map<string, Float64Array>();
  const borne = new Map<string, SlopeSums>();
  for (const [id, model] of models) {
    if (id === champion) continue;
    const apart = reference.map((usual, at) => (model.wanted[at] ?? Number.NaN) - usual);
    const own = solve(model, apart);
    const told = leaveOut(prompts, own, apart, model.weight, leverage);
    weights.set(id, own);
    predicted.set(id, told);
    borne.set(id, sumForSlope(told, apart));
    yield;
  }
  const { fits, noise } = fitSlopes(models, weights, borne, common.length);
  return { fits, common, champion, predicted, noise };
}

/** Sets the trust in each model's own weights, by how well they predict the labels that were left out. */
function fitSlopes(
  models: LabelsByModel,
  weights: ReadonlyMap<string, Float32Array>,
  borne: ReadonlyMap<string, SlopeSums>,
  width: number,
): Pick<ModelFits, "noise"> & { readonly fits: Map<string, Fit> } {
  const all = { ...NO_SUMS };
  for (const one of borne.values())
    for (const key of ["along", "squares", "noise", "count"] as const) all[key] += one[key];
  const usual = all.count === 0 ? 2 * SCORE_SPREAD ** 2 : all.noise / all.count;
  const prior = SLOPE_WEIGHT * usual;
  // If two models always score alike, both their predicted differences and the noise are 0.
  const computeSlope = ({ along, squares }: SlopeSums, expected: number) =>
    squares + prior === 0
      ? expected
      : Math.max(0, Math.min(1, (along + prior * expected) / (squares + prior)));
  const shared = computeSlope(all, SLOPE_USUAL);
  const fits = new Map<string, Fit>();
  for (const [model, { overall, lift, count }] of models) {
    const own = borne.get(model) ?? NO_SUMS;
    const slope = computeSlope(own, shared);
    const followed = (weights.get(model) ?? new Float32Array(width)).map((value) => slope * value);
    const noise = own.count === 0 ? usual : own.noise / own.count;
    const doubt = LEVEL_START / (LEVEL_START + count);
    fits.set(model, { model, overall, lift, slope, noise, doubt, weights: followed });
  }
  return { fits, noise: usual };
}

/** Returns the sums over predictions and actual values from which a slope is computed. */
function sumForSlope(predicted: Float64Array, actual: Float64Array): SlopeSums {
  const borne = { ...NO_SUMS };
  for (const [at, own] of predicted.entries()) {
    const wanted = actual[at] ?? Number.NaN;
    if (Number.isNaN(wanted)) continue;
    borne.along += own * wanted;
    borne.squares += own * own;
    borne.noise += (wanted - own) ** 2;
    borne.count++;
  }
  return borne;
}

function* gather(prompts: readonly LabelledPrompt[], findModel: FindModel): Generator<void, LabelsByModel> {
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
  const models = new Map<string, ModelLabels>();
  for (const [id, { weight: count, residual, expected }] of sums) {
    const overall = residual / (count + LEVEL_START);
    const column = () => new Float64Array(prompts.length).fill(Number.NaN);
    const columns = { wanted: column(), weight: new Float64Array(prompts.length), apart: column() };
    const usual = expected / count;
    const { level, priorLevel } = findModel(id)?.profile ?? { level: usual, priorLevel: usual };
    const lift = (residual + PRIOR_LABELS * (priorLevel - level)) / (count + PRIOR_LABELS);
    models.set(id, { overall, level: level + lift, lift, count, ...columns });
  }
  yield* mapInSlices(prompts, ({ marks }, at) => {
    const labelled = [...marks].flatMap(([id, mark]) => {
      const own = models.get(id);
      return own === undefined ? [] : [{ own, mark, wanted: mark.residual / mark.weight - own.overall }];
    });
    const mean =
      labelled.length < 2 ? 0 : labelled.reduce((sum, { wanted }) => sum + wanted / labelled.length, 0);
    for (const { own, mark, wanted } of labelled) {
      own.weight[at] = mark.weight;
      own.wanted[at] = wanted;
      own.apart[at] = wanted - mean;
    }
  });
  return models;
}

function sumUp(prompts: readonly LabelledPrompt[], wanted: Float64Array, weight: Float64Array): Float64Array {
  const sum = new Float64Array(prompts[0]?.phi.length ?? 0);
  for (const [at, { phi }] of prompts.entries()) {
    const value = (wanted[at] ?? Number.NaN) * (weight[at] ?? 0);
    if (!Number.isNaN(value)) addScaled(sum, phi, value);
  }
  return sum;
}

/** Predicts each prompt without its own label, from its leverage. NaN if it has none. */
function leaveOut(
  prompts: readonly LabelledPrompt[],
  weights: Float32Array,
  wanted: Float64Array,
  weight: Float64Array,
  leverage: readonly number[],
): Float64Array {
  return Float64Array.from(prompts, ({ phi }, at) => {
    const own = wanted[at] ?? Number.NaN;
    if (Number.isNaN(own)) return own;
    const share = Math.min(LEVERAGE_MAX, (leverage[at] ?? 0) * (weight[at] ?? 0));
    return (dot(weights, phi) - share * own) / (1 - share);
  });
}

/** Picks at most `RANKS_MAX` of ascending values at even steps, from the first to the last. */
function pickEvenly(ascending: Float64Array): Float32Array {
  const count = Math.min(RANKS_MAX, ascending.length);
  const step = (ascending.length - 1) / Math.max(1, count - 1);
  return Float32Array.from({ length: count }, (_, at) => ascending[Math.round(at * step)] ?? 0);
}
