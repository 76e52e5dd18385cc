// The thread that works on catalogues and lists of prices: parsing megabytes would hold up requests.
import { countWaiting, type WaitingCounts } from "../../catalogue/feeds/count-changes.ts";
import { type FeedCause, FeedError } from "../../catalogue/feeds/feed.ts";
import type { ReadFeed } from "../../catalogue/feeds/read-feed.ts";
import type { Proposal } from "../../catalogue/feeds/verdict.ts";
import { type CatalogueFile, parseCatalogue } from "../../config/models/catalogue-file.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { FeedFormat } from "../../core/models/feed-format.ts";
import { type CompareBasis, compareList, type TakenList, takeChanges } from "./catalogue-update.ts";

declare const self: Worker;

export interface CompareAsk {
  readonly kind: "compare";
  readonly text: string;
  readonly format: FeedFormat;
  readonly basis: CompareBasis;
  /** The names of the enabled providers. */
  readonly enabled: ReadonlySet<string>;
  readonly nowMs: number;
}

/** Asks for the text of the catalogue file with these proposals in it. */
export interface WriteAsk {
  readonly kind: "write";
  /** The file's text so far. Null if there is none. */
  readonly before: string | null;
  readonly accepted: readonly Proposal[];
  readonly list: TakenList;
  readonly nowMs: number;
}

interface ParseAsk {
  readonly kind: "parse";
  readonly text: string;
}

/** Asks for some of the cards of the file that was parsed last. */
interface CardsAsk {
  readonly kind: "cards";
  readonly from: number;
}

/** Each message gets one answer. */
export type CatalogueAsk = CompareAsk | WriteAsk | ParseAsk | CardsAsk;

export interface ComparedList extends Omit<ReadFeed, "rows"> {
  /** Those of the enabled providers: lists have hundreds of models that nobody here uses. */
  readonly counts: WaitingCounts;
  readonly proposals: readonly Proposal[];
}

/** `wrong` says why the list or the file can't be used. */
export type CatalogueAnswer =
  | { readonly kind: "compare"; readonly compared: ComparedList }
  | { readonly kind: "write"; readonly text: string }
  /** The cards are asked for: to take thousands at once would hold up requests, too. */
  | { readonly kind: "parse"; readonly found: Omit<CatalogueFile, "cards"> | string; readonly rows: number }
  | { readonly kind: "cards"; readonly cards: readonly ModelCard[] }
  | { readonly kind: "wrong"; readonly wrong: string; readonly why: FeedCause };

self.onmessage = ({ data }: MessageEvent<CatalogueAsk>) => {
  self.postMessage(answer(data));
};

function answer(ask: CatalogueAsk): CatalogueAnswer {
  try {
    switch (ask.kind) {
      case "compare":
        return { kind: "compare", compared: compare(ask) };
      case "write":
        return { kind: "write", text: takeChanges(ask.before, ask.accepted, ask.list, ask.nowMs) };
      case "parse":
        return parse(ask.text);
      case "cards":
        return { kind: "cards", cards: parsed.slice(ask.from, ask.from + CARDS_AT_ONCE) };
    }
  } catch (error) {
    if (error instanceof FeedError) return { kind: "wrong", wrong: error.message, why: error.why };
    throw error;
  }
}

function compare({ text, format, basis, enabled, nowMs }: CompareAsk): ComparedList {
  const { proposals, list, asOf } = compareList(text, format, basis, nowMs);
  return { counts: countWaiting(proposals, enabled), proposals, list, asOf };
}

/** The main thread reads that many in less than a millisecond. */
const CARDS_AT_ONCE = 40;
let parsed: readonly ModelCard[] = [];

function parse(text: string): CatalogueAnswer {
  try {
    const found = parseCatalogue(text);
    if (typeof found === "string") return { kind: "parse", found, rows: 0 };
    const { cards, ...about } = found;
    parsed = cards;
    return { kind: "parse", found: about, rows: cards.length };
  } catch (error) {
    return { kind: "parse", found: error instanceof Error ? error.message : String(error), rows: 0 };
  }
}
