// The result of learning, and its form as text, in which a gateway finds it at its start.
import { type Static, type StaticDecode, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Frozen } from "../../core/frozen.ts";
import { markOfParameters } from "../row.ts";

const number = Type.Number();
/** Float32 in base64. */
const numbers = Type.Transform(Type.String()).Decode(unpackNumbers).Encode(packNumbers);

const viewSchema = Type.Object({
  model: Type.String(),
  labels: number,
  categories: Type.Record(Type.String(), Type.Object({ labels: number, score: number })),
});
/** For people: per card and category, how many labels there were and their mean score. */
export type TaughtView = Frozen<Static<typeof viewSchema>>;

const fitSchema = Type.Object({
  model: Type.String(),
  /** The model is better by this than expected, whatever the request: as if 20 more answers had been as expected. */
  overall: number,
  /** Its overall level is higher by this than without labels; of that it is less sure. */
  lift: number,
  /** The share of the difference from the champion that is followed. */
  slope: number,
  /** The variance that labels leave of a prompt's difference from the champion. */
  noise: number,
  /** 1: no label; towards 0 the more there are. */
  doubt: number,
  /** The difference from the champion beside that of their levels, by the design, as far as it is followed. */
  weights: numbers,
});
/** One model's part of the posterior. */
export type Fit = StaticDecode<typeof fitSchema>;

/**
 * Prices of quality, ascending, and the share of the champion's quality that is surely kept by choosing at each; empty where too
 * few prompts are labelled.
 */
const tradeoff = Type.Array(Type.Object({ weight: number, share: number }));
export type Tradeoff = Static<typeof tradeoff>;

const posteriorSchema = Type.Object({
  /** The numbers of the design. */
  width: Type.Integer(),
  /** The champion's own weights, which all labelled models share: how much harder or easier a request is than expected. */
  common: numbers,
  /** One half of it, per unit of noise. */
  covariance: numbers,
  /** The labelled prompts, each as it looked before it was labelled, ascending: of many some, evenly. */
  variances: numbers,
  tops: numbers,
  /** The number of labelled prompts by their likeliest topic, in the order of TOPICS. */
  topics: numbers,
  /** The mean cost of the champion's answers to labelled prompts. */
  usualCostUsd: number,
  /** The lead that another model needs over the champion; null: no lead pays off on the labels. */
  margin: Type.Union([number, Type.Null()]),
  money: tradeoff,
  time: tradeoff,
  fits: Type.Transform(Type.Array(fitSchema))
    .Decode((fits) => new Map(fits.map((fit) => [fit.model, fit])))
    .Encode((fits) => [...fits.values()]),
});
export type Posterior = StaticDecode<typeof posteriorSchema>;

/** The form of the text. Another's is not read: the labels are fitted again. */
const FORM = 2;

const fittedSchema = Type.Object({
  form: Type.Literal(FORM),
  parameters: Type.String(),
  views: Type.Array(viewSchema),
  posterior: Type.Union([Type.Null(), posteriorSchema]),
});

export interface Fitted {
  /** Null without labels. */
  readonly posterior: Posterior | null;
  readonly views: readonly TaughtView[];
}

export function packFitted({ posterior, views }: Fitted): object {
  return Value.Encode(fittedSchema, { form: FORM, parameters: markOfParameters(), posterior, views });
}

/** Null: that isn't one, or it was made with other parameters, whose numbers mean something else. */
export function unpackFitted(value: unknown): Fitted | null {
  if (!Value.Check(fittedSchema, value) || value.parameters !== markOfParameters()) return null;
  const fitted = Value.Decode(fittedSchema, value);
  if (fitted.posterior === null) return fitted;
  const { width, common, covariance, fits } = fitted.posterior;
  const rows = [common, ...[...fits.values()].map(({ weights }) => weights)];
  const isSound = rows.every(({ length }) => length === width);
  return isSound && covariance.length === (width * (width + 1)) / 2 ? fitted : null;
}

function packNumbers(numbers: Float32Array): string {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength).toString("base64");
}

/** None where they aren't whole numbers of four bytes, or one of them is none: it would spread to every model. */
function unpackNumbers(text: string): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(text, "base64"));
  const none = new Float32Array(0);
  if (bytes.length % Float32Array.BYTES_PER_ELEMENT !== 0) return none;
  const numbers = new Float32Array(bytes.buffer);
  return numbers.every(Number.isFinite) ? numbers : none;
}
