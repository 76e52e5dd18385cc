// The result of learning, and the text form in which a gateway finds it at its start.
import { type Static, type StaticDecode, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Frozen } from "../core/world/frozen.ts";
import { FloatRows } from "../core/world/weighted-sums.ts";
import { fingerprintParameters } from "../selectors/row.ts";
import { type Drifts, driftSchema } from "./drift.ts";
import { mapInSlices } from "./slices.ts";

const number = Type.Number();
/** Float32 in base64. */
const numbers = Type.Transform(Type.String())
  .Decode(unpackNumbers)
  .Encode(({ buffer, byteOffset, byteLength }) =>
    Buffer.from(buffer, byteOffset, byteLength).toString("base64"),
  );

const viewSchema = Type.Object({
  model: Type.String(),
  labels: number,
  /** The day of the newest score, `YYYY-MM-DD`. */
  as_of: Type.String(),
  categories: Type.Record(Type.String(), Type.Object({ labels: number, score: number })),
});
/** The number of labels, their newest day, and their mean score, per card and category. */
export type TaughtView = Frozen<Static<typeof viewSchema>>;

const fitSchema = Type.Object({
  model: Type.String(),
  /** The mean of score minus expectation over all requests, as if 20 more answers had scored as expected. */
  overall: number,
  /** The correction of its overall level. Shrunk more than `overall`, because it is less certain. */
  lift: number,
  /** The share of the predicted difference from the champion that is applied. */
  slope: number,
  /** The residual variance of a prompt's difference from the champion. */
  noise: number,
  /** 1 without labels, towards 0 the more there are. */
  doubt: number,
  /** Predicts, from the design, the difference from the champion beyond that of their levels. `slope` is included. */
  weights: numbers,
});
/** One model's part of the posterior. */
export type Fit = StaticDecode<typeof fitSchema>;

/**
 * Weights of the expense, ascending, and the share of the champion's quality that choosing at each keeps, less one
 * standard error. Empty if too few prompts are labelled.
 */
const tradeoff = Type.Array(Type.Object({ weight: number, share: number }));
export type Tradeoff = Static<typeof tradeoff>;

const posteriorSchema = Type.Object({
  /** The length of a row of the design. */
  width: Type.Integer(),
  /** The champion's weights, shared by all labelled models: the extent to which a request is easier than expected. */
  common: numbers,
  /** The upper half of the weights' covariance, per unit of noise. */
  covariance: numbers,
  /** Labelled prompts' variances without their own labels and likeliest topics' shares: ascending, sampled if many. */
  variances: numbers,
  tops: numbers,
  /** The number of labelled prompts by likeliest topic, in the order of TOPICS. */
  topics: numbers,
  /** The mean cost of the champion's answers to labelled prompts. */
  usualCostUsd: number,
  /** The lead in quality that another model needs over the champion. */
  margin: number,
  money: tradeoff,
  time: tradeoff,
  fits: Type.Transform(Type.Array(fitSchema))
    .Decode((fits) => new Map(fits.map((fit) => [fit.model, fit])))
    .Encode((fits) => [...fits.values()]),
});
export type Posterior = StaticDecode<typeof posteriorSchema>;

/** Returns the weights of all fits, a column for each. Null without labels. In slices. */
export function* gatherWeights(posterior: Posterior | null): Generator<void, FloatRows | null> {
  if (posterior === null) return null;
  const fits = [...posterior.fits.values()];
  const rows = new FloatRows(posterior.width, fits.length);
  yield* mapInSlices(fits, ({ weights }, at) => rows.setColumn(at, weights));
  return rows;
}

/** By model: the correction of its level by users' scores, and the weight of the scores that agree on it. */
const liftsSchema = Type.Record(Type.String(), Type.Object({ lift: number, count: number }));
export type Lifts = Frozen<Static<typeof liftsSchema>>;

/** The version of the text form. A text of another version is ignored, and the labels are fitted again. */
const FORM_VERSION = 5;

const fittedSchema = Type.Object({
  form: Type.Literal(FORM_VERSION),
  parameters: Type.String(),
  views: Type.Array(viewSchema),
  posterior: Type.Union([Type.Null(), posteriorSchema]),
  lifts: liftsSchema,
  drifts: Type.Record(Type.String(), driftSchema),
});

export interface FittedModels {
  /** Null without labels. */
  readonly posterior: Posterior | null;
  readonly lifts: Lifts;
  readonly views: readonly TaughtView[];
  readonly drifts: Drifts;
}

export function packFitted(fitted: FittedModels): object {
  // Without labels, no number depends on the parameters, which a gateway without selectors never loads.
  const parameters = fitted.posterior === null ? "" : fingerprintParameters();
  return Value.Encode(fittedSchema, { form: FORM_VERSION, parameters, ...fitted });
}

/** Null if it is malformed, or was made with other parameters, whose numbers mean something else. */
export function unpackFitted(value: unknown): FittedModels | null {
  if (!Value.Check(fittedSchema, value)) return null;
  const fitted = Value.Decode(fittedSchema, value);
  if (fitted.posterior === null) return fitted;
  if (value.parameters !== fingerprintParameters()) return null;
  const { width, common, covariance, fits } = fitted.posterior;
  const rows = [common, ...[...fits.values()].map(({ weights }) => weights)];
  const isSound = rows.every(({ length }) => length === width);
  return isSound && covariance.length === (width * (width + 1)) / 2 ? fitted : null;
}

/** Returns an empty array if the bytes are incomplete or a number isn't finite, which would spread to every model. */
function unpackNumbers(text: string): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(text, "base64"));
  const none = new Float32Array(0);
  if (bytes.length % Float32Array.BYTES_PER_ELEMENT !== 0) return none;
  const numbers = new Float32Array(bytes.buffer);
  return numbers.every(Number.isFinite) ? numbers : none;
}
