// Compares a list of prices with the catalogue, and takes what may be taken into the operator's catalogue file.
import { collectCards } from "../../catalogue/catalogue.ts";
import {
  acceptProposals,
  compareFeed,
  type FeedComparison,
  type Proposal,
} from "../../catalogue/feeds/compare-feed.ts";
import { FeedError } from "../../catalogue/feeds/feed.ts";
import { type NumberedList, readFeed } from "../../catalogue/feeds/read-feed.ts";
import { formatDay } from "../../catalogue/later-prices.ts";
import { writeCatalogueFile } from "../../catalogue/write-rows.ts";
import { parseCatalogue } from "../../config/models/catalogue-file.ts";
import { parseBounded } from "../../core/json/bounds.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { FeedFormat } from "../../core/models/feed-format.ts";
import type { Settings } from "../../core/settings.ts";
import { LIST_SHAPE } from "./list-bytes.ts";

type Basis = Pick<Settings, "newerModels" | "overlay">;

export interface ComparedFeed extends FeedComparison {
  readonly known: ReadonlyMap<string, ModelCard>;
  /** Null for a list without a number. */
  readonly list: NumberedList | null;
}
type Accepting = Pick<ComparedFeed, "proposals" | "known">;

/** Throws a FeedError that says why the list can't be used. */
export function compareList(text: string, format: FeedFormat, settings: Basis, nowMs: number): ComparedFeed {
  const known = collectCards([], settings.newerModels);
  const ids = new Map([...known.keys()].map((id) => [id.toLowerCase(), id]));
  const { rows, list } = readFeed(format, parseBounded(text, LIST_SHAPE), ids, nowMs);
  return { ...compareFeed(rows, { known, overlay: settings.overlay, nowMs }), known, list };
}

/**
 * Returns the text of the catalogue file with what is accepted, or null if there is no model to write. Models of the file that
 * don't change stay in it. Throws an Error if the gateway would refuse the file.
 */
export function writeAccepted(
  compared: Accepting,
  { newerModels = [] }: Pick<Basis, "newerModels">,
  isAccepted: (proposal: Proposal) => boolean,
  nowMs: number,
): string | null {
  const changed = acceptProposals(compared, compared.known, isAccepted);
  const cards = new Map([...newerModels.map((card) => [card.id, card] as const), ...changed]);
  if (cards.size === 0) return null;
  const text = writeCatalogueFile([...cards.values()], formatDay(nowMs));
  const read = parseCatalogue(text);
  if (typeof read === "string") throw new FeedError(read);
  return text;
}
