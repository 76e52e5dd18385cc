// The scenario of one seed's day: rules, accounts, keys, requests, top-ups, crashes, and the rates of failures.

import type { Account, GatewayKey } from "../../src/core/keys/key.ts";
import type { BillingRules, QuotaRules } from "../../src/core/settings.ts";
import type { ChatRequest } from "../../src/operations/chat/form.ts";
import { makeAccount, makeKey } from "../harness/samples.ts";
import { pickTroubles, type TroubleWeights } from "./call-truth.ts";
import { IDS } from "./cards.ts";
import { Dice } from "./dice.ts";
import { addLimits } from "./limited-days.ts";
import { type DayRules, ownDay } from "./own-days.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NANO = 1_000_000_000;

export type Manner =
  | { readonly kind: "reads" }
  | { readonly kind: "reads slowly"; readonly pauseMs: number }
  | { readonly kind: "leaves after parts"; readonly parts: number }
  | { readonly kind: "leaves at"; readonly afterMs: number };

/** One request that a client will send. */
export interface Plan {
  readonly name: string;
  readonly atMs: number;
  readonly keyId: string;
  /** The node that it is sent to. */
  readonly node: number;
  readonly model: string;
  readonly fallbacks: readonly string[];
  readonly request: ChatRequest;
  readonly idempotencyKey: string | null;
  readonly timeoutMs: number | null;
  readonly manner: Manner;
}

export interface PlannedTopUp {
  readonly atMs: number;
  readonly accountId: string;
  readonly id: string;
  readonly nanoUsd: number;
}

export interface Scenario {
  readonly seed: number;
  readonly startMs: number;
  readonly quota: QuotaRules;
  readonly billing: BillingRules;
  readonly accounts: readonly Account[];
  readonly keys: readonly GatewayKey[];
  readonly nodes: number;
  readonly plans: readonly Plan[];
  readonly topUps: readonly PlannedTopUp[];
  readonly ends: readonly {
    readonly atMs: number;
    readonly node: number;
    readonly downMs: number;
    /** The time to finish open requests if the node retires. Null if it is killed. */
    readonly drainMs: number | null;
  }[];
  /** From `atMs` on, the living node's lock counts as lost. */
  readonly freezes: readonly { readonly atMs: number; readonly node: number }[];
  readonly jumps: readonly { readonly atMs: number; readonly byMs: number }[];
  readonly revocations: readonly { readonly atMs: number; readonly keyId: string }[];
  readonly troubles: TroubleWeights;
  /** The share of store calls that fail, and periods in which all fail. */
  readonly storeFaults: number;
  readonly outages: readonly { readonly atMs: number; readonly forMs: number }[];
}

const ZONES = [
  "UTC",
  "America/New_York",
  "Europe/London",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
  "Pacific/Apia",
  "America/St_Johns",
  "Asia/Kathmandu",
  "America/Santiago",
  "America/Havana",
];
/** Dates near clock changes in some time zone. */
const DATES = [
  [2026, 2, 8],
  [2026, 2, 29],
  [2026, 3, 4],
  [2026, 8, 5],
  [2026, 9, 3],
  [2026, 9, 24],
  [2026, 9, 31],
  [2026, 11, 31],
  [2027, 1, 28],
] as const;

/** With dice of their own for limits: the days are the same without any. */
export function makeScenario(seed: number, dice: Dice): Scenario {
  return addLimits(makeDay(seed, dice), new Dice(seed + 3_000_017));
}

