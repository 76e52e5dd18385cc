// The result of learning, and its form as text, in which a gateway finds it at its start.
import { asArray, asNumber, asObject, asString, type JsonObject } from "../../core/json.ts";
import { SKILLS, type Skill } from "../../core/skill.ts";
import { markOfParameters } from "../row-text.ts";
import type { Counts } from "./evidence.ts";
import type { Fit } from "./labelled.ts";
import type { Posterior } from "./posterior.ts";
import type { Tradeoff } from "./tradeoff.ts";

/** For people: per card and category, how many labels there were and their mean score. */
export interface TaughtView {
  readonly model: string;
  readonly labels: number;
  readonly categories: Readonly<Partial<Record<Skill, { readonly labels: number; readonly score: number }>>>;
}

export interface Fitted {
  /** Null without labels. */
  readonly posterior: Posterior | null;
  readonly views: readonly TaughtView[];
}

/** The form of the text. Another's is not read: the labels are fitted again. */
const FORM = 2;

export function packFitted({ posterior, views }: Fitted): JsonObject {
  const packed = posterior && {
    width: posterior.common.length,
    common: packNumbers(posterior.common),
    covariance: packNumbers(halve(posterior.covariance, posterior.common.length)),
    variances: packNumbers(posterior.variances),
    tops: packNumbers(posterior.tops),
    topics: packNumbers(posterior.topics),
    usual_cost_usd: posterior.usualCostUsd,
    margin: posterior.margin,
    money: posterior.money.map(({ weight, share }) => [weight, share]),
    time: posterior.time.map(({ weight, share }) => [weight, share]),
    fits: [...posterior.fits].map(([id, { weights, ...numbers }]) => [id, numbers, packNumbers(weights)]),
  };
  return { form: FORM, parameters: markOfParameters(), posterior: packed, views: [...views] };
}

/** Null: that isn't one, or it was made with other parameters, whose numbers mean something else. */
export function unpackFitted(value: unknown): Fitted | null {
  const { form, parameters, posterior, views } = asObject(value);
  if (form !== FORM || parameters !== markOfParameters()) return null;
  const read = posterior === null ? null : readPosterior(asObject(posterior));
  return read === undefined ? null : { posterior: read, views: asArray(views).map(readView) };
}

function readPosterior(packed: JsonObject): Posterior | undefined {
  const width = asNumber(packed.width) ?? 0;
  const numbers = (name: string) => unpackNumbers(packed[name]);
  const common = numbers("common");
  const half = numbers("covariance");
  if (common.length !== width || half.length !== (width * (width + 1)) / 2) return undefined;
  const fits = new Map<string, Fit>();
  for (const fit of asArray(packed.fits)) {
    const [id, numbers, weights] = asArray(fit);
    const own = unpackNumbers(weights);
    if (own.length !== width) return undefined;
    const { overall, lift, slope, noise, doubt } = asObject(numbers);
    fits.set(asString(id) ?? "", {
      overall: asNumber(overall) ?? 0,
      lift: asNumber(lift) ?? 0,
      slope: asNumber(slope) ?? 0,
      noise: asNumber(noise) ?? 0,
      doubt: asNumber(doubt) ?? 1,
      weights: own,
    });
  }
  const known = { variances: numbers("variances"), tops: numbers("tops"), topics: numbers("topics") };
  const tradeoffs = { money: readTradeoff(packed.money), time: readTradeoff(packed.time) };
  const usualCostUsd = asNumber(packed.usual_cost_usd) ?? 0;
  const margin = asNumber(packed.margin) ?? null;
  return { fits, common, covariance: double(half, width), ...known, ...tradeoffs, usualCostUsd, margin };
}

function readTradeoff(value: unknown): Tradeoff {
  return asArray(value).map((step) => {
    const [weight, share] = asArray(step);
    return { weight: asNumber(weight) ?? 0, share: asNumber(share) ?? 0 };
  });
}

function readView(value: unknown): TaughtView {
  const { model, labels, categories } = asObject(value);
  const read: Partial<Record<Skill, { labels: number; score: number }>> = {};
  for (const skill of SKILLS) {
    const one = asObject(asObject(categories)[skill]);
    const [count, score] = [asNumber(one.labels), asNumber(one.score)];
    if (count !== undefined && score !== undefined) read[skill] = { labels: count, score };
  }
  return { model: asString(model) ?? "", labels: asNumber(labels) ?? 0, categories: read };
}

/** The view of one card's counted labels. */
export function viewCounts(model: string, { labels, seen, scored }: Counts): TaughtView {
  const categories: Partial<Record<Skill, { labels: number; score: number }>> = {};
  for (const [at, skill] of SKILLS.entries()) {
    const count = seen[at] ?? 0;
    if (count < 0.5) continue;
    const score = Math.round(((scored[at] ?? 0) / count) * 1000) / 1000;
    categories[skill] = { labels: Math.round(count * 10) / 10, score };
  }
  return { model, labels, categories };
}

/** One half of a symmetric matrix, its diagonal included, row by row. */
function halve(square: Float32Array, width: number): Float32Array {
  const half = new Float32Array((width * (width + 1)) / 2);
  let to = 0;
  for (let row = 0; row < width; row++)
    for (let at = row; at < width; at++) half[to++] = square[row * width + at] ?? 0;
  return half;
}

function double(half: Float32Array, width: number): Float32Array {
  const square = new Float32Array(width * width);
  let from = 0;
  for (let row = 0; row < width; row++) {
    for (let at = row; at < width; at++) {
      const value = half[from++] ?? 0;
      square[row * width + at] = value;
      square[at * width + row] = value;
    }
  }
  return square;
}

function packNumbers(numbers: Float32Array): string {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength).toString("base64");
}

/** None where they aren't whole numbers of four bytes, or one of them is none: it would spread to every model. */
function unpackNumbers(text: unknown): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(asString(text) ?? "", "base64"));
  const none = new Float32Array(0);
  if (bytes.length % Float32Array.BYTES_PER_ELEMENT !== 0) return none;
  const numbers = new Float32Array(bytes.buffer);
  return numbers.every(Number.isFinite) ? numbers : none;
}
