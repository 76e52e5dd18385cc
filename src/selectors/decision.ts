// A selector's decision as the log keeps it: enough to explain it, to repeat it, and to learn from a score.

import { asArray, asNumber, asString, isObject, type JsonObject } from "../core/json/json.ts";
import type { ModelCard } from "../core/models/card.ts";
import { SOURCES } from "../core/models/origin.ts";
import type { Candidate } from "./candidate.ts";
import type { Choice } from "./choose.ts";
import { SELECTOR_RULES } from "./index.ts";
import { viewBasis, viewFeatures, viewStays } from "./route-view.ts";
import { packRow } from "./row.ts";
import { findChampion, rankAll, type SelectorRule } from "./selector.ts";

/** Stored as JSON in the request's row. */
export type KeptDecision = Readonly<ReturnType<typeof keepDecision>>;
type KeptCandidate = ReturnType<typeof keepCandidate>;

/**
 * `share` is the share of the best quality that was asked for, 0…1. `tried` is the model tried instead of the choice,
 * if any.
 */
export function keepDecision(choice: Choice, share: number, tried: ModelCard | null = null) {
  const { ask, prediction } = choice.asked;
  return {
    /** The rule that chose: for side calls not the selector that was asked for. */
    selector: choice.rule.name,
    side_call: choice.sideCall,
    share,
    /** The share of the best quality that the selector promises to keep. */
    promised: choice.rule.findPromisedShare(ask),
    choice: (tried ?? choice.choice)?.id ?? null,
    /** The original choice, if another model was tried instead. */
    instead_of: tried && (choice.choice?.id ?? null),
    why: choice.why,
    pinned: choice.pinned,
    stays: choice.stays && viewStays(choice.stays),
    features: viewFeatures(choice),
    basis: viewBasis(choice),
    // Unrounded, because a decision is repeated from these.
    difficulty: ask.difficulty,
    likeness: ask.likeness,
    taught: ask.isTaught,
    margin: ask.margin,
    usual_cost_usd: ask.usualCostUsd,
    cost_weight: ask.costWeight,
    time_weight: ask.timeWeight,
    /** The request's row of numbers, for learning. */
    row: packRow(prediction.row),
    candidates: selectKept(choice, tried).map(keepCandidate),
    removed: choice.removed,
  };
}

function keepCandidate(one: Candidate) {
  return {
    model: one.card.id,
    created: one.card.created,
    quality: one.quality,
    quality_low: one.qualityLow,
    doubt: one.doubt,
    source: one.source,
    source_date: one.asOf,
    changed: one.changed,
    level: one.level,
    cost_usd: one.costUsd,
    latency_ms: one.latencyMs,
    cost_usd_high: one.costHighUsd,
    latency_ms_high: one.latencyHighMs,
    tokens: one.tokens,
    score: one.score,
  };
}

function selectKept(choice: Choice, tried: ModelCard | null): readonly Candidate[] {
  const cards = new Set(choice.foremost.map(({ card }) => card));
  if (tried === null || cards.has(tried)) return choice.foremost;
  return choice.candidates.filter(({ card }) => card === tried || cards.has(card));
}

/** Repeats a logged decision and compares the choices. Null if it isn't a decision of one of these selectors. */
export function replayDecision(
  kept: unknown,
  selectors: readonly SelectorRule[] = Object.values(SELECTOR_RULES),
): { readonly choice: string | null; readonly same: boolean } | null {
  if (!isObject(kept)) return null;
  const selector = selectors.find(({ name }) => name === kept.selector);
  const { choice, pinned, instead_of: usual } = kept;
  const [share, difficulty, likeness] = [kept.share, kept.difficulty, kept.likeness].map(asNumber);
  if (!selector || share === undefined || difficulty === undefined || likeness === undefined) return null;
  const able = readColumns(asArray(kept.candidates).filter(isObject));
  const ask = {
    share,
    difficulty,
    likeness,
    isTaught: kept.taught === true,
    margin: asNumber(kept.margin) ?? 0,
    usualCostUsd: asNumber(kept.usual_cost_usd) ?? 0,
    costWeight: asNumber(kept.cost_weight) ?? null,
    timeWeight: asNumber(kept.time_weight) ?? null,
  };
  const [place] = rankAll(selector, able, ask, 1).first;
  const first = place === undefined ? null : able.cardAt(place).id;
  const found = typeof pinned === "string" || kept.stays === true || isObject(kept.stays) ? choice : first;
  // Trying a model is random, so the original choice is repeated instead.
  const again = typeof usual === "string" && found === usual ? choice : found;
  return { choice: typeof again === "string" ? again : null, same: again === choice };
}

function readColumns(kept: readonly JsonObject[]) {
  const column = (field: keyof KeptCandidate) => Float64Array.from(kept, (one) => asNumber(one[field]) ?? 0);
  const ids = kept.map(({ model }) => asString(model) ?? "");
  const created = column("created");
  const cardAt = (place: number) => ({ id: ids[place] ?? "", created: created[place] ?? 0 });
  const level = column("level");
  const costUsd = column("cost_usd");
  const latencyMs = column("latency_ms");
  const doubt = column("doubt");
  // Decisions logged before sources were kept are of benchmarks mostly.
  const source = Uint8Array.from(kept, (one) => readSource(one.source ?? "benchmark"));
  return {
    source,
    doubtAt: (place: number) => doubt[place] ?? 0,
    cardAt,
    level,
    champion: findChampion({ level, cardAt }),
    quality: column("quality"),
    costAt: (place: number) => costUsd[place] ?? 0,
    latencyAt: (place: number) => latencyMs[place] ?? 0,
    score: new Float64Array(kept.length),
  };
}

function readSource(name: unknown): number {
  const names: readonly unknown[] = SOURCES;
  return Math.max(0, names.indexOf(name));
}
