// The ledger's decisions as one pure function: rows and demands in, answers and the rows to write out.
import { Fault } from "../core/fault.ts";
import { type GatewayKey, invalidKey, isLive } from "../core/key.ts";
import type { RequestRecord, Tokens } from "../core/record.ts";
import {
  type Admission,
  type Answer,
  type Decision,
  type Demand,
  type Meter,
  meterIdOf,
  type Place,
  type Rows,
  type Settlement,
  type Slot,
  type UsageSum,
} from "../core/store.ts";
import { type Counts, limitOf, limitsOf, type Standing, standingOf, usedUp } from "./allowance.ts";

const HOUR_MS = 3_600_000;

/** The rows as the demands before this one, in the same batch, have left them. */
interface Work extends Counts {
  readonly rows: Rows;
  readonly meters: Map<string, Meter>;
  readonly slots: Map<string, Slot>;
  readonly requests: Map<string, RequestRecord>;
  readonly usage: Map<string, UsageSum>;
}

function workOn(rows: Rows): Work {
  const meters = new Map<string, Meter>();
  const slots = new Map<string, Slot>();
  return {
    rows,
    meters,
    slots,
    requests: new Map(),
    usage: new Map(),
    meter: (id) => meters.get(id) ?? rows.meters.get(id) ?? null,
    slot: (owner) => slots.get(owner) ?? rows.slots.get(owner) ?? null,
  };
}

/** Decides a batch in the order given: each demand sees what those before it did. */
export function decide(rows: Rows, demands: readonly Demand[]): Decision {
  const work = workOn(rows);
  const answers = demands.map((demand) => answer(work, demand));
  return {
    answers,
    meters: [...work.meters.values()],
    slots: [...work.slots.values()],
    requests: [...work.requests.values()],
    usage: [...work.usage.values()],
  };
}

function answer(work: Work, demand: Demand): Answer {
  switch (demand.kind) {
    case "admit":
      return admit(work, demand);
    case "settle":
      return settle(work, demand);
  }
}

function admit(work: Work, demand: Admission): Answer {
  const key = work.rows.keys.get(demand.keyId) ?? null;
  if (key === null || !isLive(key, demand.nowMs)) return { kind: "refused", fault: invalidKey() };
  if (demand.billing.charge === "always") return { kind: "refused", fault: unpaid() };
  const limit = limitOf(key, demand.quota);
  if (limit === null) return { kind: "granted", place: { kind: "unlimited" }, limits: null };
  return takePlace(work, demand, key, limit);
}

function takePlace(work: Work, demand: Admission, key: GatewayKey, limit: number): Answer {
  const { id, nowMs, quota } = demand;
  const standing = standingOf(work, key, limit, quota, nowMs);
  if (standing.meter.used < limit) {
    return {
      kind: "granted",
      place: takeAllowance(work, standing, nowMs),
      limits: limitsOf(standing, 1, nowMs),
    };
  }
  if (standing.slotAtMs !== null && standing.slotAtMs <= nowMs) {
    return {
      kind: "granted",
      place: takeSlot(work, standing, id, nowMs),
      limits: limitsOf(standing, 0, nowMs),
    };
  }
  return { kind: "refused", fault: usedUp(standing, quota, nowMs) };
}

function takeAllowance(work: Work, { meter }: Standing, nowMs: number): Place {
  const { owner, day, used } = meter;
  const lastAtMs = Math.max(meter.lastAtMs, nowMs);
  work.meters.set(meterIdOf(owner, day), { owner, day, used: used + 1, lastAtMs });
  return { kind: "allowance", owner, day };
}

function takeSlot(work: Work, { slot }: Standing, id: string, nowMs: number): Place {
  const { owner, taken: previous } = slot;
  const taken = { atMs: nowMs, by: id };
  work.slots.set(owner, { owner, taken });
  return { kind: "throttle", owner, taken, previous };
}

function unpaid(): Fault {
  const message =
    "Every request is paid for here, and the account's balance does not cover this one. Top it up.";
  return new Fault("insufficient_balance", message);
}

function settle(work: Work, { record, giveBack }: Settlement): Answer {
  if (work.rows.requests.has(record.id) || work.requests.has(record.id)) return { kind: "settled" };
  work.requests.set(record.id, record);
  addUsage(work.usage, record);
  if (giveBack !== null) putBack(work, giveBack);
  return { kind: "settled" };
}

function putBack(work: Work, place: Place): void {
  switch (place.kind) {
    case "allowance": {
      const id = meterIdOf(place.owner, place.day);
      const meter = work.meter(id);
      if (meter) work.meters.set(id, { ...meter, used: Math.max(0, meter.used - 1) });
      return;
    }
    case "throttle": {
      const slot = work.slot(place.owner);
      if (slot?.taken?.by === place.taken.by) work.slots.set(place.owner, { ...slot, taken: place.previous });
      return;
    }
    case "unlimited":
      return;
  }
}

/** A request that no model answered uses nothing, so it is in the log alone. */
function addUsage(usage: Map<string, UsageSum>, record: RequestRecord): void {
  const { accountId, keyId, modelUsed: model, costNanoUsd, chargedNanoUsd } = record;
  if (model === null) return;
  const hourMs = Math.floor(record.atMs / HOUR_MS) * HOUR_MS;
  const id = JSON.stringify([hourMs, accountId, keyId, model]);
  const sum = usage.get(id);
  usage.set(id, {
    hourMs,
    accountId,
    keyId,
    model,
    requests: (sum?.requests ?? 0) + 1,
    tokens: sum ? addTokens(sum.tokens, record.tokens) : record.tokens,
    costNanoUsd: (sum?.costNanoUsd ?? 0) + costNanoUsd,
    chargedNanoUsd: (sum?.chargedNanoUsd ?? 0) + chargedNanoUsd,
  });
}

function addTokens(a: Tokens, b: Tokens): Tokens {
  return {
    prompt: a.prompt + b.prompt,
    completion: a.completion + b.completion,
    cached: a.cached + b.cached,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    reasoning: a.reasoning + b.reasoning,
    searches: a.searches + b.searches,
  };
}
