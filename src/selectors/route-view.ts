// A selector's choice as `poundkey route` shows it to the operator, and `POST /v1/route` to a key: without what tells
// of others' traffic.
import { type Static, Type } from "@sinclair/typebox";
import type { ModelCard } from "../core/models/card.ts";
import { SOURCES } from "../core/models/origin.ts";
import { STAY_REASONS } from "../core/models/selector.ts";
import { KINDS } from "../core/models/skill.ts";
import type { Frozen } from "../core/world/frozen.ts";
import { LIKENESS_MIN } from "./best.ts";
import type { Candidate } from "./candidate.ts";
import type { Choice } from "./choose.ts";
import { MAX_COST } from "./sift.ts";
import type { Staying } from "./staying.ts";
import { explainRefusal, nameReplacement } from "./why.ts";

const number = Type.Number();
const share = Type.Number({ minimum: 0, maximum: 1 });

const featuresSchema = Type.Object({
  categories: Type.Record(Type.String(), Type.Number(), {
    description:
      "The share of each kind of task in the request. They add up to about 1; shares below 1% are left out.",
  }),
  difficulty: share,
  output_tokens: number,
  support: Type.Number({
    description: "How well the words of the request are known, in its script, from 0 to 1.",
  }),
});

const basisSchema = Type.Object({
  likeness: Type.Number({
    description:
      "The share of the labelled prompts that resemble the others no more than this request does, from 0 to 1.",
  }),
  familiar: Type.Boolean({
    description:
      "False if the request resembles them too little for Router#best to deviate from the model that is best overall.",
  }),
  labelled: Type.Array(Type.Object({ topic: Type.String(), share: number }), {
    description: "The request's topics among those of the labelled prompts, and their shares.",
  }),
});

const latency = Type.Union([number, Type.Null()], {
  description: "Rounded to 100 ms. Null for a model that the key may not use.",
});

function allowWords<const Word extends string>(words: readonly Word[], description: string) {
  return Type.Unsafe<Word>({ type: "string", enum: [...words], description });
}
const changeSchema = Type.Object({
  on: Type.String(),
  to: allowWords(["worse", "better"], "What the model became."),
});

const staysSchema = Type.Object(
  {
    because: allowWords(
      STAY_REASONS,
      "The newest message is the result of its call; it has cached the prompt; it can read the thinking in the history; or it is the choice for the conversation's opening, whose turns this process hasn't seen.",
    ),
    cached_tokens: Type.Integer({ description: "The tokens of the prompt that it has probably cached." }),
    thinking_tokens: Type.Integer({
      description:
        "The tokens of the history's thinking that it can read, and the choice by scores alone couldn't.",
    }),
  },
  { description: "Set if the conversation stays with its model, regardless of the scores." },
);

export const routeSchema = Type.Object({
  selector: Type.String(),
  choice: Type.Union([Type.String(), Type.Null()], {
    description: "The model's id. Null if no model can serve the request.",
  }),
  why: Type.Union([Type.String(), Type.Null()], {
    description: "Why this model, in a sentence. Null without a choice.",
  }),
  pinned: Type.Optional(Type.String({ description: "The kind of task whose pin decided the choice." })),
  side_call: Type.Optional(
    Type.String({
      description:
        "What a coding agent asks for beside its work (title, summary, check, probe): the light choice serves it.",
    }),
  ),
  stays: Type.Optional(staysSchema),
  features: featuresSchema,
  basis: basisSchema,
  candidates: Type.Array(
    Type.Object({
      model: Type.String(),
      eligible: Type.Boolean(),
      removed_by: Type.Union([Type.String(), Type.Null()], {
        description: "Why it can't be chosen: denied, rule:coding, unpriced, a missing capability …",
      }),
      quality: number,
      quality_low: number,
      doubt: Type.Number({ description: "The standard deviation of `quality`." }),
      source: allowWords(
        SOURCES,
        "Where `quality` comes from. A guess is made from the model's price, age and size.",
      ),
      source_date: Type.Union([Type.String(), Type.Null()], {
        description: "The day of the benchmark or of the newest score. Null for skills and guesses.",
      }),
      changed: Type.Union([changeSchema, Type.Null()], {
        description: "The day since which the model's scores are worse or better. Older ones count a tenth.",
      }),
      cost_usd: Type.Union([number, Type.Null()], { description: "With the operator's markup." }),
      latency_ms: latency,
      cost_usd_high: Type.Union([number, Type.Null()], {
        description: "The cost of an answer that is one standard deviation longer than expected.",
      }),
      latency_ms_high: latency,
      score: number,
      why_not: Type.Union([Type.String(), Type.Null()], {
        description: "Why it wasn't chosen although its `quality` is higher. Null for all others.",
      }),
    }),
  ),
});
export type KeyRouteView = Frozen<Static<typeof routeSchema>>;
export type RouteView = Frozen<ReturnType<typeof viewRoute>>;

