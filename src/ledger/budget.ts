// Budgets: a bound on the cost of an owner's free requests per day, held before each call and settled after it.
import type { Admission } from "../core/demand.ts";
import { Fault } from "../core/fault.ts";
import type { NanoUsd } from "../core/money.ts";
import { matchesAny } from "../core/pattern.ts";
import type { Meter } from "../core/rows.ts";
import type { OpenDay } from "./allowance.ts";
import { formatDuration } from "./duration.ts";
import { computeHoldTerms, type HoldTerms, type Room } from "./worst.ts";

const SHARE_ALONE = 1 / 4;

/**
 * A request without an output limit takes a quarter of the rest if nothing else is held, and less the more is held:
 * with $20 a day and $15 per million output tokens, all 200 requests of a day can run at once. Plain quarters would
 * leave nothing after thirty.
 */
function measureRoom(budgetNanoUsd: NanoUsd, { freeSpentNanoUsd, freeHeldNanoUsd }: Meter): Room {
  const unspent = Math.max(0, budgetNanoUsd - freeSpentNanoUsd);
  const nanoUsd = Math.max(0, unspent - freeHeldNanoUsd);
  const alone = unspent === 0 ? 0 : nanoUsd / unspent;
  return { nanoUsd, unnamedNanoUsd: Math.floor(nanoUsd * SHARE_ALONE * alone ** 2) };
}

/** The cards and the hold allowed for a free request (null if any), or the refusal. */
type FreeTerms =
  | { readonly kind: "free"; readonly terms: HoldTerms | null }
  | { readonly kind: "refused"; readonly fault: Fault };

/** Narrows a plan to the cards that the day's budget for free requests covers. */
export function computeFreeTerms(demand: Admission, day: OpenDay): FreeTerms {
  const { offers, quota, billing } = demand;
  const { models, budgetNanoUsd } = quota.free;
  const free = offers.filter(({ card }) => matchesAny(models, card));
  if (offers.length > 0 && free.length === 0) return { kind: "refused", fault: notFree(demand) };
  if (budgetNanoUsd === null) {
    const isBound = demand.isCapped || free.length < offers.length;
    return { kind: "free", terms: isBound ? coverUnheld(free) : null };
  }
  const terms = computeHoldTerms(free, measureRoom(budgetNanoUsd, day.meter), billing.markup);
  if (terms === null && offers.length > 0) return { kind: "refused", fault: budgetUsedUp(demand, day) };
  return { kind: "free", terms };
}

/** Cards that may be used without a hold, up to their own output limits. */
export function coverUnheld(offers: Admission["offers"]): HoldTerms {
  const limits = offers.map(({ card, outputTokensAsked, outputTokensMax }): [string, number] => [
    card,
    outputTokensAsked ?? outputTokensMax ?? Number.MAX_SAFE_INTEGER,
  ]);
  return { nanoUsd: 0, outputTokens: Object.fromEntries(limits) };
}

function notFree({ modelAsked }: Admission): Fault {
  const message =
    `The model '${modelAsked}' is not part of the free allowance, and the account's balance does not cover this ` +
    "request. Top up the account, or use another model.";
  return new Fault("model_not_allowed", message, { param: "model" });
}

function budgetUsedUp({ nowMs }: Admission, { resetsAtMs }: OpenDay): Fault {
  const waitMs = resetsAtMs - nowMs;
  const message =
    "The rest of the daily budget for free requests does not cover this request. " +
    `Set a smaller max_tokens, use a cheaper model, top up the account, or wait ${formatDuration(waitMs)}.`;
  return new Fault("budget_exceeded", message, { resetAtMs: resetsAtMs, retryAfterMs: waitMs });
}
