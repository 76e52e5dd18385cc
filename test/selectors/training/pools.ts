// A pool of public rows in the gateway's terms: cards, the models' skill rows, labels to learn from, requests.
import type { ModelCard } from "../../../src/core/models/card.ts";
import type { SkillRow } from "../../../src/core/models/skill.ts";
import { SKILLS } from "../../../src/core/models/skill.ts";
import type { RouterRules } from "../../../src/core/settings.ts";
import { LearnedModels } from "../../../src/learning/learned.ts";
import type { ChatRequest } from "../../../src/operations/chat/form.ts";
import type { ChooseInput } from "../../../src/selectors/ask.ts";
import { decide } from "../../../src/selectors/choose.ts";
import { makeFindModel, makeThoughtEstimate } from "../../../src/selectors/expense.ts";
import { SELECTOR_RULES } from "../../../src/selectors/index.ts";
import { findProfile } from "../../../src/selectors/profiles.ts";
import { estimatePriorQuality } from "../../../src/selectors/quality.ts";
import { readFeatures } from "../../../src/selectors/text/features.ts";
import { loadShippedParameters, type Parameters } from "../../../src/selectors/text/parameters.ts";
import { type Prediction, predict } from "../../../src/selectors/text/predictor.ts";
import { makeModelCard } from "../../harness/cards.ts";
import { type Pool, type Row, readTable } from "./data.ts";
import { LIST_PRICES } from "./prices.ts";

export interface Field {
  readonly pool: Pool;
  readonly models: readonly string[];
  readonly cards: readonly ModelCard[];
  /** Rows on which every model was run. Scores and tokens are in the order of `models`. */
  readonly rows: readonly Row[];
}

export const RULES: RouterRules = { fairQuality: 0.98, deny: [], pin: {}, rules: [], explore: 0 };
/** The loss in log-odds of a good answer per unit of difficulty, as in the shipped code. */
const SLOPE = 0.7;
const ROWS_SHARE_MIN = 0.9;

/** The pool's models that were run on nearly all rows, and the rows on which all of these were run. */
export function makeField(pool: Pool, only: (model: string) => boolean = () => true): Field {
  const table = readTable(pool);
  const kept = [...table.models.entries()].filter(([at, model]) => {
    const count = table.rows.filter(({ scores }) => !Number.isNaN(scores[at])).length;
    return count >= ROWS_SHARE_MIN * table.rows.length && only(model);
  });
  const rows = table.rows.flatMap((row) => {
    const scores = Float32Array.from(kept, ([at]) => row.scores[at] ?? Number.NaN);
    const tokens =
      row.tokens === null ? null : Float32Array.from(kept, ([at]) => row.tokens?.[at] ?? Number.NaN);
    return scores.some(Number.isNaN) ? [] : [{ ...row, scores, tokens }];
  });
  const models = kept.map(([, model]) => model);
  return { pool, models, cards: models.map(makeCard), rows };
}

export function makeCard(model: string): ModelCard {
  const [input, output] = LIST_PRICES[model] ?? [1, 1];
  return makeModelCard(`Pool#${model}`, { price: { input, output }, listed: false });
}

export function makeRequest(prompt: string): ChatRequest {
  return { model: "Router#best", messages: [{ role: "user", content: prompt }] };
}

interface Foretold {
  readonly prediction: Prediction;
  readonly promptTokens: number;
}

/** By parameters and prompt: a trial asks for each many times. */
const foretold = new WeakMap<Parameters, Map<string, Foretold>>();

/** Uses the shipped parameters unless others are given. */
export function predictPrompt(prompt: string, parameters?: Parameters): Prediction {
  return foretell(prompt, parameters).prediction;
}

function foretell(prompt: string, parameters = loadShippedParameters()): Foretold {
  const known = foretold.get(parameters) ?? new Map<string, Foretold>();
  foretold.set(parameters, known);
  let found = known.get(prompt);
  if (found === undefined) {
    const features = readFeatures(makeRequest(prompt));
    found = { prediction: predict(features, parameters), promptTokens: features.promptTokens };
    known.set(prompt, found);
  }
  return found;
}

/** The field with skills as a benchmark table of these rows would state them. */
export function withSkills(field: Field, rows: readonly Row[], parameters?: Parameters): Field {
  const skills = skillRows(field, rows, parameters);
  return { ...field, cards: field.cards.map((card, m) => ({ ...card, skills: skills[m] ?? {} })) };
}

