// The thread that works on catalogues and lists of prices: parsing megabytes would hold up requests.
import type { Proposal } from "../../catalogue/feeds/compare-feed.ts";
import { type FeedCause, FeedError } from "../../catalogue/feeds/feed.ts";
import type { NumberedList } from "../../catalogue/feeds/read-feed.ts";
import { type CatalogueFile, parseCatalogue } from "../../config/models/catalogue-file.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { FeedFormat } from "../../core/models/feed-format.ts";
import type { Settings } from "../../core/settings.ts";
import { compareList, writeAccepted } from "./catalogue-update.ts";

declare const self: Worker;

export interface CompareAsk {
  readonly kind: "compare";
  readonly text: string;
  readonly format: FeedFormat;
  readonly settings: Pick<Settings, "newerModels" | "overlay">;
  readonly nowMs: number;
}

/** Asks for the text of the catalogue file with these proposals in it. */
export interface WriteAsk {
  readonly kind: "write";
  readonly proposals: readonly Proposal[];
  readonly known: ReadonlyMap<string, ModelCard>;
  readonly newerModels: readonly ModelCard[];
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

/** All but `added` are of models that the catalogue has. */
interface CompareCounts {
  readonly compared: number;
  readonly taken: number;
  readonly waiting: number;
  readonly refused: number;
  /** Models that the catalogue doesn't have. */
  readonly added: number;
}

export interface ComparedList {
  readonly counts: CompareCounts;
  readonly proposals: readonly Proposal[];
  /** Null for a list without a number. */
  readonly list: NumberedList | null;
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
        return write(writeAccepted(ask, ask, () => true, ask.nowMs));
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

function write(text: string | null): CatalogueAnswer {
  return text === null
    ? { kind: "wrong", wrong: "nothing differs, so there is nothing to write", why: "value" }
    : { kind: "write", text };
}

function compare({ text, format, settings, nowMs }: CompareAsk): ComparedList {
  const { compared, proposals, known, list } = compareList(text, format, settings, nowMs);
  // Lists have hundreds of models that nobody here uses, in which a changed price would be lost.
  const ours = proposals.filter(({ id }) => known.has(id));
  const count = (verdict: string) => ours.filter((proposal) => proposal.verdict === verdict).length;
  const added = proposals.filter(({ adds }) => adds !== undefined).length;
  const verdicts = { taken: count("taken"), waiting: count("waits"), refused: count("refused") };
  return { counts: { compared, ...verdicts, added }, proposals, list };
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
