// The published trial: RouteLLM's two models on MMLU and GSM8K, with few labels of the set, by the shipped learning.
import { best } from "../../../../src/selectors/best.ts";
import { choose } from "../../../../src/selectors/choose.ts";
import { makeDice, shuffled } from "../../dice.ts";
import { isTrial, type Row } from "../data.ts";
import { type Field, makeCard, makeField, makeInput, makeRequest, taught } from "../pools.ts";
import { referenceLeanings } from "../reference.ts";
import {
  average,
  computeEntropy,
  computeSpread,
  type Interval,
  type TwoModels,
  twoModels,
} from "../statistics.ts";
import { withFlatSkills } from "./labels.ts";

export interface PublishedResult {
  readonly set: string;
  readonly labels: number;
  readonly rows: number;
  readonly apgr: Interval;
  readonly cpt50: number;
  readonly cpt80: number;
  readonly entropy: number;
  /** Two baselines: the prompt's length alone, and the true subject's mean gap in the same labels. */
  readonly byLength: number;
  readonly bySubject: number;
  /** By an offline regression on all words from the same labels. */
  readonly byWords: number;
}

const RESAMPLES_A_DRAW = 40;

/** Labels are drawn for each seed from questions that aren't scored. The interval covers draws and questions. */
export function publishedTrial(set: string, labels: number, draws: number): PublishedResult {
  const whole = makeField("routellm");
  const field: Field = { ...whole, cards: whole.models.map(makeCard) };
  const own = field.rows.filter((row) => row.set.startsWith(set));
  const pool = own.filter((row) => !isTrial(row));
  const scored = own.filter(isTrial);
  const strong = scored.map(({ scores }) => scores[0] ?? 0);
  const weak = scored.map(({ scores }) => scores[1] ?? 0);
  const results: TwoModels[] = [];
  const samples: number[] = [];
  const entropies: number[] = [];
  const subjects: number[] = [];
  const words: number[] = [];
  for (let draw = 0; draw < draws; draw++) {
    const drawn = [...shuffled(pool.length, 100 + draw)].slice(0, labels).flatMap((at) => pool[at] ?? []);
    const { lean, picks } = leanings(field, drawn, scored);
    results.push(twoModels(lean, strong, weak));
    entropies.push(computeEntropy(picks));
    subjects.push(twoModels(subjectLeanings(drawn, scored), strong, weak).apgr);
    words.push(twoModels(referenceLeanings(drawn, scored), strong, weak).apgr);
    const dice = makeDice(draw);
    for (let sample = 0; sample < RESAMPLES_A_DRAW; sample++) {
      const chosen = scored.map(() => Math.floor(dice() * scored.length));
      const of = (values: readonly number[]) => chosen.map((at) => values[at] ?? 0);
      samples.push(twoModels(of(lean), of(strong), of(weak)).apgr);
    }
  }
  return {
    set,
    labels,
    rows: scored.length,
    apgr: { mean: average(results.map(({ apgr }) => apgr)), ...computeSpread(samples) },
    cpt50: average(results.map(({ cpt50 }) => cpt50)),
    cpt80: average(results.map(({ cpt80 }) => cpt80)),
    entropy: average(entropies),
    byLength: twoModels(
      scored.map(({ prompt }) => prompt.length),
      strong,
      weak,
    ).apgr,
    bySubject: average(subjects),
    byWords: average(words),
  };
}

/** Based on the qualities that the shipped `choose` gives the two models. */
function leanings(field: Field, drawn: readonly Row[], scored: readonly Row[]) {
  const known = withFlatSkills(field, drawn);
  const input = makeInput(known, taught(known, drawn), 0.98);
  const picks: number[] = [];
  const lean = scored.map(({ prompt }) => {
    const { candidates, choice } = choose(best, { ...input, request: makeRequest(prompt) });
    const qualityOf = (at: number) =>
      candidates.find(({ card }) => card.id === field.cards[at]?.id)?.quality ?? 0;
    picks.push(choice?.id === field.cards[0]?.id ? 0 : 1);
    return qualityOf(0) - qualityOf(1);
  });
  return { lean, picks };
}

function subjectLeanings(drawn: readonly Row[], scored: readonly Row[]): readonly number[] {
  const gaps = new Map<string, { sum: number; count: number }>();
  const all = average(drawn.map(({ scores }) => (scores[0] ?? 0) - (scores[1] ?? 0)));
  for (const { set, scores } of drawn) {
    const gap = gaps.get(set) ?? { sum: 0, count: 0 };
    gaps.set(set, { sum: gap.sum + (scores[0] ?? 0) - (scores[1] ?? 0), count: gap.count + 1 });
  }
  return scored.map(({ set }) => {
    const { sum, count } = gaps.get(set) ?? { sum: 0, count: 0 };
    return (sum + 10 * all) / (count + 10);
  });
}
