// Compares a list of prices with the catalogue, and takes what is accepted into the operator's catalogue file.
import { collectCards } from "../../catalogue/catalogue.ts";
import { SHIPPED_DAY } from "../../catalogue/feeds/as-of.ts";
import { compareFeed, type FeedBasis, type FeedComparison } from "../../catalogue/feeds/compare-feed.ts";
import { listReliances } from "../../catalogue/feeds/ends.ts";
import { FeedError } from "../../catalogue/feeds/feed.ts";
import { checkOrder } from "../../catalogue/feeds/list-order.ts";
import { type ReadFeed, readFeed } from "../../catalogue/feeds/read-feed.ts";
import type { Proposal } from "../../catalogue/feeds/verdict.ts";
import { loadBuiltInRows } from "../../catalogue/file/built-in.ts";
import { takeIntoFile } from "../../catalogue/file/take.ts";
import { writeCatalogueContent } from "../../catalogue/file/write.ts";
import { formatDay } from "../../catalogue/later-prices.ts";
import { parseCatalogue, readCatalogueContent } from "../../config/models/catalogue-file.ts";
import { parseBounded } from "../../core/json/bounds.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { FeedFormat } from "../../core/models/feed-format.ts";
import type { Settings } from "../../core/settings.ts";
import { LIST_SHAPE } from "./list-bytes.ts";

/** The operator's part of what a list is compared with. */
export interface CompareBasis extends Pick<FeedBasis, "overlay" | "operatorIds" | "ignore" | "reliances"> {
  readonly newerModels: readonly ModelCard[];
}

type ComparedSettings = Pick<
  Settings,
  "newerModels" | "overlay" | "operatorModels" | "aliases" | "catalogueWatch"
>;

export function readBasis(settings: ComparedSettings): CompareBasis {
  const { newerModels = [], overlay, operatorModels, catalogueWatch } = settings;
  return {
    newerModels,
    overlay,
    operatorIds: new Set(operatorModels.map(({ id }) => id)),
    ignore: catalogueWatch?.ignore ?? [],
    reliances: listReliances(settings),
  };
}

export interface ComparedFeed extends FeedComparison, Omit<ReadFeed, "rows"> {
  readonly known: ReadonlyMap<string, ModelCard>;
}

/** Throws a FeedError that says why the list can't be used. */
export function compareList(
  text: string,
  format: FeedFormat,
  { newerModels, ...basis }: CompareBasis,
  nowMs: number,
): ComparedFeed {
  const known = collectCards([], newerModels);
  const ids = new Map([...known.keys()].map((id) => [id.toLowerCase(), id]));
  const { rows, ...head } = readFeed(format, parseBounded(text, LIST_SHAPE), ids, nowMs);
  const isOwn = format === "poundkey";
  const compared = compareFeed(rows, { ...basis, known, isOwn, builtInDay: SHIPPED_DAY, nowMs });
  return { ...compared, ...head, known };
}

/** The list that changes are taken from. */
export interface TakenList extends Pick<ReadFeed, "asOf"> {
  /** Null for a list without a number. */
  readonly serial: number | null;
  readonly format: FeedFormat;
  readonly sha256: string;
  /** True if a person takes it although it is older than the last one. */
  readonly mayBeOlder?: boolean;
}

/**
 * Returns the text of the catalogue file with what is accepted, and with the list as the last one that was gone through.
 * `before` is the file's text so far, null if there is none. Throws a FeedError if the gateway would refuse the file, or if the
 * file has gone through a newer list.
 */
export function takeChanges(
  before: string | null,
  accepted: readonly Proposal[],
  list: TakenList,
  nowMs: number,
): string {
  const content = before === null ? { rows: [] } : readCatalogueContent(before);
  if (typeof content === "string") throw new FeedError(content);
  const { format, serial, sha256, asOf, mayBeOlder = false } = list;
  const on = asOf ?? formatDay(nowMs);
  const rules = { last: content.list, pin: undefined, builtInDay: null, mayBeOlder };
  if (serial !== null) checkOrder({ serial, asOf: on, sha256 }, rules);
  const passed = { asOf: on, ...(serial === null ? {} : { serial, sha256 }) };
  const from = `${format} ${serial ?? on}`;
  const text = writeCatalogueContent(
    takeIntoFile(content, accepted, { from, on, list: passed }, loadBuiltInRows()),
  );
  const read = parseCatalogue(text);
  if (typeof read === "string") throw new FeedError(read);
  return text;
}
