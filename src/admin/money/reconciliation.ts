// Reconciliation: the calls that providers were sent, to be laid beside their invoices, one by one and summed by day.

import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { invalidValue } from "../../core/json/schema-fault.ts";
import { readProvider } from "../../core/log/outcome.ts";
import { CALL_KINDS, type CallSum, listCalls, type ProviderCall } from "../../core/log/provider-call.ts";
import { USAGE_SOURCES } from "../../core/log/record.ts";
import { ATTEMPT_OUTCOMES } from "../../core/log/trace.ts";
import { type NanoUsd, toUsd } from "../../core/money/money.ts";
import { type Amounts, addAmounts } from "../../core/money/units.ts";
import type { Scope } from "../../core/people/people.ts";
import type { Store } from "../../core/store.ts";
import { readPages } from "../../core/world/read-pages.ts";
import type { Clock } from "../../core/world/world.ts";
import type { DayRules } from "../../ledger/limits/day.ts";
import { formatInstant } from "../format.ts";
import { ROWS_AT_ONCE } from "../log/export-rows.ts";
import { seesProviderCosts } from "../log/provider-cost.ts";
import {
  allowNull,
  allowWords,
  closeObject,
  count,
  instant,
  share,
  text,
  usd,
  type View,
} from "../schema.ts";
import { momentFields, readSpan, type Span } from "../span.ts";

/** Invoices are cut by it. */
const UTC_DAYS: DayRules = { timeZone: "UTC", dayStartsMinutes: 0 };
const DAY_MS = 86_400_000;
const SUM_DAYS_MAX = 400;

/** The names of amounts that providers bill. */
const AMOUNTS = {
  prompt_tokens: "prompt",
  cached_tokens: "cached",
  cache_write_tokens: "cacheWrite",
  completion_tokens: "completion",
  reasoning_tokens: "reasoning",
  searches: "searches",
  images: "images",
  seconds: "seconds",
  characters: "characters",
  search_units: "searchUnits",
  pages: "pages",
} as const satisfies Readonly<Record<string, keyof Amounts>>;

const amountFields: Record<keyof typeof AMOUNTS, typeof count> = Object.assign(
  {},
  ...Object.keys(AMOUNTS).map((name) => ({ [name]: count })),
);

const showAmounts = (amounts: Amounts): Record<keyof typeof AMOUNTS, number> =>
  Object.assign({}, ...Object.entries(AMOUNTS).map(([name, unit]) => ({ [name]: amounts[unit] })));

export const reconciliationQuery = closeObject(momentFields);
type ReconciliationQuery = Static<typeof reconciliationQuery>;

/** Those who see no cost without the markup get none of them. */
const costFields = {
  provider_cost_usd: Type.Optional(
    Type.Number({
      description:
        "USD. By the models' prices, without the markup. For operators, billing and admins, as what is estimated of it.",
    }),
  ),
  claimed_cost_usd: Type.Optional({
    ...usd,
    description: "USD. Where the provider reports what it bills, or 0.",
  }),
  estimated_usd: Type.Optional(usd),
  estimated_share: Type.Optional(share),
};

const sumSchema = Type.Object({
  day: Type.String({ description: "A day of UTC, such as `2026-11-20`." }),
  provider: text,
  credential: Type.String({ description: "Its last characters, or its place. Empty if none is needed." }),
  calls: count,
  failed: Type.Integer({ description: "Those of the calls that failed." }),
  ...amountFields,
  ...costFields,
  price_changes: Type.Integer({
    minimum: 0,
    description: "Models of the provider whose price differs in the watched list, which may explain a gap.",
  }),
});
export const reconciliationSchema = Type.Object({ data: Type.Array(sumSchema) });
export type ReconciliationView = View<typeof reconciliationSchema>;

/** The columns of a call. */
export const callSchema = Type.Object({
  at: instant,
  kind: allowWords(CALL_KINDS),
  provider: text,
  model: text,
  credential: text,
  upstream_request_id: allowNull(text),
  completion_id: allowNull(text),
  account_id: text,
  outcome: allowWords(ATTEMPT_OUTCOMES),
  error_code: allowNull(text),
  calls: count,
  usage_source: allowWords(USAGE_SOURCES),
  claimed: Type.Object(amountFields),
  charged: Type.Object(amountFields),
  provider_cost_usd: usd,
  claimed_cost_usd: allowNull(usd),
} satisfies Readonly<Record<string, TSchema>>);

interface ReconciliationParts {
  readonly store: Pick<Store, "providerCalls" | "requests">;
  /** Returns the number of models of each provider whose price differs in the watched list. Missing without one. */
  readonly priceChanges?: () => ReadonlyMap<string, number>;
  readonly clock: Pick<Clock, "nowMs">;
}

interface DaySum extends Pick<CallSum, "dayMs" | "credential" | "calls" | "amounts"> {
  readonly provider: string;
  readonly failed: number;
  readonly costNanoUsd: NanoUsd;
  readonly estimatedNanoUsd: NanoUsd;
  readonly reportedNanoUsd: NanoUsd;
}

