// The selectors' choices for everyday prompts before anything is learned: their predicted cost, quality and time, how
// often a choice is beaten by another model, and the cost of `best` beside that of its earlier choices.
import type { ModelCard } from "../../src/core/card.ts";
import { SELECTORS } from "../../src/core/selector.ts";
import { findNeeds } from "../../src/operations/chat/needs.ts";
import { choose } from "../../src/selectors/choose.ts";
import { SELECTOR_RULES } from "../../src/selectors/index.ts";
import { type RouteView, viewRoute } from "../../src/selectors/route-view.ts";
import before from "./day-one-before.data.json";
import { DAY_ONE_PROMPTS, listProviderSets } from "./day-one-prompts.ts";
import { RULES } from "./pools.ts";

type Candidate = RouteView["candidates"][number];

export interface DayOneChoice {
  readonly prompt: string;
  /** Null if no model can serve the request. */
  readonly taken: Candidate | null;
  /** Those that can serve it come first. */
  readonly candidates: readonly Candidate[];
}

export function chooseOnDayOne(
  name: (typeof SELECTORS)[number],
  cards: readonly ModelCard[],
): readonly DayOneChoice[] {
  return DAY_ONE_PROMPTS.map(({ id: prompt, request }) => {
    const { choice, candidates } = viewRoute(
      choose(SELECTOR_RULES[name], {
        ...{ request, cards, needs: findNeeds(request) },
        ...{ rules: RULES, quality: 0.98 },
      }),
    );
    return { prompt, taken: candidates.find(({ model }) => model === choice) ?? null, candidates };
  });
}

/** True if one of the candidates is at least as good, cheap and fast as what was taken, and better in one of these. */
export function isBeaten({ taken, candidates }: DayOneChoice): boolean {
  if (taken === null) return false;
  const [quality, usd, ms] = [taken.quality, taken.cost_usd ?? 0, taken.latency_ms];
  const able = candidates.filter(({ eligible }) => eligible);
  return able.some((one) => {
    const cost = one.cost_usd ?? 0;
    const isNoWorse = one.quality >= quality && cost <= usd && one.latency_ms <= ms;
    return isNoWorse && (one.quality > quality || cost < usd || one.latency_ms < ms);
  });
}

const PICKS = new Map(
  Object.entries(before.picks).map(([set, picks]) => [
    set,
    new Map<string, string | null>(Object.entries(picks)),
  ]),
);

/**
 * Returns the cost of `best` as a share of the cost of its earlier choices, all at the present predictions. Prompts that
 * nothing served earlier, or now, are left out. Null if none is left.
 */
export function compareCost(set: string, choices: readonly DayOneChoice[]): number | null {
  let [now, then] = [0, 0];
  for (const { prompt, taken, candidates } of choices) {
    const earlier = candidates.find(({ model }) => model === PICKS.get(set)?.get(prompt));
    if (taken === null || !earlier?.cost_usd) continue;
    now += taken.cost_usd ?? 0;
    then += earlier.cost_usd;
  }
  return then === 0 ? null : now / then;
}

/** Lines of a table by set of providers and selector. */
export function listDayOneChoices(): readonly string[] {
  const lines = [
    "| providers | selector | served | beaten | predicted: USD per 1,000, quality, median s | cost over before | picks |",
    "|---|---|---|---|---|---|---|",
  ];
  for (const [set, cards] of listProviderSets())
    for (const name of SELECTORS) lines.push(describeChoices(set, name, chooseOnDayOne(name, cards)));
  return lines;
}

function describeChoices(set: string, name: string, choices: readonly DayOneChoice[]): string {
  const taken = choices.flatMap((choice) => choice.taken ?? []);
  const mean = (value: (one: Candidate) => number) =>
    taken.reduce((sum, one) => sum + value(one), 0) / Math.max(1, taken.length);
  const times = taken.map(({ latency_ms: ms }) => ms).toSorted((a, b) => a - b);
  const usd = (1000 * mean(({ cost_usd: cost }) => cost ?? 0)).toFixed(1);
  const seconds = ((times[times.length >> 1] ?? 0) / 1000).toFixed(1);
  const share = name === "best" ? compareCost(set, choices) : null;
  const counts = [...Map.groupBy(taken, ({ model }) => model)]
    .map(([model, { length }]) => ({ model, length }))
    .toSorted((a, b) => b.length - a.length);
  const shown = counts.slice(0, 3).map(({ model, length }) => `${model} ${length}`);
  const others = counts.slice(3).reduce((sum, { length }) => sum + length, 0);
  const cells = [
    ...[set, name, `${taken.length} of ${choices.length}`, choices.filter(isBeaten).length],
    `${usd}, ${mean(({ quality }) => quality).toFixed(3)}, ${seconds}`,
    share === null ? "" : share.toFixed(3),
    [...shown, ...(others > 0 ? [`others ${others}`] : [])].join(", "),
  ];
  return `| ${cells.join(" | ")} |`;
}
