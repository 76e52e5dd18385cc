// Lines of batches: they leave room for single requests. All that an account's lines in flight hold is counted in one row of
// an owner of its own, in the transaction that admits them.
import type { Admission, LineTerms, Reads } from "../../core/demand.ts";
import { Fault } from "../../core/fault.ts";
import type { Account } from "../../core/keys/key.ts";
import type { BudgetUse, LimitUse } from "../../core/limits/limit.ts";
import { MINUTE_LIMITS, mapLimits } from "../../core/limits/limit-table.ts";
import type { NanoUsd } from "../../core/money/money.ts";
import type { OwnerState, Place } from "../../core/rows.ts";
import type { Standing } from "../allowance.ts";
import type { Books } from "../books.ts";
import type { LimitOwner } from "./limit-owners.ts";
import { runMinute } from "./minute.ts";

/** The owner that counts the lines in flight of an account. */
const LINES = "lines";
/** Lines take no more than this of the limits of a minute, at least 1. */
const MINUTE_SHARE = 3 / 4;
/** Lines in flight hold no more than this of what is left. One alone may hold what a single request may. */
const MONEY_SHARE = 1 / 2;
/** The wait for another line's end. */
const CROWDED_WAIT_MS = 1000;

/** The names under which the balance and the day's places are counted. */
const BALANCE = "balance";
const PLACES = "places";

/** The budget of a batch with a ceiling. */
const BATCH_BUDGET = "total";

export function addLineReads(reads: Reads, { batchId, ceilingNanoUsd }: LineTerms): Reads {
  const owners = ceilingNanoUsd === null ? [LINES] : [LINES, batchId];
  return { ...reads, owners: reads.owners.concat(owners) };
}

/** Returns the batch as an owner whose budget is its ceiling. Null without one: its lines' sums are kept with the batch. */
export function makeBatchOwner({ batchId, ceilingNanoUsd }: LineTerms, accountId: string): LimitOwner | null {
  if (ceilingNanoUsd === null) return null;
  const budget = {
    nanoUsd: ceilingNanoUsd,
    per: "total",
    models: null,
    warn: [],
    isHard: true,
    extra: null,
    beginsEmpty: true,
  } as const;
  const minute = mapLimits(MINUTE_LIMITS, "property", () => null);
  return {
    scope: "account",
    id: batchId,
    accountId,
    name: batchId,
    keyId: null,
    ...minute,
    budgets: [{ name: BATCH_BUDGET, budget }],
  };
}

/** Returns the limit of a minute that binds the request: a line leaves a quarter. */
export function findMinuteLimit(limit: number, { line }: Pick<Admission, "line">): number {
  if (line === undefined || limit === 0) return limit;
  return Math.max(1, Math.floor(limit * MINUTE_SHARE));
}

/** Returns the refusal if as many lines of the account are in flight as may be, or null. */
export function refuseCrowd(books: Books, { line, accountId, nowMs }: Admission): Fault | null {
  if (line === undefined) return null;
  const running = runMinute(books.ownerState(accountId, LINES).minute, nowMs).parallel;
  return running < line.parallelMax ? null : makeCrowdFault("parallel", line.parallelMax, running);
}

/** The amounts that a line would hold. */
interface LineHold {
  readonly holdNanoUsd: NanoUsd;
  /** Its hold on each budget. */
  readonly budgets: readonly LineBudget[];
  readonly place: Pick<Place, "places">;
}

interface LineBudget {
  readonly owner: string;
  readonly name: string;
  readonly nanoUsd: NanoUsd;
  /** The rest of the budget, with the part that is reserved. */
  readonly leftNanoUsd: NanoUsd;
}

interface LineFund {
  readonly running: {
    readonly owner: Pick<LimitOwner, "id">;
    readonly name: string;
    readonly use: Pick<BudgetUse, "spentNanoUsd">;
    readonly limitNanoUsd: NanoUsd;
  };
}

/** The granted amounts. `held` is in the order of the funds. */
interface GrantedHold extends Pick<LineHold, "holdNanoUsd" | "place"> {
  readonly held: readonly NanoUsd[];
}

/** Returns the part of a line's grant that its share counts. */
function describeLineHold(funds: readonly LineFund[], { held, holdNanoUsd, place }: GrantedHold): LineHold {
  const budgets = funds.map(({ running: { owner, name, use, limitNanoUsd } }, at) => ({
    owner: owner.id,
    name,
    nanoUsd: held[at] ?? 0,
    leftNanoUsd: Math.max(0, limitNanoUsd - use.spentNanoUsd),
  }));
  return { holdNanoUsd, place, budgets };
}

