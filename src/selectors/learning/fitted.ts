// The result of learning, and its form as text, in which a gateway finds it at its start.
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Frozen } from "../../core/frozen.ts";
import { SKILLS } from "../../core/skill.ts";
import { markOfParameters } from "../row-text.ts";
import type { Counts } from "./evidence.ts";
import type { Posterior } from "./posterior.ts";

const number = Type.Number();
/** Float32 in base64. */
const numbers = Type.String();
const tradeoff = Type.Array(Type.Object({ weight: number, share: number }));

const viewSchema = Type.Object({
  model: Type.String(),
  labels: number,
  categories: Type.Record(Type.String(), Type.Object({ labels: number, score: number })),
});
/** For people: per card and category, how many labels there were and their mean score. */
export type TaughtView = Frozen<Static<typeof viewSchema>>;

/** The form of the text. Another's is not read: the labels are fitted again. */
const FORM = 2;

const packedSchema = Type.Object({
  form: Type.Literal(FORM),
  parameters: Type.String(),
  views: Type.Array(viewSchema),
  posterior: Type.Union([
    Type.Null(),
    Type.Object({
      width: Type.Integer(),
      common: numbers,
      covariance: numbers,
      variances: numbers,
      tops: numbers,
      topics: numbers,
      usualCostUsd: number,
      margin: Type.Union([number, Type.Null()]),
      money: tradeoff,
      time: tradeoff,
      fits: Type.Array(
        Type.Object({
          model: Type.String(),
          overall: number,
          lift: number,
          slope: number,
          noise: number,
          doubt: number,
          weights: numbers,
        }),
      ),
    }),
  ]),
});
type Packed = Static<typeof packedSchema>;

export interface Fitted {
  /** Null without labels. */
  readonly posterior: Posterior | null;
  readonly views: readonly TaughtView[];
}

export function packFitted({ posterior, views }: Fitted): Frozen<Packed> {
  const packed = posterior && {
    ...posterior,
    width: posterior.common.length,
    common: packNumbers(posterior.common),
    covariance: packNumbers(posterior.covariance),
    variances: packNumbers(posterior.variances),
    tops: packNumbers(posterior.tops),
    topics: packNumbers(posterior.topics),
    fits: [...posterior.fits].map(([model, fit]) => ({ ...fit, model, weights: packNumbers(fit.weights) })),
  };
  return { form: FORM, parameters: markOfParameters(), posterior: packed, views };
}

/** Null: that isn't one, or it was made with other parameters, whose numbers mean something else. */
export function unpackFitted(value: unknown): Fitted | null {
  if (!Value.Check(packedSchema, value) || value.parameters !== markOfParameters()) return null;
  const { posterior, views } = value;
  if (posterior === null) return { posterior, views };
  const { width } = posterior;
  const read = {
    ...posterior,
    common: unpackNumbers(posterior.common),
    covariance: unpackNumbers(posterior.covariance),
    variances: unpackNumbers(posterior.variances),
    tops: unpackNumbers(posterior.tops),
    topics: unpackNumbers(posterior.topics),
    fits: new Map(posterior.fits.map((fit) => [fit.model, { ...fit, weights: unpackNumbers(fit.weights) }])),
  };
  const rows = [read.common, ...[...read.fits.values()].map(({ weights }) => weights)];
  const isSound = rows.every(({ length }) => length === width);
  return isSound && read.covariance.length === (width * (width + 1)) / 2 ? { posterior: read, views } : null;
}

/** The view of one card's counted labels. */
export function viewCounts(model: string, { labels, seen, scored }: Counts): TaughtView {
  const categories: Record<string, { labels: number; score: number }> = {};
  for (const [at, skill] of SKILLS.entries()) {
    const count = seen[at] ?? 0;
    if (count < 0.5) continue;
    const score = Math.round(((scored[at] ?? 0) / count) * 1000) / 1000;
    categories[skill] = { labels: Math.round(count * 10) / 10, score };
  }
  return { model, labels, categories };
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
