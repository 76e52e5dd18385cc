// Carries what a key has used to another account; what its requests in flight hold stays, and comes after them.
import type { Carry, KeyCounts } from "../core/keys/key-move.ts";
import { type BudgetUse, type Minute, PART_MS } from "../core/limits/limit.ts";
import { type Meter, makeOwnerState, type OwnerState, type Spend } from "../core/rows.ts";
import { makeMeter } from "./allowance.ts";
import { countOf, runMinute } from "./limits/minute.ts";

/**
 * Requests are settled in the account that admitted them, so `parallel` and everything held stays there. The used
 * part is added to the other account's counts, and starts at zero here.
 */
export const carryCounts: Carry = (from, to) => {
  const days = new Set(from.meters.map(({ day }) => day));
  const leftOn = (meter: Meter) => Math.min(meter.used, countOpen(from, meter));
  return {
    from: {
      ...from,
      state: from.state && leaveState(from.state),
      meters: from.meters.map((meter) => leaveMeter(meter, leftOn(meter))),
      spend: from.spend && { ...from.spend, spentNanoUsd: 0 },
    },
    to: {
      ...to,
      state: from.state
        ? joinState(from.state, to.state ?? makeOwnerState(to.accountId, to.keyId))
        : to.state,
      meters: [
        ...from.meters.map((meter) => joinMeter({ ...meter, used: meter.used - leftOn(meter) }, to)),
        ...to.meters.filter(({ day }) => !days.has(day)),
      ],
      spend: from.spend ? joinSpend(from.spend, to) : to.spend,
    },
  };
};

function leaveState(state: OwnerState): OwnerState {
  const { minute, budgets } = state;
  return {
    ...state,
    taken: null,
    minute: minute && {
      ...minute,
      requests: minute.requests.map(zero),
      tokens: minute.tokens.map(zero),
      ...(minute.models ? { models: [] } : {}),
    },
    budgets: budgets?.map(leaveUse) ?? null,
  };
}

const zero = () => 0;

function leaveUse(use: BudgetUse): BudgetUse {
  return { ...use, spentNanoUsd: 0, extraUsedNanoUsd: 0, extraUntilMs: null };
}

/** Places that may still come back stay. */
function leaveMeter(meter: Meter, used: number): Meter {
  return { ...meter, used, givenBack: 0, freeSpentNanoUsd: 0 };
}

function countOpen({ open }: KeyCounts, { owner, day }: Meter): number {
  const own = open.filter((place) => place.owner === owner && place.day === day);
  return own.reduce((sum, { places }) => sum + places, 0);
}

function joinState(from: OwnerState, to: OwnerState): OwnerState {
  const isLater = (from.taken?.atMs ?? 0) > (to.taken?.atMs ?? 0);
  return {
    ...to,
    taken: isLater ? from.taken : to.taken,
    minute: from.minute ? joinMinute(from.minute, to.minute) : to.minute,
    budgets: joinUses(from.budgets ?? [], to.budgets ?? []),
  };
}

function joinMinute(from: Minute, to: Minute | null): Minute {
  if (to === null) return { ...from, parallel: 0 };
  const nowMs = Math.max(from.part, to.part) * PART_MS;
  const one = runMinute(from, nowMs);
  const other = runMinute(to, nowMs);
  const addTo = (counts: readonly number[], more: readonly number[]) =>
    counts.map((count, at) => count + (more[at] ?? 0));
  const add = (kind: "requests" | "tokens") => addTo(other[kind], one[kind]);
  const names = new Set([...(one.models ?? []), ...(other.models ?? [])].map(({ name }) => name));
  const models = [...names].map((name) => {
    const { requests, tokens } = countOf(one, name);
    const to = countOf(other, name);
    return { name, requests: addTo(to.requests, requests), tokens: addTo(to.tokens, tokens) };
  });
  return {
    ...other,
    requests: add("requests"),
    tokens: add("tokens"),
    tookMs: other.tookMs === 0 ? one.tookMs : other.tookMs,
    ...(models.length > 0 ? { models } : {}),
  };
}

function joinUses(from: readonly BudgetUse[], to: readonly BudgetUse[]): readonly BudgetUse[] | null {
  const names = new Set([...to, ...from].map(({ name }) => name));
  if (names.size === 0) return null;
  return [...names].flatMap((name) => {
    const one = from.find((use) => use.name === name);
    const other = to.find((use) => use.name === name);
    return one ? joinUse(one, other) : (other ?? []);
  });
}

/** The use of an earlier window is over. */
function joinUse(from: BudgetUse, to: BudgetUse | undefined): BudgetUse {
  if (to === undefined || from.startMs > to.startMs) return { ...from, heldNanoUsd: 0 };
  if (from.startMs < to.startMs) return to;
  const isExtra = from.extraUsedNanoUsd > to.extraUsedNanoUsd;
  const { extraUsedNanoUsd, extraUntilMs } = isExtra ? from : to;
  return {
    ...to,
    spentNanoUsd: to.spentNanoUsd + from.spentNanoUsd,
    warned: [...new Set([...to.warned, ...from.warned])],
    extraUsedNanoUsd,
    extraUntilMs,
  };
}

function joinMeter(from: Meter, { accountId, meters }: KeyCounts): Meter {
  const { owner, day } = from;
  const to = meters.find((meter) => meter.day === day) ?? makeMeter({ ...from, accountId, owner, day });
  return {
    ...to,
    used: to.used + from.used,
    lastAtMs: Math.max(to.lastAtMs, from.lastAtMs),
    givenBack: to.givenBack + from.givenBack,
    freeSpentNanoUsd: to.freeSpentNanoUsd + from.freeSpentNanoUsd,
  };
}

function joinSpend(from: Spend, { accountId, keyId, spend }: KeyCounts): Spend {
  const to = spend ?? { accountId, keyId, spentNanoUsd: 0, heldNanoUsd: 0 };
  return { ...to, spentNanoUsd: to.spentNanoUsd + from.spentNanoUsd };
}