/** Mean scores by kind, adjusted to the usual difficulty. */
function skillRows({ models }: Field, rows: readonly Row[], parameters?: Parameters): readonly SkillRow[] {
  const seen = rows.map(({ prompt }) => predictPrompt(prompt, parameters));
  const difficulty = seen.reduce((sum, one) => sum + one.difficultyLogit, 0) / Math.max(1, seen.length);
  return models.map((_, m) => {
    const level = rows.reduce((sum, { scores }) => sum + (scores[m] ?? 0), 0) / Math.max(1, rows.length);
    const row: Partial<Record<(typeof SKILLS)[number], number>> = {};
    for (const [at, skill] of SKILLS.entries()) {
      let weight = 20;
      let sum = 20 * level;
      let hard = 20 * difficulty;
      for (const [r, { scores }] of rows.entries()) {
        const share = seen[r]?.skills[at] ?? 0;
        weight += share;
        sum += share * (scores[m] ?? 0);
        hard += share * (seen[r]?.difficultyLogit ?? 0);
      }
      const mean = Math.min(0.98, Math.max(0.02, sum / weight));
      row[skill] = 1 / (1 + Math.exp(-(Math.log(mean / (1 - mean)) + (SLOPE * hard) / weight)));
    }
    return row;
  });
}

/** The shipped learning after the rows' scores of all the field's models. */
export function taught(
  field: Field,
  rows: readonly Row[],
  parameters?: Parameters,
  learned = new LearnedModels(),
): LearnedModels {
  for (const { prompt, scores, tokens } of rows) {
    const prediction = predictPrompt(prompt, parameters);
    const marks = field.cards.map((card, m) => {
      const expected = estimatePriorQuality(findProfile(card), prediction);
      return { model: card.id, score: scores[m] ?? 0, expected };
    });
    learned.put(prediction.row, { accountId: "", id: prompt, atMs: 0, weight: 1, marks });
    const thoughtFor = makeThoughtEstimate(undefined, prediction.difficultyLogit);
    for (const [m, card] of field.cards.entries()) {
      const thought = thoughtFor(findProfile(card).thinkingTokens);
      const asked = { ...prediction, outputTokens: prediction.outputTokens + thought };
      if (tokens !== null) learned.foldLength(asked, card.id, tokens[m] ?? Number.NaN);
    }
  }
  learned.fit({ findModel: makeFindModel(field.cards, (model) => learned.lengthOf(model)) });
  return learned;
}

export function makeInput(
  { cards }: Field,
  learned: LearnedModels,
  quality: number,
): Omit<ChooseInput, "request"> {
  return { needs: new Map(), cards, rules: RULES, quality, learned };
}

export interface Picked {
  readonly row: Row;
  /** The index among the field's models. */
  readonly at: number;
}

/** The shipped choice for each row. */
export function makePicks(
  selector: "best" | "fair",
  field: Field,
  rows: readonly Row[],
  input: Omit<ChooseInput, "request">,
  parameters?: Parameters,
): readonly Picked[] {
  const places = new Map(field.cards.map(({ id }, at) => [id, at]));
  return rows.map((row) => {
    const { prediction, promptTokens } = foretell(row.prompt, parameters);
    const asked = { ...input, request: makeRequest(row.prompt) };
    const { choice } = decide(SELECTOR_RULES[selector], asked, prediction, promptTokens);
    return { row, at: places.get(choice?.id ?? "") ?? 0 };
  });
}

/** Returns the cost in USD of a model's answer to the row, by list prices and the answer's actual length. */
export function spentOn(field: Field, { prompt, tokens }: Row, at: number): number {
  const price = field.cards[at]?.price;
  if (!price) return 0;
  const answer = tokens?.[at];
  const output = answer === undefined || Number.isNaN(answer) ? 200 : answer;
  return ((prompt.length / 4) * price.input + output * price.output) / 1e6;
}

/** The predicted quality of each of the field's models. */
export function predictQualities(field: Field, prompt: string, learned: LearnedModels): readonly number[] {
  const input = { ...makeInput(field, learned, 1), request: makeRequest(prompt) };
  const { candidates } = decide(SELECTOR_RULES.best, input, predictPrompt(prompt), 0);
  const qualities = new Map(candidates.map(({ card, quality }) => [card, quality]));
  return field.cards.map((card) => qualities.get(card) ?? Number.NaN);
}
