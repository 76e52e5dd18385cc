// The operator's rules for selectors as they apply to one request: the excluded models and the pinned model.
import type { ModelCard } from "../core/models/card.ts";
import { KINDS, SKILLS, type TaskKind } from "../core/models/skill.ts";
import type { Steering } from "../core/models/steering.ts";
import type { RouterRules } from "../core/settings.ts";
import { matchesAny } from "../core/text/pattern.ts";
import type { CardTable } from "./table.ts";
import type { Prediction } from "./text/predictor.ts";

const SKILL_KINDS: readonly TaskKind[] = SKILLS;

/** The prefix of reasons that come from an operator's rule. */
export const BY_RULE = "rule:";
/** The reason of models that a list of allowed ones leaves out, be it the operator's, an alias's or the client's. */
export const NOT_ALLOWED = "not_allowed";

/** Returns the rules that apply to one request. */
export function selectRules(
  rules: RouterRules,
  { kinds, skills }: Pick<Prediction, "kinds" | "skills">,
  table: CardTable,
  steering: Steering,
) {
  const pin = findPin(rules, kinds, skills);
  const applies = ({ category, shareMin }: IndexedRule) =>
    category === null || findShare(category, kinds, skills) >= shareMin;
  const index = findIndex(rules, table);
  const applying = index.filter(applies);
  const { allow, deny } = steering;
  const isSteered = allow.length > 0 || deny.length > 0;
  return {
    exclusions: isSteered ? [...applying, findSteered(steering, table)] : applying,
    /** Names the operator's rules that apply. Null if there are a client's or an alias's demands beside them. */
    applying: isSteered ? null : index.map((one) => Number(applies(one))).join(""),
    /** The pinned card's id and the kind of task that it is pinned for. */
    pin,
  };
}

/** Returns the share of a kind. A skill's is that of all kinds that call for it: mail and summaries are language too. */
function findShare(category: TaskKind, kinds: readonly number[], skills: readonly number[]): number {
  const skill = SKILL_KINDS.indexOf(category);
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
export function listChoosable(cards: readonly ModelCard[], rules: RouterRules): readonly ModelCard[] {
  const { allow = ["*"], deny, preview = false } = rules;
  return cards.filter(
    ({ id, price, operations, kind }) =>
      price !== null &&
      (operations?.has("chat") ?? true) &&
      (preview || kind !== "preview") &&
      matchesAny(allow, id) &&
      !matchesAny(deny, id),
  );
}

/** The reason of models that the operator denies to all selectors. */
export const DENIED = "denied";

/** Cached per table and rules: searching lists of hundreds of ids for each of thousands of cards takes 10 ms. */
const indexes = new WeakMap<CardTable, WeakMap<RouterRules, ReturnType<typeof makeIndex>>>();

function findIndex(rules: RouterRules, table: CardTable) {
  const known = indexes.getOrInsertComputed(table, () => new WeakMap());
  return known.getOrInsertComputed(rules, () => makeIndex(rules, table));
}

type IndexedRule = ReturnType<typeof makeIndex>[number];

function makeIndex(all: RouterRules, { cards, places }: CardTable) {
  /** 1 in the places of these ids, which may be patterns. */
  const mark = (ids: readonly string[]) => {
    const marks = new Uint8Array(cards.length);
    const patterns = ids.filter((id) => !places.has(id));
    for (const id of ids) marks[places.get(id) ?? cards.length] = 1;
    if (patterns.length > 0)
      for (const [at, { id }] of cards.entries()) marks[at] ||= Number(matchesAny(patterns, id));
    return marks;
  };
  const byKind = all.rules.map(({ category, shareMin, models, deny }) => {
    const removes = mark(deny);
    // Without a list, all but the denied ones are allowed.
    if (models !== null) for (const [at, isNamed] of mark(models).entries()) removes[at] ||= 1 - isNamed;
    return { category, shareMin, reason: `${BY_RULE}${category}`, removes };
  });
  const always = { category: null, shareMin: 0 };
  const { allow, deny } = all;
  return [
    ...(deny.length === 0 ? [] : [{ ...always, reason: DENIED, removes: mark(deny) }]),
    ...(allow === undefined
      ? []
      : [{ ...always, reason: NOT_ALLOWED, removes: mark(allow).map((isNamed) => 1 - isNamed) }]),
    ...byKind,
  ];
}

/** Per table and the lists of a policy: with thousands of cards, comparing each takes longer than choosing. */
const steered = new WeakMap<CardTable, Map<string, Exclusion>>();
/** Clients send such lists, too. */
const STEERED_MAX = 100;

interface Exclusion {
  readonly reason: string;
  /** 1 in the places of the cards that it removes. */
  readonly removes: Uint8Array;
}

function findSteered({ allow, deny }: Steering, table: CardTable): Exclusion {
  const known = steered.getOrInsertComputed(table, () => new Map());
  if (known.size > STEERED_MAX) known.clear();
  return known.getOrInsertComputed(JSON.stringify([allow, deny]), () => {
    const keeps = ({ id }: ModelCard) => allow.every((list) => matchesAny(list, id)) && !matchesAny(deny, id);
    return { reason: NOT_ALLOWED, removes: Uint8Array.from(table.cards, (card) => Number(!keeps(card))) };
  });
}
