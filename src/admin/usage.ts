// The operator's view of usage: requests, tokens and money summed by day, model, key, account and provider.
import { Fault } from "../core/fault.ts";
import type { JsonObject } from "../core/json.ts";
import { type NanoUsd, usdOf } from "../core/money.ts";
import type { Tokens } from "../core/record.ts";
import type { UsageSum } from "../core/rows.ts";
import type { Store, UsageDimension } from "../core/store.ts";
import type { Clock } from "../core/world.ts";
import { addTokens } from "../ledger/books.ts";
import { type Day, type DayRules, dayAfter, dayOf } from "../ledger/day.ts";
import { fieldsOf, optional, type Read, readInstant, readText } from "./input.ts";
import { type TokensView, tokensView } from "./tokens.ts";

const GROUPS = ["day", "model", "key", "account", "provider"] as const;
type Group = (typeof GROUPS)[number];

/** What each group is told apart by in the store; its days are asked for one by one. */
const DIMENSIONS: Readonly<Record<Group, UsageDimension | null>> = {
  day: null,
  model: "model",
  key: "keyId",
  account: "accountId",
  provider: "model",
};

const DAYS = 30;
const DAYS_MAX = 400;
const GROUPS_MAX = 50_000;
const DAY_MS = 86_400_000;
/** Outside of these no gateway ran, and time zones are guesswork. */
const FIRST_MS = Date.UTC(1971, 0, 1);
const LAST_MS = Date.UTC(2200, 0, 1);

export interface UsageParts {
  readonly store: Pick<Store, "usage">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly dayRules: () => DayRules;
}

/** Only the fields that were grouped by are there. */
interface Labels {
  readonly day?: string;
  readonly model?: string;
  readonly key_id?: string;
  readonly account_id?: string;
  readonly provider?: string;
}

export interface UsageView extends Labels {
  readonly requests: number;
  readonly tokens: TokensView;
  readonly cost_usd: number;
  readonly charged_usd: number;
}

interface Sum {
  readonly labels: Labels;
  readonly requests: number;
  readonly tokens: Tokens;
  readonly costNanoUsd: NanoUsd;
  readonly chargedNanoUsd: NanoUsd;
}

/**
 * Sums from `from` until before `to`, by `group_by` (words with commas between), by day unless given. A date alone is
 * the operator's whole day, as `from` and as `to`; the last 30 days unless given. In order of the day, then the
 * dearest first.
 *
 * The grain is the hour of UTC: an hour counts as a whole, where it begins. So in zones that are a half or a quarter of
 * an hour apart from UTC, or on a day that begins within an hour, what came between the day's beginning and the next
 * full hour of UTC counts for the day before.
 */
export async function sumUsage(
  { store, clock, dayRules }: UsageParts,
  query: unknown,
): Promise<{ readonly data: readonly UsageView[] }> {
  const fields = fieldsOf(query, ["group_by", "from", "to"]);
  const groups = optional(fields, "group_by", readGroups) ?? ["day"];
  const rules = dayRules();
  const span = spanOf(fields, clock.nowMs(), rules);
  const groupBy = [...new Set(groups.map((group) => DIMENSIONS[group]).filter((one) => one !== null))];
  const sums = new Map<string, Sum>();
  for (const { name, fromMs, toMs } of groups.includes("day")
    ? daysOf(span, rules)
    : [{ name: "", ...span }]) {
    for (const row of await store.usage({ fromMs, toMs, groupBy }))
      add(sums, labelsOf(groups, name, row), row);
  }
  return { data: [...sums.values()].sort(inOrder).map(viewOf) };
}

const readGroups: Read<readonly Group[]> = (value, param) => {
  const words = readText(value, param).split(",");
  const wrong = words.find((word) => !GROUPS.some((group) => group === word));
  if (wrong === undefined) return GROUPS.filter((group) => words.includes(group));
  const message = `Invalid '${param}': '${wrong.slice(0, 64)}' is none of ${GROUPS.join(", ")}; several have commas between them.`;
  throw new Fault("invalid_value", message, { param });
};

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What was asked for, as far as it isn't still to come. */
function spanOf(fields: JsonObject, nowMs: number, rules: DayRules): Span {
  const today = dayOf(nowMs, rules);
  const toMs = optional(fields, "to", readMoment(rules, "endMs")) ?? today.endMs;
  const fromMs = optional(fields, "from", readMoment(rules, "startMs")) ?? daysBefore(toMs, rules);
  if (fromMs >= toMs) {
    const message =
      "Invalid 'from': expected a time before 'to', which is the end of today unless it is given.";
    throw new Fault("invalid_value", message, { param: "from" });
  }
  return { fromMs, toMs: Math.min(toMs, today.endMs) };
}

