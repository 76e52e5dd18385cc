// The selectors' choices for everyday prompts before anything is learned: their predicted cost, quality and time, and how
// often a choice is beaten by another model.
import type { ModelCard } from "../../../../src/core/models/card.ts";
import { SELECTORS } from "../../../../src/core/models/selector.ts";
import type { RouterRules } from "../../../../src/core/settings.ts";
import { findNeeds } from "../../../../src/operations/chat/needs.ts";
import { choose } from "../../../../src/selectors/choose.ts";
import { SELECTOR_RULES } from "../../../../src/selectors/index.ts";
import { type RouteView, viewRoute } from "../../../../src/selectors/route-view.ts";
import { RULES } from "../pools.ts";
import { DAY_ONE_PROMPTS, listProviderSets } from "./prompts.ts";

export type Candidate = RouteView["candidates"][number];

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
  rules: RouterRules = RULES,
): readonly DayOneChoice[] {
  return DAY_ONE_PROMPTS.map(({ id: prompt, request }) => {
    const { choice, candidates } = viewRoute(
      choose(SELECTOR_RULES[name], {
        request,
        cards,
        needs: findNeeds(request),
        rules,
        quality: 0.98,
      }),
    );
    return { prompt, taken: candidates.find(({ model }) => model === choice) ?? null, candidates };
  });
}

/** True if one of the candidates is at least as good, cheap and fast as what was taken, and better in one of these. */
export function isBeaten({ taken, candidates }: DayOneChoice): boolean {
  if (taken === null) return false;
  const quality = taken.quality;
  const usd = taken.cost_usd ?? 0;
  const ms = taken.latency_ms;
  const able = candidates.filter(({ eligible }) => eligible);
  return able.some((one) => {
    const cost = one.cost_usd ?? 0;
    const isNoWorse = one.quality >= quality && cost <= usd && one.latency_ms <= ms;
    return isNoWorse && (one.quality > quality || cost < usd || one.latency_ms < ms);
  });
}

/** Lines of a table by set of providers and selector. */
export function listDayOneChoices(): readonly string[] {
  const lines = [
    "| providers | selector | served | beaten | predicted: USD per 1,000, quality, median s | picks |",
    "|---|---|---|---|---|---|",
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
  const counts = [...Map.groupBy(taken, ({ model }) => model)]
    .map(([model, { length }]) => ({ model, length }))
    .toSorted((a, b) => b.length - a.length);
  const shown = counts.slice(0, 3).map(({ model, length }) => `${model} ${length}`);
  const others = counts.slice(3).reduce((sum, { length }) => sum + length, 0);
  const cells = [
    set,
    name,
    `${taken.length} of ${choices.length}`,
    choices.filter(isBeaten).length,
    `${usd}, ${mean(({ quality }) => quality).toFixed(3)}, ${seconds}`,
    [...shown, ...(others > 0 ? [`others ${others}`] : [])].join(", "),
  ];
  return `| ${cells.join(" | ")} |`;
}
