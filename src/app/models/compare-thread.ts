// The thread that compares a list of prices with the catalogue: parsing megabytes would hold up requests.
import type { Proposal } from "../../catalogue/feeds/compare-feed.ts";
import { FeedError } from "../../catalogue/feeds/feed.ts";
import type { FeedFormat } from "../../core/models/feed-format.ts";
import type { Settings } from "../../core/settings.ts";
import { compareList } from "./catalogue-update.ts";

declare const self: Worker;

/** The message that starts the thread. */
export interface CompareAsk {
  readonly text: string;
  readonly format: FeedFormat;
  readonly settings: Pick<Settings, "newerModels" | "overlay">;
  readonly nowMs: number;
}

/** All but `added` are of models that the catalogue has. */
export interface CompareCounts {
  readonly compared: number;
  readonly taken: number;
  readonly waiting: number;
  readonly refused: number;
  /** Models that the catalogue doesn't have. */
  readonly added: number;
}

/** `wrong` says why the list can't be used. */
export type CompareAnswer =
  | { readonly counts: CompareCounts; readonly proposals: readonly Proposal[] }
  | { readonly wrong: string };

self.onmessage = ({ data }: MessageEvent<CompareAsk>) => {
  self.postMessage(answer(data));
};

function answer({ text, format, settings, nowMs }: CompareAsk): CompareAnswer {
  try {
    const { compared, proposals, known } = compareList(text, format, settings, nowMs);
    // Lists have hundreds of models that nobody here uses, in which a changed price would be lost.
    const ours = proposals.filter(({ id }) => known.has(id));
    const count = (verdict: string) => ours.filter((proposal) => proposal.verdict === verdict).length;
    const added = proposals.filter(({ adds }) => adds !== undefined).length;
    const verdicts = { taken: count("taken"), waiting: count("waits"), refused: count("refused") };
    return { counts: { compared, ...verdicts, added }, proposals };
  } catch (error) {
    if (error instanceof FeedError) return { wrong: error.message };
    throw error;
  }
}