function makeDay(seed: number, dice: Dice): Scenario {
  const [year, month, day] = dice.pick(DATES);
  const startMs = Date.UTC(year, month, day + dice.int(-1, 1), dice.int(0, 23), dice.int(0, 59));
  const nodes = dice.chance(0.4) ? 2 : 1;
  const keys = keysFor(dice, startMs);
  const zone = { timeZone: dice.pick(ZONES), dayStartsMinutes: dice.chance(0.2) ? 240 : 0 };
  const midnight = nextDayAt(startMs, zone) - startMs;
  const bursts = Array.from({ length: dice.int(2, 4) }, () => dice.int(0, 26 * HOUR));
  // Half of the burst comes before the day changes.
  if (dice.chance(0.7)) bursts.push(midnight - 10_000);
  const atBurst = () => dice.pick(bursts) + dice.int(0, 20_000);
  const freezes = nodes === 2 ? some(dice, 0.35, 1, () => ({ atMs: atBurst(), node: dice.int(0, 1) })) : [];
  const plans = plansFor(dice, { bursts, keys, nodes });
  return {
    seed,
    startMs,
    quota: {
      requestsPerDay: dice.pick([0, 1, 2, 4, 8]),
      throttleMs: dice.pick([0, 1000, 1000, 5000, 10 * MINUTE]),
      scope: dice.chance(0.3) ? "account" : "key",
      ...zone,
      free: {
        models: dice.pick([["*"], ["*"], ["Alpha#*", "Gamma#*"]]),
        budgetNanoUsd: dice.pick([null, null, 20 * NANO, NANO / 20, NANO / 500]),
      },
    },
    billing: {
      charge: dice.chance(0.35) ? "always" : "beyond_allowance",
      markup: dice.pick([1, 1, 1.25, 1.333333, 0.9]),
    },
    accounts: [makeAccount("default"), makeAccount("acme", { createdAtMs: startMs, tags: { team: "acme" } })],
    keys,
    nodes,
    plans,
    topUps: topUpsFor(dice, atBurst),
    ends: some(dice, 0.45, 2, () => ({
      atMs: atBurst(),
      node: dice.int(0, nodes - 1),
      downMs: dice.int(10, 8000),
      drainMs: dice.chance(0.3) ? dice.int(0, 5000) : null,
    })),
    freezes,
    jumps: [
      ...some(dice, 0.25, 2, () => ({ atMs: atBurst(), byMs: dice.int(-3 * HOUR, 3 * HOUR) })),
      ...some(dice, 0.25, 1, () => ({ atMs: midnight + dice.int(0, 8000), byMs: -dice.int(9000, HOUR) })),
    ],
    revocations: some(dice, 0.25, 2, () => ({ atMs: atBurst(), keyId: dice.pick(keys).id })),
    troubles: pickTroubles(dice),
    storeFaults: freezes.length > 0 ? 0.15 : dice.chance(0.5) ? dice.pick([0.01, 0.04, 0.1]) : 0,
    // During some request.
    outages: some(dice, 0.25, 1, () => ({
      atMs: dice.pick(plans).atMs + dice.int(0, 800),
      forMs: dice.pick([dice.int(500, 8000), dice.int(31_000, 50_000)]),
    })),
  };
}

/** Returns the beginning of the next day, to the minute. */
function nextDayAt(startMs: number, zone: DayRules): number {
  const today = ownDay(startMs, zone);
  let before = Math.floor(startMs / MINUTE);
  let after = Math.floor(startMs / MINUTE) + 26 * 60;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (ownDay(middle * MINUTE, zone) === today) before = middle;
    else after = middle;
  }
  return after * MINUTE;
}

function some<One>(dice: Dice, chance: number, most: number, make: () => One): readonly One[] {
  return dice.chance(chance) ? Array.from({ length: dice.int(1, most) }, make) : [];
}

function keysFor(dice: Dice, startMs: number): readonly GatewayKey[] {
  const createdAtMs = startMs - HOUR;
  return [
    makeKey("key_a", { createdAtMs }),
    makeKey("key_b", { createdAtMs, accountId: "acme" }),
    makeKey("key_c", {
      createdAtMs,
      tags: { team: "c", cost: "7" },
      accountId: "acme",
      spendLimitNanoUsd: dice.chance(0.5) ? dice.int(1, 60) * (NANO / 1000) : null,
    }),
    makeKey("key_d", {
      createdAtMs,
      accountId: dice.pick(["default", "acme"]),
      requestsPerDay: dice.pick([null, 1, 4]),
      expiresAtMs: dice.chance(0.2) ? startMs + dice.int(0, 24 * HOUR) : null,
    }),
  ];
}