/** A moment as it is; of a date alone the beginning or the end of that day of the operator. */
function readMoment(rules: DayRules, end: "startMs" | "endMs"): Read<number> {
  return (value, param) => {
    const atMs = Math.min(Math.max(readInstant(value, param), FIRST_MS), LAST_MS);
    const isDate = !String(value).includes("T");
    return isDate ? dayNamed(new Date(atMs).toISOString().slice(0, 10), rules)[end] : atMs;
  };
}

function dayNamed(date: string, rules: DayRules): Day {
  let day = dayOf(Date.parse(`${date}T12:00:00Z`), rules);
  while (day.name < date) day = dayAfter(day, rules);
  while (day.name > date) day = dayOf(day.startMs - 1, rules);
  return day;
}

/** Where so many days begin of which the last holds the moment before `toMs`. */
function daysBefore(toMs: number, rules: DayRules): number {
  let day = dayOf(toMs - 1, rules);
  for (let days = 1; days < DAYS; days++) day = dayOf(day.startMs - 1, rules);
  return day.startMs;
}

/** The operator's days within a span, the first and the last as far as they lie in it. */
function daysOf({ fromMs, toMs }: Span, rules: DayRules): readonly (Span & { readonly name: string })[] {
  const days: (Span & { readonly name: string })[] = [];
  if (toMs - fromMs > (DAYS_MAX + 1) * DAY_MS) {
    const message = `Invalid 'from': by day at most ${DAYS_MAX} days; expected a later time, or a 'group_by' without the day.`;
    throw new Fault("invalid_value", message, { param: "from" });
  }
  for (let at = fromMs; at < toMs; ) {
    const { name, endMs } = dayOf(at, rules);
    days.push({ name, fromMs: at, toMs: Math.min(endMs, toMs) });
    at = endMs;
  }
  return days;
}

function labelsOf(groups: readonly Group[], day: string, { model, keyId, accountId }: UsageSum): Labels {
  const all: Readonly<Record<Group, Labels>> = {
    day: { day },
    model: { model },
    key: { key_id: keyId },
    account: { account_id: accountId },
    provider: { provider: model.split("#", 1)[0] ?? model },
  };
  return Object.assign({}, ...groups.map((group) => all[group]));
}

function add(sums: Map<string, Sum>, labels: Labels, row: UsageSum): void {
  // A sum over nothing is a row too.
  if (row.requests === 0) return;
  const id = JSON.stringify(labels);
  const before = sums.get(id);
  if (before === undefined && sums.size === GROUPS_MAX) {
    const message = `Invalid 'group_by': that is more than ${GROUPS_MAX} sums; expected fewer words, or a shorter time.`;
    throw new Fault("invalid_value", message, { param: "group_by" });
  }
  sums.set(id, {
    labels,
    requests: (before?.requests ?? 0) + row.requests,
    tokens: before ? addTokens(before.tokens, row.tokens) : row.tokens,
    costNanoUsd: (before?.costNanoUsd ?? 0) + row.costNanoUsd,
    chargedNanoUsd: (before?.chargedNanoUsd ?? 0) + row.chargedNanoUsd,
  });
}

/** Days are in order as they come; ids decide between what cost the same, so that the order is always one. */
function inOrder(a: Sum, b: Sum): number {
  const days = compare(a.labels.day ?? "", b.labels.day ?? "");
  return days || b.costNanoUsd - a.costNanoUsd || compare(JSON.stringify(a.labels), JSON.stringify(b.labels));
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function viewOf({ labels, requests, tokens, costNanoUsd, chargedNanoUsd }: Sum): UsageView {
  return {
    ...labels,
    requests,
    tokens: tokensView(tokens),
    cost_usd: usdOf(costNanoUsd),
    charged_usd: usdOf(chargedNanoUsd),
  };
}