/** Returns the sums of each day, provider and credential. A day counts whole if any of it is in the range. */
export async function sumReconciliation(
  { store, clock, priceChanges }: ReconciliationParts,
  query: ReconciliationQuery,
  scope: Scope,
): Promise<ReconciliationView> {
  const span = readSpan(query, clock.nowMs(), UTC_DAYS);
  if (span.toMs - span.fromMs > SUM_DAYS_MAX * DAY_MS)
    throw invalidValue("from", `at most ${SUM_DAYS_MAX} days at once; use a later time`);
  const sums = new Map<string, DaySum>();
  for (const row of await store.providerCalls.sums(span)) {
    const { dayMs, credential } = row;
    const provider = readProvider(row.model);
    const place = JSON.stringify([dayMs, provider, credential]);
    const one = { ...row, provider, failed: row.kind === "failed" ? row.calls : 0 };
    const sum = sums.get(place);
    sums.set(place, sum ? addSums(sum, one) : one);
  }
  const order = ({ day, provider, credential }: View<typeof sumSchema>) => `${day} ${provider} ${credential}`;
  const changes = priceChanges?.() ?? new Map<string, number>();
  const isCostSeen = seesProviderCosts(scope, undefined);
  const show = (sum: DaySum) => showSum(sum, changes.get(sum.provider) ?? 0, isCostSeen);
  const data = [...sums.values()].map(show).sort((a, b) => (order(a) < order(b) ? -1 : 1));
  return { data };
}

function addSums(sum: DaySum, row: DaySum): DaySum {
  return {
    ...sum,
    calls: sum.calls + row.calls,
    failed: sum.failed + row.failed,
    amounts: addAmounts(sum.amounts, row.amounts),
    costNanoUsd: sum.costNanoUsd + row.costNanoUsd,
    estimatedNanoUsd: sum.estimatedNanoUsd + row.estimatedNanoUsd,
    reportedNanoUsd: sum.reportedNanoUsd + row.reportedNanoUsd,
  };
}

function showSum(sum: DaySum, priceChanges: number, isCostSeen: boolean): View<typeof sumSchema> {
  const { dayMs, provider, credential, calls, failed, amounts } = sum;
  return {
    day: formatInstant(dayMs).slice(0, "2026-11-20".length),
    provider,
    credential,
    calls,
    failed,
    ...showAmounts(amounts),
    ...(isCostSeen ? showCost(sum) : {}),
    price_changes: priceChanges,
  };
}

function showCost({ costNanoUsd, estimatedNanoUsd, reportedNanoUsd }: DaySum) {
  return {
    provider_cost_usd: toUsd(costNanoUsd),
    claimed_cost_usd: toUsd(reportedNanoUsd),
    estimated_usd: toUsd(estimatedNanoUsd),
    estimated_share: costNanoUsd === 0 ? 0 : estimatedNanoUsd / costNanoUsd,
  };
}

/**
 * Yields every attempt in the range: first those of requests in the log, then those that are kept beyond it or that no
 * request made. Rows that leave the log meanwhile are the oldest, so each is met once.
 */
export async function* readReconciliation(
  { store, clock }: ReconciliationParts,
  query: ReconciliationQuery,
): AsyncGenerator<readonly object[]> {
  const span = readSpan(query, clock.nowMs(), UTC_DAYS);
  let oldest = { atMs: Number.POSITIVE_INFINITY, ids: new Set<string>() };
  for await (const rows of readPages((page) => store.requests(span, page), ROWS_AT_ONCE)) {
    for (const { atMs, id } of rows) {
      if (oldest.atMs !== atMs) oldest = { atMs, ids: new Set() };
      oldest.ids.add(id);
    }
    yield rows.flatMap(listCalls).map(showCall);
  }
  const isMet = ({ atMs, completionId }: ProviderCall) =>
    completionId !== null && (atMs > oldest.atMs || oldest.ids.has(completionId));
  for await (const calls of readKept(store, span)) yield calls.filter((call) => !isMet(call)).map(showCall);
}

const readKept = ({ providerCalls }: ReconciliationParts["store"], span: Span) =>
  readPages((page) => providerCalls.kept(span, page), ROWS_AT_ONCE);

function showCall(call: ProviderCall): object {
  const { atMs, kind, model, credential, upstreamRequestIds, completionId, accountId } = call;
  const { outcome, faultCode, calls, usageSource, claimed, charged, costNanoUsd } = call;
  return {
    at: formatInstant(atMs),
    kind,
    provider: readProvider(model),
    model,
    credential,
    upstream_request_id: upstreamRequestIds.join(" ") || null,
    completion_id: completionId,
    account_id: accountId,
    outcome,
    error_code: faultCode,
    calls,
    usage_source: usageSource,
    claimed: claimed && showAmounts(claimed),
    charged: showAmounts(charged),
    provider_cost_usd: toUsd(costNanoUsd),
    claimed_cost_usd: claimed?.costNanoUsd === undefined ? null : toUsd(claimed.costNanoUsd),
  };
}
