// Lines of batches: they leave room for single requests. All that an account's lines in flight hold is counted in one row of
// an owner of its own, in the transaction that admits them.
import type { Admission, LineTerms, Reads } from "../../core/demand.ts";
import { Fault } from "../../core/faults/fault.ts";
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

interface LineFund {
  readonly running: {
    readonly owner: Pick<LimitOwner, "id">;
    readonly name: string;
    readonly use: Pick<BudgetUse, "spentNanoUsd">;
    readonly limitNanoUsd: NanoUsd;
  };
}

/** The granted amounts. `held` is in the order of the funds. */
interface GrantedHold {
  readonly holdNanoUsd: NanoUsd;
  readonly place: Pick<Place, "places">;
  readonly held: readonly NanoUsd[];
}

/** Returns the refusal if the account's lines in flight would hold more than their share with this one, or null. */
export function refuseShare(
  books: Books,
  { line, accountId }: Admission,
  { balanceNanoUsd, heldNanoUsd }: Pick<Account, "balanceNanoUsd" | "heldNanoUsd">,
  funds: readonly LineFund[],
  granted: GrantedHold,
): Fault | null {
  if (line === undefined) return null;
  const held = books.ownerState(accountId, LINES).budgets;
  // One line alone may hold what a single request may.
  if (held === null) return null;
  let refusal = refuseMore(held, BALANCE, granted.holdNanoUsd, balanceNanoUsd + heldNanoUsd);
  for (let at = 0; refusal === null && at < funds.length; at++)
    refusal = refuseFund(held, funds[at], granted.held[at]);
  return refusal;
}

function refuseFund(held: readonly BudgetUse[], fund: LineFund | undefined, nanoUsd = 0): Fault | null {
  if (fund === undefined) return null;
  const { use, limitNanoUsd } = fund.running;
  return refuseMore(held, nameShare(fund), nanoUsd, Math.max(0, limitNanoUsd - use.spentNanoUsd));
}

/** `leftNanoUsd` is what is left, with the part that is reserved. */
function refuseMore(
  held: readonly BudgetUse[],
  name: string,
  nanoUsd: NanoUsd,
  leftNanoUsd: NanoUsd,
): Fault | null {
  const others = findHeld(held, name);
  const most = Math.floor(leftNanoUsd * MONEY_SHARE);
  return nanoUsd > 0 && others > 0 && others + nanoUsd > most ? makeCrowdFault("budget", most, others) : null;
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
  const taken = holdsNothing(funds, granted) ? NOTHING_TAKEN : listTaken(funds, granted);
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
  const budgets: BudgetUse[] = [];
  for (const { name, heldNanoUsd } of held ?? NOTHING_HELD)
    if (heldNanoUsd > 0) budgets.push(makeUse(name, heldNanoUsd + findTaken(taken, name)));
  for (const { name, nanoUsd } of taken) if (!isAmong(budgets, name)) budgets.push(makeUse(name, nanoUsd));
  return budgets.length > 0 ? budgets : null;
}

const NOTHING_HELD: readonly BudgetUse[] = [];

function findTaken(taken: LimitUse["budgets"], name: string): NanoUsd {
  for (const one of taken) if (one.name === name) return one.nanoUsd;
  return 0;
}

function isAmong(uses: readonly BudgetUse[], name: string): boolean {
  for (const use of uses) if (use.name === name) return true;
  return false;
}

function listTaken(
  funds: readonly LineFund[],
  { holdNanoUsd, place, held }: GrantedHold,
): LimitUse["budgets"] {
  const taken: { name: string; startMs: number; nanoUsd: NanoUsd }[] = [];
  if (holdNanoUsd > 0) taken.push({ name: BALANCE, startMs: 0, nanoUsd: holdNanoUsd });
  if (place.places > 0) taken.push({ name: PLACES, startMs: 0, nanoUsd: place.places });
  for (const [at, fund] of funds.entries()) {
    const nanoUsd = held[at] ?? 0;
    if (nanoUsd > 0) taken.push({ name: nameShare(fund), startMs: 0, nanoUsd });
  }
  return taken;
}

/** A name with a space would be read as a budget's models. */
function nameShare({ running: { owner, name } }: LineFund): string {
  return `${owner.id}/${name.replaceAll(" ", "/")}`;
}

function findHeld(uses: readonly BudgetUse[], name: string): NanoUsd {
  for (const use of uses) if (use.name === name) return use.heldNanoUsd;
  return 0;
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
