// Compares a list's price with ours, and decides whether it may be taken without a person.
import type { Price } from "../../core/models/card.ts";
import { buildPrice, findPriceProblem, isUnitMistake, type PriceFields, priceView } from "../price.ts";
import { keepStated, type StatedPrice } from "./feed.ts";
import {
  alignTier,
  isUnit,
  joinPlaces,
  listPlaces,
  PLACE_FIELDS,
  type PlaceField,
  type PlaceRates,
  type PricePlace,
  readDefault,
} from "./price-places.ts";
import type { Proposal } from "./verdict.ts";

interface PriceChange extends Pick<Proposal, "before" | "after" | "reason" | "moves"> {
  readonly price: Price;
  readonly verdict: "taken" | "waits" | "refused";
}

/** A price that rises or falls by a greater factor is accepted by a person or not at all. */
const MOVE_MAX = 2;
/** Rates whose ratios differ by no more have moved together. */
const RATIO_TOLERANCE = 0.001;
/** A rate that is off by this factor is in another unit. */
const SLIP_FACTOR = 100;
const DIGITS = 1e6;

interface PriceStep {
  readonly at: string;
  readonly field: PlaceField;
  readonly from: number | undefined;
  readonly to: number;
  /** False if ours is another rate's, because the model has none of its own. */
  readonly isOwn: boolean;
}

interface PriceComparison {
  readonly ours: readonly PricePlace[];
  readonly stated: readonly PricePlace[];
  /** All rates that the list states, whether they differ or not. */
  readonly steps: readonly PriceStep[];
}

/** Returns the change from our price to what the list states of it. Null if there is none. */
export function findPriceChange(ours: Price | null, stated: StatedPrice): PriceChange | null {
  const compared = compare(ours === null ? {} : (keepStated({ ...priceView(ours) }) ?? {}), stated);
  const steps = compared.steps.filter(({ from = 0, to }) => to !== from);
  if (steps.length === 0) return null;
  const ratio = ours === null ? null : findRatio(compared);
  const merged = joinPlaces(merge(compared, ratio));
  const change = {
    price: buildPrice(merged),
    before: ours === null ? null : steps.map(({ at, from }) => `${at} ${from ?? 0}`).join(", "),
    after: steps.map(({ at, to }) => `${at} ${to}`).join(", "),
    moves: findMove(steps),
  };
  const wrong = findWrong(ours, change.price, merged, steps);
  if (wrong !== null) return { ...change, verdict: "refused", reason: wrong };
  const reason = ours === null ? "it has no price yet" : findDoubt(compared, steps, ratio !== null);
  return { ...change, verdict: reason === null ? "taken" : "waits", reason };
}

function compare(view: PriceFields, price: StatedPrice): PriceComparison {
  const ours = listPlaces(view);
  const stated = listPlaces(price).map((place) => alignTier(place, ours));
  const usual = ours[0]?.rates ?? {};
  const steps = stated.flatMap(({ name, rates }) => {
    const known = ours.find((one) => one.name === name)?.rates ?? usual;
    return PLACE_FIELDS.flatMap((field): readonly PriceStep[] => {
      const to = rates[field];
      if (to === undefined) return [];
      const own = known[field];
      const at = name === "" ? field : `${name}: ${field}`;
      return [{ at, field, from: own ?? readDefault(field, known), to, isOwn: own !== undefined }];
    });
  });
  return { ours, stated, steps };
}

/** The ratio by which all stated rates move, if they do so together and input and output are among them, else null. */
function findRatio({ stated, steps }: PriceComparison): number | null {
  const { input, output } = stated[0]?.rates ?? {};
  const [first, ...others] = steps.filter(
    ({ field, from = 0, to }) => !isUnit(field) && (from > 0 || to > 0),
  );
  if (input === undefined || output === undefined || !first?.from) return null;
  const ratio = first.to / first.from;
  if (ratio > MOVE_MAX || ratio < 1 / MOVE_MAX || ratio === 1) return null;
  const isOne = others.every(({ from = 0, to }) => Math.abs(to / from / ratio - 1) <= RATIO_TOLERANCE);
  return isOne ? ratio : null;
}

