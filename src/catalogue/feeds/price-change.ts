// Compares a list's price with ours, and decides whether it may be taken without a person.
import type { Price } from "../../core/models/card.ts";
import { buildPrice, findPriceProblem, isUnitMistake, type PriceFields, priceView } from "../price.ts";
import { RATE_FIELDS, type RateFields } from "../rates.ts";
import { keepStated, type StatedPrice } from "./feed.ts";

/**
 * `taken` may be taken as it is, `waits` only if a person accepts it, and `refused` not at all, because it can't be
 * right.
 */
export type Verdict = "taken" | "waits" | "refused";

interface PriceChange {
  readonly price: Price;
  readonly before: string | null;
  readonly after: string;
  readonly verdict: Verdict;
  readonly reason: string | null;
  /** Null if some rates rise and others fall, or none was known. */
  readonly moves: "rises" | "falls" | null;
}

/** A price that moves by more is accepted by a person or not at all. */
const MOVE_MAX = 2;

type Fields = Partial<RateFields>;

interface Step {
  readonly at: string;
  readonly from: number | undefined;
  readonly to: number;
}

/** Returns the change from our price to what the list states of it. Null if there is none. */
export function findPriceChange(ours: Price | null, stated: StatedPrice): PriceChange | null {
  const view: PriceFields = ours === null ? {} : (keepStated({ ...priceView(ours) }) ?? {});
  const { tiers: statedTiers = [], ...rates } = stated;
  const usual = compareRates("", view, rates);
  const tiers = statedTiers.map(({ above_tokens: above, ...tier }) => {
    const known = view.tiers?.find((one) => one.above_tokens === above);
    return { above, known, steps: compareRates(`above ${above}: `, known ?? view, tier), tier };
  });
  const steps = [...usual, ...tiers.flatMap((tier) => tier.steps)];
  if (steps.length === 0) return null;
  const merged: PriceFields = { ...view, ...pick(rates, usual), ...mergeTiers(view, rates, tiers) };
  const isOpen = ours === null || hasUnstated(view, statedTiers, usual.length > 0);
  return judge(ours, merged, steps, isOpen);
}

function compareRates(at: string, ours: Fields, stated: Fields): readonly Step[] {
  return RATE_FIELDS.flatMap((field) => {
    const to = stated[field];
    const from = ours[field] ?? readDefault(field, ours);
    if (to === undefined || to === (from ?? 0)) return [];
    return [{ at: `${at}${field}`, from, to }];
  });
}

/** A rate that a model doesn't have is another of its rates. */
function readDefault(field: (typeof RATE_FIELDS)[number], ours: Fields): number | undefined {
  if (field === "cache_write_1h" || field === "cache_write_12h") return ours.cache_write ?? ours.input;
  const isOutput = field === "output" || field === "reasoning" || field.startsWith("output_");
  return isOutput ? ours.output : ours.input;
}

/** The rates that differ, but not a 0 for what a model doesn't charge for. */
function pick(stated: Fields, steps: readonly Step[]): Fields {
  const differing = new Set(steps.map(({ at }) => at));
  return Object.fromEntries(Object.entries(stated).filter(([field]) => differing.has(field)));
}

interface TierChange {
  readonly above: number;
  readonly tier: Fields;
  readonly steps: readonly Step[];
}

function mergeTiers(
  { tiers = [], ...usual }: PriceFields,
  stated: Fields,
  changes: readonly TierChange[],
): Pick<PriceFields, "tiers"> {
  const merged = new Map(tiers.map((tier) => [tier.above_tokens, tier]));
  for (const { above, tier, steps } of changes) {
    if (steps.length === 0) continue;
    const { input = usual.input ?? 0, output = usual.output ?? 0 } = { ...stated };
    const known = merged.get(above) ?? { above_tokens: above, input, output };
    merged.set(above, { ...known, ...tier });
  }
  return merged.size === 0 ? {} : { tiers: [...merged.values()] };
}

/** True if the list says nothing about other prices of ours, which may have moved with the one that it states. */
function hasUnstated(
  view: PriceFields,
  stated: NonNullable<StatedPrice["tiers"]>,
  hasMoved: boolean,
): boolean {
  if (!hasMoved) return false;
  if (view.hours !== undefined || view.service !== undefined) return true;
  return (view.tiers ?? []).some((tier) => !stated.some((one) => one.above_tokens === tier.above_tokens));
}

function judge(
  ours: Price | null,
  merged: PriceFields,
  steps: readonly Step[],
  isOpen: boolean,
): PriceChange {
  const price = buildPrice(merged);
  const moves = findMove(steps);
  const change = {
    price,
    before: ours === null ? null : steps.map(({ at, from }) => `${at} ${from ?? 0}`).join(", "),
    after: steps.map(({ at, to }) => `${at} ${to}`).join(", "),
    moves,
  };
  const wrong = findWrong(ours, price, merged, steps);
  if (wrong !== null) return { ...change, verdict: "refused", reason: wrong };
  const jump = steps.find(({ from = 0, to }) => to > from * MOVE_MAX || from > to * MOVE_MAX);
  if (ours === null) return { ...change, verdict: "waits", reason: "it has no price yet" };
  if (jump)
    return { ...change, verdict: "waits", reason: `${jump.at} moves by more than a factor of ${MOVE_MAX}` };
  if (isOpen) return { ...change, verdict: "waits", reason: "the list doesn't state all of its prices" };
  return { ...change, verdict: "taken", reason: null };
}

function findWrong(
  ours: Price | null,
  price: Price,
  merged: PriceFields,
  steps: readonly Step[],
): string | null {
  const zero = steps.find(({ from, to }) => to === 0 && (ours === null || (from ?? 0) > 0));
  if (zero) return `${zero.at} would be 0`;
  if (ours !== null && isUnitMistake(price, ours)) return "it differs by a factor of 100 or more";
  return findPriceProblem(merged);
}

function findMove(steps: readonly Step[]): PriceChange["moves"] {
  if (steps.every(({ from, to }) => from !== undefined && to > from)) return "rises";
  return steps.every(({ from, to }) => from !== undefined && to < from) ? "falls" : null;
}
