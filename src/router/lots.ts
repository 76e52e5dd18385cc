// Groups of cards in lots: what none of a lot's cards is above tells whether a request has to look into it.
import type { Price } from "../core/card.ts";
import { type Asked, CAUTION } from "./consider.ts";
import { expectedCost, expectedMs, thoughtTokens } from "./expense.ts";
import type { Profile } from "./profiles.ts";
import { type Quality, qualityBound } from "./quality.ts";
import type { Group } from "./roster.ts";

export interface Lot {
  readonly groups: readonly Group[];
  /** One for all, as far as quality goes; null: they differ in that. */
  readonly alike: Profile | null;
  /** Between these all profiles lie, field by field. */
  readonly least: Profile;
  readonly most: Profile;
  /** No card's rate is below its rates. */
  readonly price: Price;
  /** Before all others. */
  readonly firstId: string;
}

/** What none of a lot's cards is above, or below; exact where they are alike. */
export interface Bound {
  readonly lot: Lot;
  readonly carefulMax: number;
  readonly carefulLevelMax: number;
  /** Between the quality and its lower end. */
  readonly doubtMin: number;
  readonly costUsdMin: number;
  readonly latencyMsMin: number;
}

const LOT_SIZE = 48;
/** So many groups of the same quality are in no lot with others. */
const ALIKE_MIN = 12;

export function lotsOf(groups: readonly Group[]): readonly Lot[] {
  const lots: Lot[] = [];
  const mixed: Group[] = [];
  for (const all of Map.groupBy(groups, ({ profile }) => profile.oddsLevel).values()) {
    const [first] = all;
    const isAlike = first !== undefined && all.every(({ profile }) => areAlike(profile, first.profile));
    if (isAlike && all.length >= ALIKE_MIN) lots.push(...cut(all.toSorted(byPrice), first.profile));
    else mixed.push(...all);
  }
  mixed.sort((a, b) => b.profile.oddsLevel - a.profile.oddsLevel || byPrice(a, b));
  return [...lots, ...cut(mixed, null)];
}

function areAlike(a: Profile, b: Profile): boolean {
  const isSame = (field: "odds" | "oddsSpreads") => a[field].every((value, at) => value === b[field][at]);
  return isSame("odds") && isSame("oddsSpreads");
}

function byPrice(a: Group, b: Group): number {
  return outputRate(a) - outputRate(b);
}

function outputRate({ members: [card] }: Group): number {
  return card?.price?.output ?? 0;
}

function cut(groups: readonly Group[], alike: Profile | null): readonly Lot[] {
  return Array.from({ length: Math.ceil(groups.length / LOT_SIZE) }, (_, at) =>
    lotOf(groups.slice(at * LOT_SIZE, (at + 1) * LOT_SIZE), alike),
  );
}

function lotOf(groups: readonly Group[], alike: Profile | null): Lot {
  const profiles = groups.map((group) => group.profile);
  const ids = groups.flatMap(({ members: [card] }) => card?.id ?? []);
  return {
    groups,
    alike,
    least: endOf(profiles, Math.min),
    most: endOf(profiles, Math.max),
    price: leastPrice(groups),
    firstId: ids.reduce((first, id) => (id < first ? id : first)),
  };
}

/** Field by field the least, or the most. */
function endOf(profiles: readonly Profile[], end: (...values: number[]) => number): Profile {
  const [first] = profiles;
  if (first === undefined) throw new Error("A lot holds a group at least.");
  const of = (field: (profile: Profile) => number) => end(...profiles.map(field));
  const each = (field: "skills" | "odds" | "oddsSpreads" | "spreads") =>
    first[field].map((_, at) => of((profile) => profile[field][at] ?? 0));
  return {
    ...{ skills: each("skills"), odds: each("odds") },
    ...{ oddsSpreads: each("oddsSpreads"), spreads: each("spreads") },
    oddsLevel: of(({ oddsLevel }) => oddsLevel),
    source: first.source,
    firstTokenMs: of(({ firstTokenMs }) => firstTokenMs),
    tokensPerSecond: of(({ tokensPerSecond }) => tokensPerSecond),
    thinkingTokens: of(({ thinkingTokens }) => thinkingTokens),
  };
}

function leastPrice(groups: readonly Group[]): Price {
  const prices = groups.flatMap(({ members: [card] }) => card?.price ?? []);
  const rates = prices.flatMap((price) => [price, ...(price.tiers ?? [])]);
  return {
    input: Math.min(...rates.map(({ input }) => input)),
    output: Math.min(...rates.map(({ output }) => output)),
    reasoning: Math.min(...rates.map(({ reasoning, output }) => reasoning ?? output)),
    perRequest: Math.min(...prices.map(({ perRequest = 0 }) => perRequest)),
  };
}

/** `qualityOf` gives that of a profile, exactly. */
export function boundOf(lot: Lot, asked: Asked, qualityOf: (profile: Profile) => Quality): Bound {
  const { prediction, promptTokens, effort, outputTokensMax = Number.POSITIVE_INFINITY } = asked;
  const { most, least, alike } = lot;
  const answer = Math.min(prediction.outputTokens, outputTokensMax);
  const thought = thoughtTokens(least, effort, prediction.difficultyLogit);
  const fastest = { firstTokenMs: least.firstTokenMs, tokensPerSecond: most.tokensPerSecond };
  const { quality, level, spread, doubt } =
    alike === null ? qualityBound(least, most, prediction) : told(qualityOf(alike));
  const carefulMax = quality - CAUTION * spread;
  return {
    lot,
    carefulMax,
    carefulLevelMax: level - (quality - carefulMax),
    doubtMin: doubt,
    costUsdMin: expectedCost(lot.price, promptTokens, 0, answer, thought),
    latencyMsMin: expectedMs(fastest, null, answer + thought),
  };
}

function told({ quality, low, level, spread }: Quality) {
  return { quality, level, spread, doubt: quality - low };
}
