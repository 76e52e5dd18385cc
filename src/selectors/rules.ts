// The operator's rules for selectors as one request meets them: models kept out, and the model that is pinned.
import type { CategoryRule, RouterRules } from "../core/settings.ts";
import { SKILLS, type Skill } from "../core/skill.ts";
import type { Prediction } from "./predictor.ts";

/** The rules that hold for one request. */
export interface ActiveRules {
  readonly deny: ReadonlySet<string>;
  readonly byKind: readonly KindRule[];
  readonly pin: Pin | null;
}

export interface Pin {
  /** The card's. */
  readonly id: string;
  readonly skill: Skill;
}

interface KindRule extends Pick<CategoryRule, "category" | "shareMin"> {
  /** null: all but the denied ones. */
  readonly models: ReadonlySet<string> | null;
  readonly deny: ReadonlySet<string>;
}

/** The beginning of the reasons that a rule of the operator's gives. */
export const BY_RULE = "rule:";

export function selectRules(rules: RouterRules, { skills }: Prediction): ActiveRules {
  const { deny, byKind } = indexRules(rules);
  const skill = SKILLS[skills.indexOf(Math.max(...skills))] ?? "knowledge";
  const id = rules.pin[skill];
  return {
    deny,
    byKind: byKind.filter(({ category, shareMin }) => (skills[SKILLS.indexOf(category)] ?? 0) >= shareMin),
    pin: id === undefined ? null : { id, skill },
  };
}

/** The reason why the rules keep a card out; null: they don't. */
export function findExclusion({ deny, byKind }: ActiveRules, id: string): string | null {
  if (deny.has(id)) return "denied";
  for (const { category, models, deny } of byKind)
    if (deny.has(id) || models?.has(id) === false) return `${BY_RULE}${category}`;
  return null;
}

/** Rules live as long as a configuration, and searching lists of hundreds of ids for each of thousands of cards takes 10 ms. */
const sets = new WeakMap<RouterRules, Pick<ActiveRules, "deny" | "byKind">>();

function indexRules(rules: RouterRules): Pick<ActiveRules, "deny" | "byKind"> {
  const found = sets.get(rules) ?? {
    deny: new Set(rules.deny),
    byKind: rules.rules.map((rule) => ({
      ...rule,
      models: rule.models && new Set(rule.models),
      deny: new Set(rule.deny),
    })),
  };
  sets.set(rules, found);
  return found;
}
