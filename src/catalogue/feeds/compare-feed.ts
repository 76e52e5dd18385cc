// Compares a list of prices with the catalogue, row by row: what would change, and what may change by itself.
import { CHAT_ONLY, type LaterPrice, type ModelCard } from "../../core/models/card.ts";
import type { ModelOverlay } from "../../core/settings.ts";
import { matchesAny } from "../../core/text/pattern.ts";
import {
  applyPrices,
  buildLaterPrices,
  findLaterProblem,
  formatDay,
  type LaterPriceFields,
  viewLaterPrices,
} from "../later-prices.ts";
import { priceView } from "../price.ts";
import type { RateFields } from "../rates.ts";
import { listEnds, proposeEnd, type Reliance } from "./ends.ts";
import type { FeedRow } from "./feed.ts";
import { proposeLimits } from "./limits.ts";
import { proposeModel } from "./new-models.ts";
import { findPriceChange } from "./price-change.ts";
import { markOlder, type Proposal } from "./verdict.ts";

export interface FeedComparison {
  /** The models of the catalogue that the list has too. */
  readonly listed: readonly string[];
  /** Those of new models first. */
  readonly proposals: readonly Proposal[];
}

export interface FeedBasis {
  /** The catalogue's cards by id, without the configuration's own changes. */
  readonly known: ReadonlyMap<string, ModelCard>;
  /** The configuration's changes: what it states isn't proposed. */
  readonly overlay: readonly ModelOverlay[];
  /** The models that the configuration states whole. */
  readonly operatorIds: ReadonlySet<string>;
  /** Patterns of models for which nothing is proposed. */
  readonly ignore: readonly string[];
  readonly reliances: readonly Reliance[];
  /** True for a list in our own form. */
  readonly isOwn: boolean;
  /** The day of the built-in rows. */
  readonly builtInDay: string;
  readonly nowMs: number;
}

export function compareFeed(rows: readonly FeedRow[], basis: FeedBasis): FeedComparison {
  const { known, operatorIds, ignore, nowMs, isOwn } = basis;
  const changes = new Map(basis.overlay.map((change) => [change.id, change]));
  const providers = new Set([...known.values()].map(({ provider }) => provider));
  const ends = listEnds(known, rows, isOwn);
  const proposals = rows.flatMap((row) => {
    if (operatorIds.has(row.id) || matchesAny(ignore, row.id)) return [];
    const card = known.get(row.id);
    if (!card) return proposeModel(row, { providers, nowMs });
    return compareRow(card, row, changes.get(row.id), { ...basis, ends });
  });
  return {
    listed: rows.flatMap(({ id }) => (known.has(id) ? [id] : [])),
    proposals: [...proposals.filter(({ isNew }) => isNew), ...proposals.filter(({ isNew }) => !isNew)],
  };
}

function compareRow(
  card: ModelCard,
  row: FeedRow,
  own: ModelOverlay | undefined,
  basis: FeedBasis & { readonly ends: ReadonlyMap<string, string> },
): readonly Proposal[] {
  const asOf = row.asOf ?? formatDay(basis.nowMs);
  const now = applyPrices(card, basis.nowMs);
  const price = own?.price === undefined ? proposePrice(now, row) : null;
  const isRepriced = price !== null && price.verdict !== "refused";
  const later = { now, kept: (isRepriced ? now : card).laterPrices ?? [] };
  const found = [
    price,
    own?.price === undefined && own?.laterPrices === undefined ? proposeLater(later, row) : null,
    own?.shutdownDate === undefined ? proposeEnd(card, row, basis) : null,
    ...proposeLimits(card, row, own),
  ].flatMap((proposal) => proposal ?? []);
  return asOf < basis.builtInDay ? found.map((proposal) => markOlder(proposal, asOf)) : found;
}

/** `laterPrices` are those still to come: one that applies by now would hide the new price. */
function proposePrice(
  { id, price: ours, laterPrices = [] }: ModelCard,
  { price: stated }: FeedRow,
): Proposal | null {
  const change = stated === null ? null : findPriceChange(ours, stated);
  if (change === null) return null;
  const { price, ...rest } = change;
  return { id, field: "price", ...rest, isNew: false, card: { price, laterPrices } };
}

interface AnnouncedPrices {
  /** The card with the price that applies by now, and those still to come. */
  readonly now: ModelCard;
  /** The announced prices beside which new ones are written. */
  readonly kept: readonly LaterPrice[];
}

/** Announced prices of days of which the catalogue knows nothing, or another price in a list of our own form. */
function proposeLater(
  { now: card, kept }: AnnouncedPrices,
  { laterPrices: stated, card: theirs }: FeedRow,
): Proposal | null {
  const known = new Map(viewLaterPrices(card).map((one) => [one.from, JSON.stringify(one)]));
  const isKnown = (one: FeedRow["laterPrices"][number]) =>
    theirs === undefined ? known.has(one.from) : known.get(one.from) === JSON.stringify(one);
  const news = stated.filter((one) => !isKnown(one));
  if (news.length === 0 || card.price === null) return null;
  const usual = priceView(card.price);
  const fields: readonly LaterPriceFields[] = news.map(({ tiers = [], ...one }) => ({
    ...completeRates(one, usual),
    ...(tiers.length === 0 ? {} : { tiers: tiers.map((tier) => completeRates(tier, usual)) }),
  }));
  const wrong = findLaterProblem(fields, card.operations ?? CHAT_ONLY)?.message ?? null;
  const later = wrong === null ? buildLaterPrices(fields) : [];
  const days = new Set(later.map(({ fromMs }) => fromMs));
  const others = kept.filter(({ fromMs }) => !days.has(fromMs));
  const isFree = fields.some(({ input, output }) => input === 0 || output === 0);
  return {
    id: card.id,
    field: "later_prices",
    before: null,
    after: fields
      .map(({ from, input, output }) => `from ${from}: input ${input}, output ${output}`)
      .join("; "),
    verdict: wrong !== null || isFree ? "refused" : "waits",
    reason: wrong ?? (isFree ? "a rate would be 0" : "it begins later"),
    moves: null,
    isNew: false,
    card: { laterPrices: [...others, ...later].toSorted((one, other) => one.fromMs - other.fromMs) },
  };
}

function completeRates<Fields extends Partial<RateFields>>(stated: Fields, usual: RateFields) {
  return { ...stated, input: stated.input ?? usual.input, output: stated.output ?? usual.output };
}