/** Our places with what the list states in them. Other rates move by the ratio, or stay. */
function merge({ ours, stated }: PriceComparison, ratio: number | null): readonly PricePlace[] {
  const usual = ours[0]?.rates ?? {};
  const known = ours.map((place) => {
    const news = stated.find(({ name }) => name === place.name)?.rates ?? {};
    return { ...place, rates: mergeRates(ratio === null ? place.rates : scale(place.rates, ratio), news) };
  });
  const names = new Set(ours.map(({ name }) => name));
  const { input, output } = known[0]?.rates ?? usual;
  const added = stated.flatMap((place) =>
    names.has(place.name) ? [] : [{ ...place, rates: mergeRates({ input, output }, place.rates) }],
  );
  return [...known, ...added];
}

function scale(rates: PlaceRates, ratio: number): PlaceRates {
  return Object.fromEntries(
    PLACE_FIELDS.flatMap((field) => {
      const rate = rates[field];
      if (rate === undefined) return [];
      return [[field, isUnit(field) ? rate : Math.round(rate * ratio * DIGITS) / DIGITS]];
    }),
  );
}

/** Other rates default to these. */
function isBase(field: PlaceField): boolean {
  return field === "input" || field === "output";
}

/** Leaves out what a model has no rate of its own for and the list states as what applies anyway. */
function mergeRates(known: PlaceRates, stated: PlaceRates): PlaceRates {
  const given = PLACE_FIELDS.filter(
    (field) => stated[field] !== undefined && (known[field] !== undefined || isBase(field)),
  );
  const merged = { ...known, ...Object.fromEntries(given.map((field) => [field, stated[field]])) };
  const input = stated.input ?? merged.input;
  const output = stated.output ?? merged.output;
  const base = { ...merged, input, output, cache_write: stated.cache_write ?? merged.cache_write };
  const more = PLACE_FIELDS.filter(
    (field) =>
      stated[field] !== undefined && (merged[field] ?? readDefault(field, base) ?? 0) !== stated[field],
  );
  return { ...merged, ...Object.fromEntries(more.map((field) => [field, stated[field]])) };
}

/** Returns why a person has to look at it. Null if nobody has to. */
function findDoubt(compared: PriceComparison, steps: readonly PriceStep[], isScaled: boolean): string | null {
  const moved = isScaled ? steps.filter(({ field }) => isUnit(field)) : steps;
  const jumps = moved.filter(({ from = 0, to }) => to > from * MOVE_MAX || from > to * MOVE_MAX);
  const missing = isScaled ? [] : listUnstated(compared);
  const lacks = missing.length === 0 ? null : `the list doesn't state ${joinNames(missing)}`;
  if (jumps.length > 0) {
    const names = jumps.map(({ at }) => at);
    const verb = names.length === 1 ? "moves" : "move";
    const jump = `${joinNames(names)} ${verb} by more than a factor of ${MOVE_MAX}`;
    return lacks === null ? jump : `${jump}, and ${lacks}`;
  }
  return lacks && `${joinNames(steps.map(({ at }) => at))} moved, and ${lacks}`;
}

/** The rates of ours that the list says nothing about: they may have moved with those that it states. */
function listUnstated({ ours, stated }: PriceComparison): readonly string[] {
  return ours.flatMap(({ name, rates }) => {
    const place = stated.find((one) => one.name === name);
    if (place === undefined) return [name];
    const missing = PLACE_FIELDS.filter(
      (field) => !isUnit(field) && (rates[field] ?? 0) > 0 && place.rates[field] === undefined,
    );
    return missing.map((field) => (name === "" ? field : `${name}: ${field}`));
  });
}

const NAMED_MAX = 4;

function joinNames(names: readonly string[]): string {
  const more = names.length - NAMED_MAX;
  const shown = more > 0 ? [...names.slice(0, NAMED_MAX), `${more} more`] : names;
  return shown.length < 2 ? (shown[0] ?? "") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
}

function findWrong(
  ours: Price | null,
  price: Price,
  merged: PriceFields,
  steps: readonly PriceStep[],
): string | null {
  const zero = steps.find(({ from, to }) => to === 0 && (ours === null || (from ?? 0) > 0));
  if (zero) return `${zero.at} would be 0`;
  if (ours !== null && (isUnitMistake(price, ours) || steps.some(isSlip)))
    return `it differs by a factor of ${SLIP_FACTOR} or more`;
  return findPriceProblem(merged);
}

function isSlip({ from = 0, to, isOwn }: PriceStep): boolean {
  return isOwn && from > 0 && (to / from >= SLIP_FACTOR || from / to >= SLIP_FACTOR);
}

function findMove(steps: readonly PriceStep[]): PriceChange["moves"] {
  if (steps.every(({ from, to }) => from !== undefined && to > from)) return "rises";
  return steps.every(({ from, to }) => from !== undefined && to < from) ? "falls" : null;
}
