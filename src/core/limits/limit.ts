// Limits of keys, members and accounts: what is counted of each, what a request takes, and how it is shown.

import type { NanoUsd } from "../money/money.ts";
import type { Budget, Period } from "./budget.ts";
import { MINUTE_LIMITS, type MinuteLimit, mapLimits } from "./limit-table.ts";
import type { ModelLimit } from "./model-limit.ts";

/** The kinds of owners. Each is an owner of rows within one account. */
export const LIMIT_SCOPES = ["key", "member", "account"] as const;
export type LimitScope = (typeof LIMIT_SCOPES)[number];

export type MinuteKind = MinuteLimit["name"];
export const MINUTE_KINDS = MINUTE_LIMITS.map(({ name }) => name);
export type LimitKind = MinuteKind | "budget";
export const LIMIT_KINDS: readonly LimitKind[] = [...MINUTE_KINDS, "budget"];

/** The largest limit of a minute. */
export const LIMIT_MAX = 1_000_000_000;

/** Limits of a minute as they apply now, under their properties. Null for no limit. */
export type MinuteLimits = Readonly<Record<MinuteLimit["property"], number | null>>;

/** An owner's limits as they apply now. */
export interface OwnerLimits extends MinuteLimits {
  readonly budgets: readonly Budget[];
  /** Only keys have any. */
  readonly modelLimits?: readonly ModelLimit[];
}

export const NO_LIMITS: OwnerLimits = { ...mapLimits(MINUTE_LIMITS, "property", () => null), budgets: [] };

/** The most that roles below admin may give a key. */
export interface KeyMaxima extends OwnerLimits {
  /** The longest time until a key expires. Null for no bound. */
  readonly expireInMs: number | null;
}

/** A minute is counted in parts of 5 s: the running one and the twelve before it. */
export const PART_MS = 5000;
export const PARTS = 13;

/** An owner's last minute. */
export interface Minute {
  /** The number of the running part since 1970. */
  readonly part: number;
  /** Requests and tokens of each part, the running one first, then backwards in time. */
  readonly requests: readonly number[];
  readonly tokens: readonly number[];
  /** Requests that are not settled yet. */
  readonly parallel: number;
  /** The time that the last answers took, in milliseconds. 0 if there was none. */
  readonly tookMs: number;
  /** The counts of limits on some models. Missing without any. */
  readonly models?: readonly ModelCount[];
  /** The payers of an account that has a limit on parallel requests, the last that asked at the end. Missing for none. */
  readonly payers?: readonly PayerCount[];
}

/** The requests of a payer that aren't settled yet, and the part in which it asked last. */
export interface PayerCount extends Pick<Minute, "part" | "parallel"> {
  readonly payer: string;
}

/** The part of a minute that counts in a limit on some models. */
export interface ModelCount extends Pick<Minute, "requests" | "tokens"> {
  /** The limit's name (`nameModelLimit`). */
  readonly name: string;
}

/** The use of a budget in its running window. */
export interface BudgetUse {
  /** The budget's name (`nameBudget`). */
  readonly name: string;
  /** The rules by which the window was computed: a change of them ends it earlier or later. */
  readonly rules: string;
  /** Unix milliseconds. `endMs` is exclusive, null if the window never ends. */
  readonly startMs: number;
  readonly endMs: number | null;
  /** The price of the window's requests that have ended, and the most that running ones were admitted for. */
  readonly spentNanoUsd: NanoUsd;
  readonly heldNanoUsd: NanoUsd;
  /** Its limit at its last admission. 0 before the first. */
  readonly limitNanoUsd: NanoUsd;
  /** The shares of which the window's event is written. */
  readonly warned: readonly number[];
  /** True once the window's first refusal is on record. Missing before. */
  readonly isExceeded?: true;
  /** The part of the extra amount until `extraUntilMs` that earlier windows used. */
  readonly extraUsedNanoUsd: NanoUsd;
  readonly extraUntilMs: number | null;
}

/** An admitted request's share of one owner's limits. */
export interface LimitUse {
  readonly owner: string;
  /** The part of the minute in which it counts. Null if the owner has no limits of a minute. */
  readonly part: number | null;
  /** The tokens reserved there. */
  readonly tokens: number;
  /** The limits on some models in which it counts, with the tokens reserved there. Missing for none. */
  readonly models?: readonly { readonly name: string; readonly tokens: number }[];
  /** The payer whose share of the account's parallel requests it is in. Missing where there is none. */
  readonly payer?: string;
  /** The amounts reserved of its budgets, by name and window. */
  readonly budgets: readonly {
    readonly name: string;
    readonly startMs: number;
    readonly nanoUsd: NanoUsd;
  }[];
}

/** The tokens that a request is expected to take, for limits of a minute. */
export interface TokenLoad {
  /** An ordinary estimate, without what the same conversation was last reported to have cached. */
  readonly prompt: number;
  /** For all answers together: of each at most 4,096. */
  readonly output: number;
}

/** A limit with its use, as holders and operators see it. */
export interface LimitState {
  readonly scope: LimitScope;
  readonly kind: LimitKind;
  /** Only for budgets. */
  readonly per?: Period;
  /** For budgets and limits of a minute that only some models share. */
  readonly models?: readonly string[];
  /** In USD for budgets, with what is left of a running extra amount. */
  readonly limit: number;
  /** The settled or counted part. */
  readonly used: number;
  /** The part of a budget that requests in flight have reserved. */
  readonly reserved: number;
  readonly remaining: number;
  /** When it starts over, or the last part of the minute is free again. Null if it doesn't. */
  readonly resetsAtMs: number | null;
}

/** Returns the owner of a budget's event as its data names it. */
export function nameOwner(scope: LimitScope, owner: string): Readonly<Record<string, string>> {
  return { [`${scope}_id`]: owner };
}

/** From this used share on, a budget is near its end. */
export const NEAR_SHARE = 0.8;

/** A budget that is near its end, until its window is over. Null for `total`. */
interface Near {
  readonly share: number;
  readonly untilMs: number | null;
}

/** Returns the budget that is nearest to its end, by its limit at its last admission. Null if none is near. */
export function findNear(budgets: readonly BudgetUse[] | null): Near | null {
  let near: Near | null = null;
  for (const { spentNanoUsd, limitNanoUsd, endMs } of budgets ?? []) {
    const share = limitNanoUsd > 0 ? spentNanoUsd / limitNanoUsd : 0;
    if (share >= Math.max(NEAR_SHARE, near?.share ?? 0)) near = { share, untilMs: endMs };
  }
  return near;
}

/** A limit that refused a request, shown as `error.limit`. `per` and `models` are left out where they don't apply. */
export interface RefusingLimit {
  /** The kind of owner that the limit is for. */
  readonly scope: LimitScope;
  /** The name or id of that key, member or account. */
  readonly name: string;
  /** A `LimitKind`, or a limit of the gateway's own, such as `body_memory`. */
  readonly kind: string;
  /** Only for budgets. */
  readonly per?: Period;
  readonly models?: readonly string[];
  readonly limit: number;
  /** The part of the limit that is settled or in use, in the limit's unit. */
  readonly used: number;
  /** The part reserved by requests in flight. Missing where nothing is reserved. */
  readonly reserved?: number;
  /** When the limit starts over, in Unix milliseconds. Null or missing if it never does. */
  readonly resetsAtMs?: number | null;
}

/** The values of the rate-limit headers. */
export interface RequestLimits {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds from the decision until the next day starts. */
  readonly resetMs: number;
}
