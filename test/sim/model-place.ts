// The auditor's own choice of who pays for a request: the allowance, the balance or the throttle.
import type { Admission, Offer } from "../../src/core/demand.ts";
import type { GatewayKey } from "../../src/core/keys/key.ts";
import type { ModelDays } from "./model-days.ts";
import { computeHolds, findAffordable, isCovered, type ModelFund } from "./model-money.ts";
import type { ModelAccount, ModelPlace } from "./model-rows.ts";
import { nextDay, ownDay } from "./own-days.ts";
import type { Scenario } from "./scenario.ts";

interface Books {
  readonly days: ModelDays;
  readonly scenario: Scenario;
  readonly account: ModelAccount;
}

export interface Placed {
  readonly place: ModelPlace;
  readonly nano: bigint;
  /** By fund. */
  readonly held: ReadonlyMap<string, bigint>;
}

/** Returns the place and the holds of a request that its limits let in, or the reason for a refusal. */
export function placeRequest(
  { days, scenario, account }: Books,
  demand: Admission,
  key: GatewayKey,
  offers: readonly Offer[],
  funds: readonly ModelFund[],
): Placed | string {
  const { quota, billing } = scenario;
  const { nowMs, answers } = demand;
  const isShared = quota.scope === "account" && key.requestsPerDay === "default";
  const owner = isShared ? key.accountId : key.id;
  const today = ownDay(nowMs, quota);
  const day = days.meters.has(`${owner} ${nextDay(today)}`) ? nextDay(today) : today;
  const meter = days.meter(owner, day);
  const limit = key.requestsPerDay === "default" ? quota.requestsPerDay : key.requestsPerDay;
  const giveBackMax = billing.charge === "always" || limit === null || limit === 0 ? 200 : limit;
  const none = { owner, day, places: 0, slots: 0, taken: null, previous: null, giveBackMax, free: null };
  const payment = () => {
    const held = findAffordable(demand, offers, funds, account, scenario);
    const place = { kind: "balance", ...none } as const;
    return held === null ? null : { place, nano: held.get("balance") ?? 0n, held };
  };
  if (billing.charge === "always") {
    if (!isCovered(demand)) return "refused: model_not_priced";
    return payment() ?? "refused: insufficient_balance";
  }
  if (limit === null) {
    const held = computeHolds(offers, funds, scenario) ?? new Map();
    return { place: { kind: "unlimited", ...none }, nano: 0n, held };
  }
  const previous = days.slots.get(owner) ?? null;
  const lastAtMs = Math.max(meter.used > 0 ? meter.lastAtMs : 0, previous?.atMs ?? 0);
  const hasPlace = meter.used < limit;
  const hasSlot = quota.throttleMs > 0 && nowMs >= lastAtMs + quota.throttleMs;
  const isUnbound = quota.free.budgetNanoUsd === null && quota.free.models.includes("*");
  // Only a request that is free whatever it costs may not have been asked what that is.
  if (demand.offers === null && !(hasPlace && isUnbound && funds.length === 0)) return "lacking";
  const free =
    hasPlace || hasSlot ? days.free(demand.offers && offers, funds, meter) : "refused: rate_limit_exceeded";
  if (typeof free === "string" || !hasPlace) {
    const paid = account.balance > 0n ? payment() : null;
    if (paid) return paid;
    if (typeof free === "string") return free;
  }
  const places = Math.min(answers, Math.max(0, limit - meter.used));
  const slots = quota.throttleMs > 0 ? answers - places : 0;
  // The first slot is now, or after the places taken now and all earlier slots.
  const firstMs = places > 0 ? Math.max(nowMs, previous?.atMs ?? 0) + quota.throttleMs : nowMs;
  const taken = slots > 0 ? { atMs: firstMs + (slots - 1) * quota.throttleMs, by: demand.id } : null;
  const kind = places > 0 ? "allowance" : "throttle";
  const took = { places, slots, taken, previous: taken ? previous : null };
  return { place: { kind, ...none, ...took, free: free.free }, nano: 0n, held: free.held };
}
