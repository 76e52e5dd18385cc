// Asks a moderation model of the catalogue, whose verdict refuses texts but never changes them.

import { asNumber, asObject, type JsonObject } from "../../core/json/json.ts";
import type { HookTarget } from "../../core/models/hook.ts";
import type { NanoUsd } from "../../core/money/money.ts";
import type { Question } from "./protocol.ts";
import type { HookOutcome } from "./server.ts";

/** More texts than a request may have go in several, one after the other. */
const TEXTS_MAX = 2048;
const CATEGORIES_SHOWN = 5;

/** The verdicts on texts, in order, and their price with the markup. */
interface PricedVerdicts {
  readonly results: readonly unknown[];
  readonly nanoUsd: NanoUsd;
}

/** Returns null if there is no room for the question at the moment. Rejects if the model fails. */
export type Moderate = (
  model: string,
  texts: readonly string[],
  signal: AbortSignal,
) => Promise<PricedVerdicts | null>;

/** Never rejects. */
export async function askModel(
  moderate: Moderate,
  { model, threshold }: Extract<HookTarget, { kind: "moderation" }>,
  { texts }: Pick<Question, "texts">,
  signal: AbortSignal,
): Promise<HookOutcome> {
  let nanoUsd = 0;
  const end = (outcome: HookOutcome): HookOutcome =>
    nanoUsd === 0 ? outcome : { ...outcome, cost: { model, nanoUsd } };
  try {
    for (let at = 0; at < texts.length; at += TEXTS_MAX) {
      const part = texts.slice(at, at + TEXTS_MAX);
      const verdicts = await moderate(model, part, signal);
      if (verdicts === null)
        return end({ kind: "failed", reason: "there is no room at the model", lacksRoom: true });
      const { results, nanoUsd: price } = verdicts;
      nanoUsd += price;
      if (results.length !== part.length)
        return end({ kind: "failed", reason: "it did not judge every text" });
      for (const result of results) {
        const reason = findReason(asObject(result), threshold);
        if (reason !== null) return end({ kind: "blocked", reason });
      }
    }
    return end({ kind: "judged", texts, calls: new Map() });
  } catch (error) {
    const reason = error instanceof Error ? error.message : "the model could not be asked";
    return end({ kind: "failed", reason });
  }
}

/** Returns the categories for which a text is refused. Null if it passes. */
function findReason({ flagged, categories, category_scores: scores }: JsonObject, threshold: number | null) {
  const names =
    threshold === null
      ? Object.keys(asObject(categories)).filter((name) => asObject(categories)[name] === true)
      : Object.keys(asObject(scores)).filter((name) => (asNumber(asObject(scores)[name]) ?? 0) >= threshold);
  const isRefused = threshold === null ? flagged !== false : names.length > 0;
  if (!isRefused) return null;
  return names.length === 0 ? "flagged" : names.slice(0, CATEGORIES_SHOWN).join(", ");
}
