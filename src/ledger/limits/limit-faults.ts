// The refusals by limits and budgets: whose limit, which, what is used of it, and when to come back.

import { Fault } from "../../core/faults/fault.ts";
import { SPEND_LIMIT, showBudgetModels } from "../../core/limits/budget.ts";
import type { LimitKind, RefusingLimit } from "../../core/limits/limit.ts";
import { COUNTED } from "../../core/limits/limit-table.ts";
import { formatPlainUsd, formatUsd, type NanoUsd, toUsd } from "../../core/money/money.ts";
import type { LimitRules } from "../../core/settings.ts";
import { formatCount } from "../../core/text/count.ts";
import type { LimitOwner } from "./limit-owners.ts";

/** The longest wait that is named: for more, clients would rather give up. */
const WAIT_MAX_MS = 60_000;
/** The wait for requests in flight, whose answers take about this long. */
const FLIGHT_MIN_MS = 5000;
const FLIGHT_MAX_MS = 30_000;

type FaultOwner = Pick<LimitOwner, "scope" | "name">;

/** A balance pays what free requests may no longer cost, if their models have prices. */
const FREE_HELP = " Until then, use a cheaper model or a smaller max_tokens";
const TOP_UP_HELP = ", or top up the account";

interface MinuteRefusal {
  readonly counts: "requests" | "tokens";
  readonly limit: number;
  readonly used: number;
  /** Milliseconds until there is room. Null if there never is. */
  readonly waitMs: number | null;
  readonly nowMs: number;
  /** The models that share the limit. Missing for all. */
  readonly models?: readonly string[];
}

export function makeMinuteFault(owner: FaultOwner, refusal: MinuteRefusal, rules: LimitRules): Fault {
  const { counts, limit, used, waitMs, nowMs, models } = refusal;
  const { name, fault } = COUNTED[counts];
  const retryAfterMs = Math.min(waitMs ?? WAIT_MAX_MS, WAIT_MAX_MS);
  const message =
    `Rate limit reached: ${bound(owner, "may use")} ${formatCount(limit)} ${counts} per minute${models ? ` for ${models.join(", ")}` : ""}. ` +
    `Try again in ${Math.ceil(retryAfterMs / 1000)} seconds${suggestContact(rules)}.`;
  const resetsAtMs = waitMs === null ? null : nowMs + waitMs;
  const refusing = { ...shown(owner, name, { limit, used, resetsAtMs }), ...(models ? { models } : {}) };
  return new Fault(fault, message, { retryAfterMs, limit: refusing });
}

interface ParallelUse {
  readonly limit: number;
  readonly used: number;
  readonly tookMs: number;
  /** The limit of which it is one payer's share. Missing for a whole one. */
  readonly of?: number;
}

export function makeParallelFault(
  owner: FaultOwner,
  { limit, used, tookMs, of }: ParallelUse,
  rules: LimitRules,
): Fault {
  const message =
    `Too many parallel requests: ${of === undefined ? bound(owner, "may have") : `while others ask, you may have of the ${formatCount(of)} of ${describe(owner)}`} ${formatCount(limit)} at the same time. ` +
    `Try again once one has ended${suggestContact(rules)}.`;
  const { name, fault } = COUNTED.parallel;
  const details = { retryAfterMs: guessFlight(tookMs), limit: shown(owner, name, { limit, used }) };
  return new Fault(fault, message, details);
}

export interface BudgetRefusal {
  readonly owner: FaultOwner;
  /** Set for the day's budget for free requests, with whether a larger balance would pay for this one. */
  readonly free?: { readonly isPayable: boolean };
  /** The budget's name, and how often it starts over. */
  readonly name: string;
  readonly limitNanoUsd: NanoUsd;
  readonly spentNanoUsd: NanoUsd;
  readonly heldNanoUsd: NanoUsd;
  readonly endMs: number | null;
  readonly nowMs: number;
  /** The usual time of the owner's answers. 0 if unknown. */
  readonly tookMs: number;
}

/** The refusal by a budget whose settled use leaves room, all of it reserved by requests in flight. */
export function makeReservedFault(refusal: BudgetRefusal, rules: LimitRules): Fault {
  const { owner, limitNanoUsd, heldNanoUsd, tookMs } = refusal;
  const message =
    `The rest of ${describeBudget(refusal)} is reserved by requests in flight ` +
    `(${formatUsd(heldNanoUsd)} of ${formatUsd(limitNanoUsd)}), for ${describe(owner)}. ` +
    `Try again once they have ended${suggestContact(rules)}.`;
  const details = { retryAfterMs: guessFlight(tookMs), limit: showBudget(refusal) };
  return new Fault("budget_reserved", message, details);
}

