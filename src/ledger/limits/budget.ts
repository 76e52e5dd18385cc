// Budgets: a bound on the cost of requests in a window, held before each call and settled after it. The one for an
// owner's free requests of a day is counted in the day's meter.

import type { Admission, Offer } from "../../core/demand.ts";
import { Fault } from "../../core/faults/fault.ts";
import type { Account, GatewayKey } from "../../core/keys/key.ts";
import { nameBudget } from "../../core/limits/budget.ts";
import type { NanoUsd } from "../../core/money/money.ts";
import { matchesAny } from "../../core/text/pattern.ts";
import { type OpenDay, resolveFreeBudget } from "../allowance.ts";
import { computeHoldTerms, type Fund, type HoldTerms, type Room } from "../worst.ts";
import { type BudgetRefusal, makeExceededFault, makeReservedFault } from "./limit-faults.ts";

const SHARE_ALONE = 1 / 4;
/** The usual time of free requests in flight. */
const FLIGHT_MS = 10_000;

/**
 * A request without an output limit takes a quarter of the rest if nothing else is held, and less the more is held:
 * with $20 a day and $15 per million output tokens, all 200 requests of a day can run at once. Plain quarters would
 * leave nothing after thirty.
 */
export function measureRoom(limitNanoUsd: NanoUsd, spentNanoUsd: NanoUsd, heldNanoUsd: NanoUsd): Room {
  const unspent = Math.max(0, limitNanoUsd - spentNanoUsd);
  const nanoUsd = Math.max(0, unspent - heldNanoUsd);
  const alone = unspent === 0 ? 0 : nanoUsd / unspent;
  return { nanoUsd, unnamedNanoUsd: Math.floor(nanoUsd * SHARE_ALONE * alone ** 2) };
}

/** The cards and the holds allowed for a free request, or the refusal. */
type FreeTerms =
  | { readonly kind: "free"; readonly terms: FreeHold }
  | { readonly kind: "refused"; readonly fault: Fault };

export interface FreeHold extends Pick<HoldTerms, "held"> {
  /** Null if the request's own limits hold. */
  readonly outputTokens: HoldTerms["outputTokens"] | null;
  /** The hold on the budget for free requests. Null without one. */
  readonly freeNanoUsd: NanoUsd | null;
}

interface Caller {
  readonly key: Pick<GatewayKey, "id" | "name">;
  readonly account: Pick<Account, "name" | "freeBudgetNanoUsd">;
  /** True if a larger balance would pay for the request. */
  readonly isPayable: () => boolean;
}

/** Narrows a plan to the cards that the day's budget for free requests covers, and the budgets of `funds`. */
export function computeFreeTerms(
  demand: Admission,
  offers: readonly Offer[],
  funds: readonly Fund[],
  caller: Caller,
  day: OpenDay,
): FreeTerms {
  const { quota, billing } = demand;
  const budgetNanoUsd = resolveFreeBudget(caller.account, quota);
  const free = listFree(offers, quota.free.models);
  if (offers.length > 0 && free.length === 0) return { kind: "refused", fault: notFree(demand, caller) };
  if (budgetNanoUsd === null) {
    const isBound = demand.isCapped === true || free.length < (demand.offers ?? offers).length;
    return { kind: "free", terms: { ...holdWith(free, funds, isBound, billing.markup), freeNanoUsd: null } };
  }
  const { freeSpentNanoUsd, freeHeldNanoUsd } = day.counted;
  const fund = { room: measureRoom(budgetNanoUsd, freeSpentNanoUsd, freeHeldNanoUsd) };
  const terms = computeHoldTerms(free, [...funds, fund], billing.markup);
  if (terms !== null) {
    return { kind: "free", terms: { ...terms, freeNanoUsd: terms.held[funds.length] ?? 0 } };
  }
  if (offers.length === 0) {
    return { kind: "free", terms: { held: [], outputTokens: null, freeNanoUsd: 0 } };
  }
  const alone = { room: measureRoom(budgetNanoUsd, freeSpentNanoUsd, 0) };
  const isReserved = computeHoldTerms(free, [alone], billing.markup) !== null;
  const refusal = describeRefusal(demand, caller, day, budgetNanoUsd);
  const makeFault = isReserved ? makeReservedFault : makeExceededFault;
  return { kind: "refused", fault: makeFault(refusal, demand.limits) };
}

function listFree(offers: readonly Offer[], models: readonly string[]): readonly Offer[] {
  return models.includes("*") ? offers : offers.filter(({ card }) => matchesAny(models, card));
}

/** Without a budget for free requests, the request's own limits hold unless other funds bind them. */
function holdWith(free: readonly Offer[], funds: readonly Fund[], isBound: boolean, markup: number) {
  if (funds.length > 0) return computeHoldTerms(free, funds, markup) ?? { held: [], outputTokens: {} };
  return { held: [], outputTokens: isBound ? coverUnheld(free) : null };
}

/** Cards that may be used without a hold, up to their own output limits. */
export function coverUnheld(offers: readonly Offer[]): HoldTerms["outputTokens"] {
  const limits = offers.map(({ card, outputTokensAsked, outputTokensMax }): [string, number] => [
    card,
    outputTokensAsked ?? outputTokensMax ?? Number.MAX_SAFE_INTEGER,
  ]);
  return Object.fromEntries(limits);
}

function notFree({ modelAsked }: Admission, { isPayable }: Caller): Fault {
  const why = isPayable()
    ? ", and the account's balance does not cover this request. Top up the account, or use another model."
    : ", and no balance can pay for this request. Use another model.";
  const message = `The model '${modelAsked}' is not part of the free allowance${why}`;
  return new Fault("model_not_allowed", message, { param: "model" });
}

function describeRefusal(
  { nowMs, quota }: Admission,
  { key, account, isPayable }: Caller,
  { meter, counted, resetsAtMs }: OpenDay,
  limitNanoUsd: NanoUsd,
): BudgetRefusal {
  const { models } = quota.free;
  return {
    owner:
      meter.owner === key.id ? { scope: "key", name: key.name } : { scope: "account", name: account.name },
    free: { isPayable: isPayable() },
    limitNanoUsd,
    endMs: resetsAtMs,
    nowMs,
    tookMs: FLIGHT_MS,
    name: nameBudget({ per: "day", models: models.includes("*") ? null : models }),
    spentNanoUsd: counted.freeSpentNanoUsd,
    heldNanoUsd: counted.freeHeldNanoUsd,
  };
}
