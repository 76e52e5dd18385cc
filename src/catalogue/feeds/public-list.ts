// The frame of the public lists of prices: each says which models it has, and how one is read.
import { FeedError, type FeedRow, type KnownIds, type StatedPrice } from "./feed.ts";

/** A model of a list: a row for each of our ids of it, none if the gateway doesn't know its provider. */
export type ListedModel = readonly { readonly id: string; readonly read: () => FeedRow }[];

export interface PublicList {
  /** Throws a FeedError if the value can't be the list. `today` decides which prices are still to come. */
  readonly listModels: (value: unknown, known: KnownIds, today: string) => readonly ListedModel[];
  /** The message for a value without models. */
  readonly empty: string;
}

/** Reads the models that the gateway may serve. Of several that are one of ours, the first counts. Throws a FeedError. */
export function readPublicList(
  { listModels, empty }: PublicList,
  value: unknown,
  known: KnownIds,
  today: string,
): readonly FeedRow[] {
  const models = listModels(value, known, today);
  if (models.length === 0) throw new FeedError(empty);
  const rows = new Map<string, FeedRow>();
  for (const { id, read } of models.flat()) {
    if (!rows.has(id)) rows.set(id, read());
  }
  return [...rows.values()];
}

/** Returns the rates with those for longer prompts. Null if there are no rates. */
export function addTiers(
  rates: StatedPrice | null,
  tiers: NonNullable<StatedPrice["tiers"]>,
): StatedPrice | null {
  return rates === null || tiers.length === 0 ? rates : { ...rates, tiers };
}
