// The operator's rules for selectors as they apply to one request: the excluded models and the pinned model.
import type { ModelCard } from "../core/card.ts";
import type { RouterRules } from "../core/settings.ts";
import { KINDS, type Kind, SKILLS } from "../core/skill.ts";
import type { Prediction } from "./predictor.ts";
import type { CardTable } from "./table.ts";

/** The prefix of reasons that come from an operator's rule. */
export const BY_RULE = "rule:";

/** Returns the rules that apply to one request. */
export function selectRules(
  rules: RouterRules,
  { kinds, skills }: Pick<Prediction, "kinds" | "skills">,
  table: CardTable,
) {
  const pin = findPin(rules, kinds, skills);
  return {
    exclusions: findIndex(rules, table).filter(
      ({ category, shareMin }) => category === null || findShare(category, kinds, skills) >= shareMin,
    ),
    /** The pinned card's id and the kind of task that it is pinned for. */
    pin,
  };
}

/** Returns the share of a kind. A skill's is that of all kinds that call for it: mail and summaries are language too. */
function findShare(category: Kind, kinds: readonly number[], skills: readonly number[]): number {
  const skill = (SKILLS as readonly Kind[]).indexOf(category);
  return (skill < 0 ? kinds[KINDS.indexOf(category)] : skills[skill]) ?? 0;
}

/** The likeliest kind's pin, or else that of the skill that is called for most. Null if neither has one. */
function findPin({ pin }: RouterRules, kinds: readonly number[], skills: readonly number[]) {
  const likeliest = [KINDS[kinds.indexOf(Math.max(...kinds))], SKILLS[skills.indexOf(Math.max(...skills))]];
  for (const kind of likeliest) {
    const id = kind === undefined ? undefined : pin[kind];
    if (kind !== undefined && id !== undefined) return { id, kind };
  }
  return null;
}

/** Returns the cards that selectors choose among, whatever the request. */
export function listChoosable(cards: readonly ModelCard[], { deny }: RouterRules): readonly ModelCard[] {
  const denied = new Set(deny);
  return cards.filter(
    ({ id, price, operations }) => price !== null && (operations?.has("chat") ?? true) && !denied.has(id),
  );
}

/** Cached per table and rules: searching lists of hundreds of ids for each of thousands of cards takes 10 ms. */
const indexes = new WeakMap<CardTable, WeakMap<RouterRules, ReturnType<typeof makeIndex>>>();

function findIndex(rules: RouterRules, table: CardTable) {
  const known = indexes.getOrInsertComputed(table, () => new WeakMap());
  return known.getOrInsertComputed(rules, () => makeIndex(rules, table));
}

function makeIndex(all: RouterRules, { cards, places }: CardTable) {
  /** 1 in the places of these ids. */
  const mark = (ids: readonly string[]) => {
    const marks = new Uint8Array(cards.length);
    for (const id of ids) marks[places.get(id) ?? cards.length] = 1;
    return marks;
  };
  const byKind = all.rules.map(({ category, shareMin, models, deny }) => {
    const removes = mark(deny);
    // Without a list, all but the denied ones are allowed.
    if (models !== null) for (const [at, isNamed] of mark(models).entries()) removes[at] ||= 1 - isNamed;
    return { category, shareMin, reason: `${BY_RULE}${category}`, removes };
  });
  const denied = { category: null, shareMin: 0, reason: "denied", removes: mark(all.deny) };
  return all.deny.length === 0 ? byKind : [denied, ...byKind];
}
