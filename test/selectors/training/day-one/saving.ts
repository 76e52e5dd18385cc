// The cost of `best` for everyday prompts beside that of its earlier choices, and what other tolerances would cost. All
// costs and qualities are those predicted now.
import { CLOSE } from "../../../../src/selectors/best.ts";
import { ROUNDING } from "../../../../src/selectors/saving.ts";
import { RULES } from "../pools.ts";
import { average, percent } from "../statistics.ts";
import before from "./before.data.json";
import { type Candidate, chooseOnDayOne, type DayOneChoice } from "./choices.ts";
import { listProviderSets } from "./prompts.ts";

/** An earlier choice for a prompt and another one. */
interface Pair {
  readonly earlier: Candidate;
  readonly taken: Candidate;
}

const TOLERANCES = [0, 0.005, CLOSE, 0.012, 0.014, 0.016, 0.02, 0.03];

const PICKS = indexPicks(before.picks);
/** For the sets that have previews. */
const PICKS_WITHOUT_PREVIEWS = indexPicks(before.withoutPreviews);

/** By set of providers, then prompt. */
function indexPicks(
  picks: Readonly<Record<string, object>>,
): ReadonlyMap<string, ReadonlyMap<string, string | null>> {
  return new Map(Object.entries(picks).map(([set, own]) => [set, new Map(Object.entries(own))]));
}

/** Pairs the earlier choices with those of `pick`. Prompts that nothing served earlier, or serves now, are left out. */
function pairUp(
  picks: ReadonlyMap<string, string | null> | undefined,
  choices: readonly DayOneChoice[],
  pick: (choice: DayOneChoice) => Candidate | null,
): readonly Pair[] {
  return choices.flatMap((choice) => {
    const earlier = choice.candidates.find(({ model }) => model === picks?.get(choice.prompt));
    const taken = pick(choice);
    return earlier?.cost_usd && taken !== null ? [{ earlier, taken }] : [];
  });
}

/** Lines of a table by set of providers. */
export function listSavings(): readonly string[] {
  const lines = [
    "| providers | before: USD per 1,000, quality | now | cost over before | at the median prompt | dearest prompt's part | prompts dearer | quality over before |",
    "|---|---|---|---|---|---|---|---|",
  ];
  const take = ({ taken }: DayOneChoice) => taken;
  for (const [set, cards] of listProviderSets()) {
    const choices = chooseOnDayOne("best", cards);
    const hadPreviews = PICKS_WITHOUT_PREVIEWS.has(set);
    // Of other models than before, a sum says nothing about the rule.
    const name = hadPreviews ? `${set}, previews before only: not like for like` : set;
    const rows: [string, readonly Pair[]][] = [[name, pairUp(PICKS.get(set), choices, take)]];
    if (hadPreviews) {
      const all = chooseOnDayOne("best", cards, { ...RULES, preview: true });
      rows.push([
        `${set}, no previews before either`,
        pairUp(PICKS_WITHOUT_PREVIEWS.get(set), choices, take),
      ]);
      rows.push([`${set}, previews now as well`, pairUp(PICKS.get(set), all, take)]);
    }
    for (const [name, pairs] of rows) if (pairs.length > 0) lines.push(`| ${name} | ${describe(pairs)} |`);
  }
  return lines;
}

function describe(pairs: readonly Pair[]): string {
  const ratios = pairs.map(({ earlier, taken }) => costOf(taken) / costOf(earlier)).toSorted((a, b) => a - b);
  const then = pairs.map(({ earlier }) => earlier);
  const now = pairs.map(({ taken }) => taken);
  const cells = [
    describeMeans(then),
    describeMeans(now),
    (meanCost(now) / meanCost(then)).toFixed(3),
    (ratios[ratios.length >> 1] ?? 0).toFixed(3),
    percent(Math.max(...now.map(costOf)) / (meanCost(now) * now.length)),
    `${ratios.filter((ratio) => ratio > 1).length} of ${ratios.length}`,
    (meanQuality(now) - meanQuality(then)).toFixed(4),
  ];
  return cells.join(" | ");
}

/** Lines of the cost over before and the loss of quality against the best prediction, by tolerance and providers. */
export function listTolerances(): readonly string[] {
  const sets = [...listProviderSets()].filter(([set]) => PICKS.has(set));
  const lines = [
    `| cheapest within | ${sets.map(([set]) => set).join(" | ")} |`,
    `|---|${sets.map(() => "---").join("|")}|`,
  ];
  const chosen = sets.map(([set, cards]) => [set, chooseOnDayOne("best", cards)] as const);
  for (const tolerance of TOLERANCES) {
    const cells = chosen.map(([set, choices]) => {
      const pairs = pairUp(PICKS.get(set), choices, (choice) => takeWithin(choice, tolerance));
      const tops = pairUp(PICKS.get(set), choices, (choice) => takeWithin(choice, 0));
      const now = pairs.map(({ taken }) => taken);
      const share = meanCost(now) / meanCost(pairs.map(({ earlier }) => earlier));
      const loss = meanQuality(now) - meanQuality(tops.map(({ taken }) => taken));
      return `${share.toFixed(3)}, ${loss.toFixed(4)}`;
    });
    lines.push(`| ${tolerance} | ${cells.join(" | ")} |`);
  }
  return lines;
}

/** Returns the cheapest of those that can serve and are within the tolerance of the highest quality. */
function takeWithin({ candidates }: DayOneChoice, tolerance: number): Candidate | null {
  const able = candidates.filter(({ eligible }) => eligible);
  const floor = Math.max(...able.map(({ quality }) => quality)) - tolerance - ROUNDING;
  const close = able.filter(({ quality }) => quality >= floor);
  return close.toSorted((a, b) => costOf(a) - costOf(b) || a.latency_ms - b.latency_ms)[0] ?? null;
}

function describeMeans(all: readonly Candidate[]): string {
  return `${(1000 * meanCost(all)).toFixed(1)}, ${meanQuality(all).toFixed(4)}`;
}

function meanCost(all: readonly Candidate[]): number {
  return average(all.map(costOf));
}

function meanQuality(all: readonly Candidate[]): number {
  return average(all.map(({ quality }) => quality));
}

function costOf({ cost_usd: usd }: Candidate): number {
  return usd ?? 0;
}