/** The refusal by a budget that doesn't cover the request even if nothing else runs. */
export function makeExceededFault(refusal: BudgetRefusal, rules: LimitRules): Fault {
  const { owner, free, limitNanoUsd, spentNanoUsd, endMs, nowMs } = refusal;
  const rest = spentNanoUsd < limitNanoUsd ? ", and the rest doesn't cover this request" : "";
  const [spent, limit] = formatApart(spentNanoUsd, limitNanoUsd);
  const message =
    `Budget exceeded: ${describeUse(owner)} ${spent} of ${owner.scope === "member" ? "a" : "its"} quota of ` +
    `${limit} (${describeBudget(refusal)})${rest}. ${describeReset(endMs)}${free ? describeHelp(free) : ""}${addContact(rules)}`;
  const waitMs = endMs === null ? null : endMs - nowMs;
  return new Fault("budget_exceeded", message, {
    ...(endMs === null ? {} : { resetAtMs: endMs, resetsInMs: endMs - nowMs }),
    ...(waitMs !== null && waitMs <= WAIT_MAX_MS ? { retryAfterMs: waitMs } : {}),
    limit: showBudget(refusal),
  });
}

/** The refusal of models without a price by a budget that covers them. */
export function makeUnpricedFault(modelAsked: string): Fault {
  const message = `A budget covers the model '${modelAsked}', which has no price: its use can't be counted. Ask for a price, or use another model.`;
  return new Fault("model_not_priced", message, { param: "model" });
}

function showBudget({ owner, name, ...use }: BudgetRefusal): RefusingLimit {
  const { limitNanoUsd, spentNanoUsd, heldNanoUsd, endMs } = use;
  const models = name === SPEND_LIMIT ? null : showBudgetModels(name);
  return {
    scope: owner.scope,
    name: owner.name,
    kind: "budget",
    per: readPer(name),
    ...(models ? { models } : {}),
    limit: toUsd(limitNanoUsd),
    used: toUsd(spentNanoUsd),
    reserved: toUsd(heldNanoUsd),
    resetsAtMs: endMs,
  };
}

function readPer(name: string): NonNullable<RefusingLimit["per"]> {
  const [per] = name.split(" ");
  return per === "day" || per === "week" || per === "month" ? per : "total";
}

function shown(
  { scope, name }: FaultOwner,
  kind: LimitKind,
  use: Pick<RefusingLimit, "limit" | "used"> & { readonly resetsAtMs?: number | null },
): RefusingLimit {
  return { scope, name, kind, ...use, reserved: 0, resetsAtMs: use.resetsAtMs ?? null };
}

/** A member's limit is the reader's own: the key is personal. */
function describe({ scope, name }: FaultOwner): string {
  return scope === "member" ? "your limit in this account" : `the ${scope} '${name}'`;
}

function bound(owner: FaultOwner, verb: string): string {
  return `${describe(owner)} ${owner.scope === "member" ? "is" : verb}`;
}

function describeUse(owner: FaultOwner): string {
  return owner.scope === "member"
    ? "by your limit in this account you have used"
    : `${describe(owner)} has used`;
}

function describeHelp({ isPayable }: NonNullable<BudgetRefusal["free"]>): string {
  return `${FREE_HELP}${isPayable ? TOP_UP_HELP : ""}.`;
}

function describeBudget({ name, free }: Pick<BudgetRefusal, "name" | "free">): string {
  if (free) return "the day's budget for free requests";
  if (name === SPEND_LIMIT) return "the spend limit";
  const models = showBudgetModels(name);
  const per = readPer(name);
  const window = per === "total" ? "in total" : `per ${per}`;
  return models === null ? `the budget ${window}` : `the budget ${window} for ${models.join(", ")}`;
}

/** Two different amounts aren't rounded to the same. */
function formatApart(used: NanoUsd, limit: NanoUsd): readonly [used: string, limit: string] {
  const shown = [formatUsd(used), formatUsd(limit)] as const;
  if (used === limit || shown[0] !== shown[1]) return shown;
  return [`$${formatPlainUsd(used)}`, `$${formatPlainUsd(limit)}`];
}

function describeReset(endMs: number | null): string {
  if (endMs === null) return "It doesn't start over; a top-up doesn't raise it.";
  return `It starts over at ${new Date(endMs).toISOString()}.`;
}

function suggestContact({ contact }: LimitRules): string {
  return contact === null ? "" : `, or ${contact}`;
}

function addContact({ contact }: LimitRules): string {
  return contact === null ? "" : ` For more, ${contact}.`;
}

function guessFlight(tookMs: number): number {
  return Math.min(FLIGHT_MAX_MS, Math.max(FLIGHT_MIN_MS, tookMs));
}