const SHARE_SHOWN_MIN = 0.01;
const THOUSANDTHS = 1000;
const COST_DIGITS = 1e8;
const SHOWN_SPEED_MS = 100;

type Covers = (card: ModelCard) => boolean;

/** Speeds are measured on everybody's requests, and labels are the operator's. */
export function viewRouteForKey(
  chosen: Choice,
  mayUse: (id: string) => boolean,
  covers?: Covers,
): KeyRouteView {
  const { basis, candidates, ...view } = viewRoute(chosen, covers);
  const roundSpeed = (model: string, ms: number) =>
    mayUse(model) ? Math.max(1, Math.round(ms / SHOWN_SPEED_MS)) * SHOWN_SPEED_MS : null;
  return {
    ...view,
    basis: { ...basis, labelled: basis.labelled.map(({ topic, share }) => ({ topic, share })) },
    candidates: candidates.map((one) => ({
      ...one,
      latency_ms: roundSpeed(one.model, one.latency_ms),
      latency_ms_high: roundSpeed(one.model, one.latency_ms_high),
    })),
  };
}

/** `covers` is false for models whose worst case is above the request's ceiling: a plan passes over them. */
export function viewRoute(chosen: Choice, covers: Covers = () => true) {
  const { selector, pinned, sideCall, stays } = chosen;
  const candidates = coverCandidates(chosen, covers);
  const price = (usd: number | null) => roundCost(usd === null ? null : usd * chosen.asked.markup);
  const [first = null] = candidates.filter(({ eligible }) => eligible);
  const isReplaced = first?.card !== chosen.choice;
  return {
    selector: `Router#${selector.name}`,
    choice: first?.card.id ?? null,
    why:
      first !== null && isReplaced ? nameReplacement(chosen.why ?? "", first.card.id) : first && chosen.why,
    ...(pinned === null || isReplaced ? {} : { pinned }),
    ...(sideCall === null ? {} : { side_call: sideCall }),
    ...(stays === null || isReplaced ? {} : { stays: viewStays(stays) }),
    features: viewFeatures(chosen),
    basis: viewBasis(chosen),
    candidates: candidates.map((one) => ({
      model: one.card.id,
      eligible: one.eligible,
      removed_by: one.removedBy,
      quality: round(one.quality),
      quality_low: round(one.qualityLow),
      doubt: round(one.doubt),
      source: one.source,
      source_date: one.asOf,
      changed: one.changed,
      cost_usd: price(one.costUsd),
      latency_ms: one.latencyMs,
      cost_usd_high: price(one.costHighUsd),
      latency_ms_high: one.latencyHighMs,
      score: round(one.score),
      why_not: explainRefusal(one, first ?? undefined),
    })),
  };
}

export function viewStays({ because, cachedTokens, thinkingTokens }: Staying) {
  return { because, cached_tokens: cachedTokens, thinking_tokens: thinkingTokens };
}

/** Returns the candidates, those that aren't covered behind the others. */
function coverCandidates({ candidates }: Choice, covers: Covers): readonly Candidate[] {
  const isPassedOver = ({ eligible, card }: Candidate) => eligible && !covers(card);
  const passedOver = new Set(candidates.filter(isPassedOver));
  if (passedOver.size === 0) return candidates;
  const without = [...passedOver].map((one): Candidate => ({ ...one, eligible: false, removedBy: MAX_COST }));
  return [...candidates.filter((one) => !passedOver.has(one)), ...without];
}

export function viewFeatures({ asked }: Pick<Choice, "asked">): KeyRouteView["features"] {
  const { kinds, difficulty, outputTokens, support } = asked.prediction;
  const shares = KINDS.map((kind, at) => [kind, kinds[at] ?? 0] as const);
  const shown = shares.filter(([, share]) => share >= SHARE_SHOWN_MIN).sort(([, a], [, b]) => b - a);
  return {
    categories: Object.fromEntries(shown.map(([skill, share]) => [skill, round(share)])),
    difficulty: round(difficulty),
    output_tokens: outputTokens,
    support: round(support),
  };
}

export function viewBasis({ asked, leanedOn }: Pick<Choice, "asked" | "leanedOn">) {
  const { likeness } = asked.ask;
  return {
    likeness: round(likeness),
    familiar: likeness >= LIKENESS_MIN,
    labelled: leanedOn.map((one) => ({ ...one, share: round(one.share) })),
  };
}

function roundCost(usd: number | null): number | null {
  return usd === null ? null : Math.round(usd * COST_DIGITS) / COST_DIGITS;
}

function round(value: number): number {
  return Math.round(value * THOUSANDTHS) / THOUSANDTHS;
}
