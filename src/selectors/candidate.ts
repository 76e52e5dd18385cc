// A model as a candidate for one request, as it is shown and logged.
import type { ModelCard } from "../core/models/card.ts";
import { SOURCES } from "../core/models/origin.ts";
import {
  type Estimates,
  estimateThought,
  estimateTokens,
  findWorkingShare,
  priceTokens,
  timeTokens,
} from "./estimates.ts";
import { QUALITY_MIN } from "./quality.ts";

export type Candidate = Readonly<ReturnType<typeof makeCandidate>>;

/**
 * `removedBy` is the reason why it can't serve: "denied", "rule:" and the rule's kind of task, "not_allowed", "unpriced",
 * "context", "image_urls", "file_urls", "unhealthy", "max_cost", "max_ms", or the missing capability ("tools" also if it can't be forced to call one). Null
 * if it can.
 */
export function makeCandidate(estimates: Estimates, place: number, removedBy: string | null) {
  const { asked } = estimates;
  const { table, learned, payer, shifts, prediction, cached } = asked;
  const row = estimates.rows[place] ?? 0;
  const card: ModelCard = estimates.cardAt(place);
  const quality = estimates.quality[place] ?? 0;
  const works = findWorkingShare(asked, row);
  const tokens = estimateTokens(asked, row);
  const doubt = estimates.doubtAt(place);
  /** An answer one standard deviation longer than expected is this many times as long. */
  const longer = Math.exp(learned.lengthSpreadOf(card.id, payer));
  const held = cached?.cardId === card.id ? cached.tokens : 0;
  const isPriced = card.price !== null;
  return {
    card,
    removedBy,
    quality,
    doubt,
    source: SOURCES[estimates.source[place] ?? 0] ?? "guess",
    /** The day of the newest score or of the benchmark, `YYYY-MM-DD`. Null for skills and guesses. */
    asOf: shifts.scoredOn(row) ?? table.profiles[row]?.asOf ?? null,
    changed: shifts.changed(row),
    eligible: removedBy === null,
    qualityLow: Math.min(quality, Math.max(QUALITY_MIN * works, quality - doubt)),
    level: estimates.level[place] ?? 0,
    /** Null if the card has no price. */
    costUsd: isPriced ? estimates.costAt(place) : null,
    latencyMs: estimates.latencyAt(place),
    costHighUsd: isPriced ? priceTokens(asked, row, held, tokens, longer) : null,
    latencyHighMs: timeTokens(asked, row, longer * (tokens.answer + tokens.thought)),
    /** The predicted length of the answer and its thinking, with which actual lengths are compared. */
    tokens: prediction.outputTokens + estimateThought(asked, row),
    score: estimates.score[place] ?? 0,
  };
}
