// The thinking of a conversation's history that the model wasn't shown: why, and how much of it, as rows and headers say.
import { parseReceived } from "../../json/bounds.ts";
import { shortenList } from "../../json/shorten.ts";

/**
 * The reasons for which thinking is left out. `prefix` to `other` are the provider's: it counts blocks. The last two are the
 * gateway's, which counts answers: `family` is thinking that only another family's models read, `refused` was left out after
 * the provider had answered 400.
 */
export const REMOVAL_REASONS = [
  "prefix",
  "model",
  "organization",
  "end_user",
  "turn_boundary",
  "other",
  "family",
  "refused",
] as const;
export type RemovalReason = (typeof REMOVAL_REASONS)[number];

export interface RemovedReasoning {
  readonly reason: RemovalReason;
  readonly count: number;
}

/** The most entries of a provider's list that are read. */
export const REMOVALS_MAX = 10_000;

/** Parses what has too much structure with that list. Returns undefined if it isn't JSON, or has too much without. */
export function parseShortened(text: string): unknown {
  return parseReceived(shortenRemovals(text));
}

/** Cuts the rest of a provider's list out of an answer or an event that has too much structure with it. */
export function shortenRemovals(text: string): string {
  return shortenList(text, "input_transformations", REMOVALS_MAX);
}

/**
 * Marks a request of which thinking was left out after a refusal, with the number of answers that had it. As a symbol, it
 * isn't part of any JSON.
 */
export const REFUSED_THINKING: unique symbol = Symbol("refused thinking");

/** Returns what was left out as rows and headers have it: `prefix=2,model=1`. */
function formatRemoved(removed: readonly RemovedReasoning[]): string {
  return removed.map(({ reason, count }) => `${reason}=${count}`).join(",");
}

/** Returns what a row says was left out. */
export function readRemoved(kept: string | null): RemovedReasoning[] {
  const counts = new Map(kept?.split(",").map((part) => splitPart(part)));
  return REMOVAL_REASONS.flatMap((reason) => {
    const count = Number(counts.get(reason) ?? 0);
    return count > 0 ? [{ reason, count }] : [];
  });
}

function splitPart(part: string): readonly [string, string] {
  const [reason = "", count = ""] = part.split("=");
  return [reason, count];
}

/**
 * Returns the reasons of a provider with the gateway's own: the numbers of answers whose thinking another family made, or was
 * refused.
 */
export function describeRemoved(
  removed: readonly RemovedReasoning[],
  foreign: number,
  refused: number,
): string {
  const own = [
    { reason: "family", count: foreign },
    { reason: "refused", count: refused },
  ] as const;
  return formatRemoved([...removed, ...own.filter(({ count }) => count > 0)]);
}
