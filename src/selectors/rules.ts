// The operator's rules for selectors as they apply to one request: the excluded models and the pinned model.
import type { RouterRules } from "../core/settings.ts";
import { SKILLS } from "../core/skill.ts";
import type { Prediction } from "./predictor.ts";

/** The rules that apply to one request. */
export type ActiveRules = Readonly<ReturnType<typeof selectRules>>;

/** The prefix of reasons that come from an operator's rule. */
export const BY_RULE = "rule:";

export function selectRules(rules: RouterRules, { skills }: Prediction) {
  const { deny, byKind } = indexRules(rules);
  const skill = SKILLS[skills.indexOf(Math.max(...skills))] ?? "knowledge";
  const id = rules.pin[skill];
  return {
    deny,
    byKind: byKind.filter(({ category, shareMin }) => (skills[SKILLS.indexOf(category)] ?? 0) >= shareMin),
    /** The pinned card's id and the kind of task that it is pinned for. */
    pin: id === undefined ? null : { id, skill },
  };
}

/** Returns the reason why the rules exclude a card. Null if they don't. */
export function findExclusion({ deny, byKind }: ActiveRules, id: string): string | null {
  if (deny.has(id)) return "denied";
  for (const { category, models, deny } of byKind)
    if (deny.has(id) || models?.has(id) === false) return `${BY_RULE}${category}`;
  return null;
}

/** Cached per configuration: searching lists of hundreds of ids for each of thousands of cards takes 10 ms. */
const indexes = new WeakMap<RouterRules, ReturnType<typeof makeIndex>>();

function indexRules(rules: RouterRules) {
  const found = indexes.get(rules) ?? makeIndex(rules);
  indexes.set(rules, found);
  return found;
}

function makeIndex({ deny, rules }: RouterRules) {
  const byKind = rules.map((rule) => ({
    ...rule,
    // Null if all but the denied ones are allowed.
    models: rule.models && new Set(rule.models),
    deny: new Set(rule.deny),
  }));
  return { deny: new Set(deny), byKind };
}