function topUpsFor(dice: Dice, atBurst: () => number): readonly PlannedTopUp[] {
  const orders: PlannedTopUp[] = [];
  for (const accountId of ["default", "acme"]) {
    // Some accounts start empty.
    if (dice.chance(0.3)) continue;
    const first = { atMs: 0, accountId, id: `first-${accountId}`, nanoUsd: amount(dice) };
    orders.push(first);
    for (let more = dice.int(0, 2); more > 0; more--) {
      const order = { atMs: atBurst(), accountId, id: `${accountId}-${more}`, nanoUsd: amount(dice) };
      orders.push(order, { ...order, atMs: order.atMs + dice.int(0, 3000) });
      if (dice.chance(0.3)) orders.push({ ...order, atMs: atBurst(), nanoUsd: order.nanoUsd + 1 });
    }
  }
  return orders;
}

/** From a tenth of a cent to a dollar. A request holds about a cent. */
function amount(dice: Dice): number {
  return Math.ceil((NANO / 1000) * 10 ** (dice.next() * 3));
}

interface Places {
  readonly bursts: readonly number[];
  readonly keys: readonly GatewayKey[];
  readonly nodes: number;
}

function plansFor(dice: Dice, places: Places): readonly Plan[] {
  const plans: Plan[] = [];
  const count = dice.int(18, 55);
  while (plans.length < count) {
    const plan = planFor(dice, places, `r${plans.length}`);
    plans.push(plan);
    if (plan.idempotencyKey === null) continue;
    for (let again = dice.int(0, 3); again > 0; again--)
      plans.push(repeated(dice, places, plan, plans.length));
  }
  return plans;
}

function planFor(dice: Dice, { bursts, keys, nodes }: Places, name: string): Plan {
  const model = dice.chance(0.1) ? "Router#fair" : dice.pick(IDS);
  const n = dice.weighted({ one: 80, two: 12, three: 8 });
  return {
    name,
    atMs: dice.pick(bursts) + dice.int(0, 20_000),
    keyId: dice.pick(keys).id,
    node: dice.int(0, nodes - 1),
    model,
    fallbacks: dice.chance(0.4) ? [dice.pick(IDS)] : [],
    request: {
      model,
      messages: [{ role: "user", content: promptOf(dice, name) }],
      ...(dice.chance(0.5) ? { stream: true } : {}),
      ...(n === "one" ? {} : { n: n === "two" ? 2 : 3 }),
      ...(dice.chance(0.4) ? { max_tokens: dice.int(1, 800) } : {}),
    },
    idempotencyKey: dice.chance(0.15) ? `once-${name}` : null,
    timeoutMs: dice.chance(0.1) ? dice.int(200, 9000) : null,
    manner: mannerOf(dice),
  };
}

function promptOf(dice: Dice, name: string): string {
  const length = dice.chance(0.12) ? dice.int(2000, 9000) : dice.int(10, 500);
  return `${name}: ${"say something short about it please ".repeat(Math.ceil(length / 35)).slice(0, length)}`;
}

function mannerOf(dice: Dice): Manner {
  switch (dice.weighted({ reads: 70, slowly: 8, parts: 11, time: 11 })) {
    case "reads":
      return { kind: "reads" };
    case "slowly":
      return { kind: "reads slowly", pauseMs: dice.int(10, 1500) };
    case "parts":
      return { kind: "leaves after parts", parts: dice.int(1, 6) };
    case "time":
      return { kind: "leaves at", afterMs: dice.int(0, 3000) };
  }
}

/** A repeat of the request: at once or later, on another node, streamed or not, sometimes with another body. */
function repeated(dice: Dice, { bursts, nodes }: Places, plan: Plan, at: number): Plan {
  const { stream: _stream, ...request } = plan.request;
  const delayMs = dice.weighted({ atOnce: 3, soon: 3, later: 2 });
  const lateMs = dice.pick(bursts) + dice.int(0, 20_000);
  const soonMs = plan.atMs + (delayMs === "atOnce" ? dice.int(0, 50) : dice.int(100, 6000));
  return {
    ...plan,
    name: `r${at}`,
    atMs: delayMs === "later" ? Math.max(lateMs, plan.atMs) : soonMs,
    node: dice.int(0, nodes - 1),
    request: {
      ...request,
      messages: dice.chance(0.15) ? [{ role: "user", content: "another" }] : request.messages,
      ...(dice.chance(0.5) ? { stream: true } : {}),
    },
    manner: mannerOf(dice),
  };
}
