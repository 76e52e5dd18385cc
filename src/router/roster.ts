// A catalogue's cards laid out for a selector: those that differ in nothing but their names stand together.
import type { ModelCard, Price } from "../core/card.ts";
import type { CategoryRule, RouterRules } from "../core/settings.ts";
import type { Removals } from "./choose.ts";
import { ruledOut } from "./consider.ts";
import { type Lot, lotsOf } from "./lots.ts";
import { type Profile, profileOf } from "./profiles.ts";

/** Cards that are as good, as dear, as fast and as old as each other, as long as nothing was seen of them. */
export interface Group {
  readonly profile: Profile;
  /** By id. */
  readonly members: readonly ModelCard[];
}

/** Groups of which a request removes all or none. */
export interface Kind {
  /** One of them. */
  readonly sample: ModelCard;
  readonly lots: readonly Lot[];
  readonly size: number;
}

export interface Place {
  readonly card: ModelCard;
  readonly group: Group;
}

export interface Roster {
  readonly kinds: readonly Kind[];
  /** By id. */
  readonly places: ReadonlyMap<string, Place>;
  /** How many the operator's rules keep out, by what; they are in no group. */
  readonly removed: Removals;
}

/** So many sets of rules that hold at once are kept laid out. */
const ROSTERS_MAX = 16;

/** By the list of cards and by the operator's rules, which live as long as a configuration. */
const kept = new WeakMap<readonly ModelCard[], WeakMap<RouterRules, Map<string, Roster>>>();

/** Made once for a list and the rules that hold. */
export function rosterOf(
  cards: readonly ModelCard[],
  rules: RouterRules,
  holding: readonly CategoryRule[],
): Roster {
  const byRules = kept.get(cards) ?? new WeakMap<RouterRules, Map<string, Roster>>();
  kept.set(cards, byRules);
  const rosters = byRules.get(rules) ?? new Map<string, Roster>();
  byRules.set(rules, rosters);
  const name = holding.map((rule) => rules.rules.indexOf(rule)).join();
  const roster = rosters.get(name) ?? laidOut(cards, rules, holding);
  rosters.delete(name);
  rosters.set(name, roster);
  const [oldest] = rosters.keys();
  if (rosters.size > ROSTERS_MAX && oldest !== undefined) rosters.delete(oldest);
  return roster;
}

function laidOut(cards: readonly ModelCard[], rules: RouterRules, holding: readonly CategoryRule[]): Roster {
  const removed: Record<string, number> = {};
  const places = new Map<string, Place>();
  const kinds = new Map<string, Growing>();
  const profiles = new Map<Profile, number>();
  for (const card of cards.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const reason = ruledOut(card, rules, holding);
    if (reason !== null) {
      removed[reason] = (removed[reason] ?? 0) + 1;
      continue;
    }
    const profile = profileOf(card, card.skills);
    const number = entry(profiles, profile, () => profiles.size);
    const kind = entry(kinds, abilities(card), () => ({ sample: card, groups: new Map(), size: 0 }));
    const name = `${number} ${card.created} ${expense(card.price)}`;
    const group = entry(kind.groups, name, () => ({ profile, members: [] }));
    group.members.push(card);
    kind.size++;
    places.set(card.id, { card, group });
  }
  return {
    kinds: [...kinds.values()].map(({ sample, groups, size }) => ({
      ...{ sample, size },
      lots: lotsOf([...groups.values()]),
    })),
    places,
    removed,
  };
}

/** A kind while it is being made. */
interface Growing {
  readonly sample: ModelCard;
  readonly groups: Map<string, { readonly profile: Profile; readonly members: ModelCard[] }>;
  size: number;
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, made: () => Value): Value {
  const found = map.get(key) ?? made();
  map.set(key, found);
  return found;
}

/** All that `unfit` looks at. */
function abilities({ listed, capabilities, contextTokensMax, price }: ModelCard): string {
  return [listed, price === null, contextTokensMax, ...[...capabilities].toSorted()].join(" ");
}

/** All that `expectedCost` looks at. */
function expense(price: Price | null): string {
  if (price === null) return "";
  const { input, output, cachedInput, reasoning, perRequest, tiers } = price;
  const rates = `${input} ${output} ${cachedInput} ${reasoning} ${perRequest}`;
  return tiers === undefined ? rates : `${rates} ${JSON.stringify(tiers)}`;
}