/** Returns the refusal if the account's lines in flight would hold more than their share with this one, or null. */
export function refuseShare(
  books: Books,
  { line, accountId }: Admission,
  account: Pick<Account, "balanceNanoUsd" | "heldNanoUsd">,
  funds: readonly LineFund[],
  granted: GrantedHold,
): Fault | null {
  if (line === undefined) return null;
  const held = books.ownerState(accountId, LINES).budgets;
  // One line alone may hold what a single request may.
  if (held === null) return null;
  const { holdNanoUsd, budgets } = describeLineHold(funds, granted);
  const { balanceNanoUsd, heldNanoUsd } = account;
  const shares = [
    { name: BALANCE, nanoUsd: holdNanoUsd, leftNanoUsd: balanceNanoUsd + heldNanoUsd },
    ...budgets.map((one) => ({ ...one, name: nameShare(one) })),
  ];
  for (const { name, nanoUsd, leftNanoUsd } of shares) {
    const others = findHeld(held, name);
    const most = Math.floor(leftNanoUsd * MONEY_SHARE);
    if (nanoUsd > 0 && others > 0 && others + nanoUsd > most) return makeCrowdFault("budget", most, others);
  }
  return null;
}

/** A line never takes the throttle's slot: a single request would find it gone. */
export function hideSlot({ line }: Pick<Admission, "line">, standing: Standing): Standing {
  return line === undefined ? standing : { ...standing, slotAtMs: null };
}

/**
 * Returns the refusal if a place of the allowance is left, but not for a line: those in flight take half of what was left
 * before them.
 */
export function refusePlace(
  books: Books,
  { accountId, answers }: Admission,
  { limit, counted }: Standing,
): Fault | null {
  const others = findHeld(books.ownerState(accountId, LINES).budgets ?? [], PLACES);
  const left = limit - counted.used + others;
  if (others === 0 || counted.used >= limit || others + answers <= Math.floor(left * MONEY_SHARE))
    return null;
  return makeCrowdFault("requests_per_day", limit, counted.used);
}

/** Counts a line as in flight. Its use is given back with its hold. */
export function takeLine(
  books: Books,
  { accountId, nowMs }: Admission,
  funds: readonly LineFund[],
  granted: GrantedHold,
): LimitUse {
  const state = books.ownerState(accountId, LINES);
  const minute = runMinute(state.minute, nowMs);
  const taken = holdsNothing(funds, granted) ? NOTHING_TAKEN : listTaken(describeLineHold(funds, granted));
  books.putOwner({
    accountId,
    owner: LINES,
    taken: state.taken,
    minute: { ...minute, parallel: minute.parallel + 1 },
    budgets: addTaken(state.budgets, taken),
  });
  return { owner: LINES, part: minute.part, tokens: 0, budgets: taken };
}

const NOTHING_TAKEN: LimitUse["budgets"] = [];

/** True for the lines of a key that nothing limits. */
function holdsNothing(funds: readonly LineFund[], { holdNanoUsd, place }: GrantedHold): boolean {
  return funds.length === 0 && holdNanoUsd === 0 && place.places === 0;
}

function addTaken(held: readonly BudgetUse[] | null, taken: LimitUse["budgets"]): OwnerState["budgets"] {
  if (held === null && taken.length === 0) return null;
  const before = (held ?? []).filter(({ heldNanoUsd }) => heldNanoUsd > 0);
  const names = new Set([...before.map(({ name }) => name), ...taken.map(({ name }) => name)]);
  const budgets = [...names].map((name) => {
    const added = taken.find((one) => one.name === name)?.nanoUsd ?? 0;
    return makeUse(name, findHeld(before, name) + added);
  });
  return budgets.length > 0 ? budgets : null;
}

function listTaken({ holdNanoUsd, budgets, place }: LineHold): LimitUse["budgets"] {
  const all = [
    { name: BALANCE, startMs: 0, nanoUsd: holdNanoUsd },
    { name: PLACES, startMs: 0, nanoUsd: place.places },
    ...budgets.map((one) => ({ name: nameShare(one), startMs: 0, nanoUsd: one.nanoUsd })),
  ];
  return all.filter(({ nanoUsd }) => nanoUsd > 0);
}

/** A name with a space would be read as a budget's models. */
function nameShare({ owner, name }: Pick<LineBudget, "owner" | "name">): string {
  return `${owner}/${name.replaceAll(" ", "/")}`;
}

function findHeld(uses: readonly BudgetUse[], name: string): NanoUsd {
  return uses.find((one) => one.name === name)?.heldNanoUsd ?? 0;
}

function makeUse(name: string, heldNanoUsd: NanoUsd): BudgetUse {
  return {
    name,
    rules: "",
    startMs: 0,
    endMs: null,
    spentNanoUsd: 0,
    heldNanoUsd,
    limitNanoUsd: 0,
    warned: [],
    extraUsedNanoUsd: 0,
    extraUntilMs: null,
  };
}

function makeCrowdFault(kind: string, limit: number, used: number): Fault {
  const message = "Other lines of the account's batches are in flight. This one starts once they have ended.";
  const refusing = { scope: "account", name: LINES, kind, limit, used } as const;
  return new Fault("too_many_parallel_requests", message, { retryAfterMs: CROWDED_WAIT_MS, limit: refusing });
}
