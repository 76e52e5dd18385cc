// An account's digest: what a week has cost, compared with the one before, on what, and who is near the end of a budget.
import type { EventData } from "../../core/events/events.ts";
import type { UsageQuery } from "../../core/log/log-query.ts";
import type { UsageSum } from "../../core/log/usage-sum.ts";
import { forecast } from "../../core/money/forecast.ts";
import { toUsd } from "../../core/money/money.ts";
import type { Store } from "../../core/store.ts";
import type { Clock } from "../../core/world/world.ts";
import { computeMonth, findStatementMonth } from "../../ledger/money/month.ts";
import type { Week } from "../../ledger/money/week.ts";
import { formatInstant } from "../format.ts";
import { listNearing, type NearingParts } from "../limits/nearing.ts";
import { eachPiece, type Span, splitSpan } from "../span.ts";

/** The most models, keys and people that a digest names. */
const NAMED_MAX = 5;

export interface DigestParts extends NearingParts {
  readonly store: NearingParts["store"] & Pick<Store, "usage">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly timeZone: () => string;
}

interface CostSum {
  readonly costNanoUsd: number;
  readonly requests: number;
}

const NOTHING: CostSum = { costNanoUsd: 0, requests: 0 };

/** Returns the ids of the accounts with requests in the week or in the one before. */
export async function listDigestAccounts(
  { store }: Pick<DigestParts, "store">,
  { beforeMs, toMs }: Week,
): Promise<readonly string[]> {
  const sums = await readSums(store, { fromMs: beforeMs, toMs }, "accountId");
  return [...sums].flatMap(([id, { requests }]) => (requests > 0 ? [id] : []));
}

/**
 * Returns what a digest says. People and their keys stand in `people` and `people_near` alone, by their ids: events are
 * kept longer than a name may be.
 */
export async function makeDigest(parts: DigestParts, accountId: string, week: Week): Promise<EventData> {
  const { store, clock, timeZone } = parts;
  const nowMs = clock.nowMs();
  const month = computeMonth(nowMs, timeZone());
  const whole = findStatementMonth(month, timeZone());
  const of = (span: Span, by: Dimension) => readSums(store, span, by, accountId);
  const [models, keys, people, before, running] = await Promise.all([
    of(week, "model"),
    of(week, "keyId"),
    of(week, "member"),
    of({ fromMs: week.beforeMs, toMs: week.fromMs }, "accountId"),
    of(whole, "accountId"),
  ]);
  const cost = toUsd(addUp(models).costNanoUsd);
  const costBefore = toUsd(addUp(before).costNanoUsd);
  const costOfMonth = toUsd(addUp(running).costNanoUsd);
  const personal = addUp([...people].filter(([id]) => id !== ""));
  return {
    week: week.name,
    from: formatInstant(week.fromMs),
    to: formatInstant(week.toMs),
    requests: addUp(models).requests,
    cost_usd: cost,
    before_usd: costBefore,
    change: costBefore === 0 ? null : round(cost / costBefore - 1),
    models: listDearest(models, "model"),
    keys: await listServiceKeys(parts, keys),
    personal_keys_usd: toUsd(personal.costNanoUsd),
    month,
    month_usd: costOfMonth,
    forecast_usd: forecast(costOfMonth, whole, nowMs),
    people: listDearest(new Map([...people].filter(([id]) => id !== "")), "member_id"),
    ...(await listNear(parts, accountId)),
  };
}

type Dimension = Extract<UsageQuery["groupBy"][number], "model" | "keyId" | "member" | "accountId">;

async function readSums(
  store: Pick<Store, "usage">,
  span: Span,
  by: Dimension,
  accountId?: string,
): Promise<ReadonlyMap<string, CostSum>> {
  const sums = new Map<string, CostSum>();
  const read = ({ fromMs, toMs }: Span) => store.usage({ fromMs, toMs, groupBy: [by], only: { accountId } });
  await eachPiece(splitSpan(span), read, (rows: readonly UsageSum[]) => {
    for (const row of rows) sums.set(row[by], add(sums.get(row[by]) ?? NOTHING, row));
  });
  return sums;
}

function add(one: CostSum, other: CostSum): CostSum {
  return {
    costNanoUsd: one.costNanoUsd + other.costNanoUsd,
    requests: one.requests + other.requests,
  };
}

function addUp(sums: Iterable<readonly [string, CostSum]>): CostSum {
  return [...sums].reduce((all, [, sum]) => add(all, sum), NOTHING);
}

function sortDearest(sums: ReadonlyMap<string, CostSum>): readonly (readonly [id: string, sum: CostSum])[] {
  return [...sums]
    .filter(([, { requests }]) => requests > 0)
    .toSorted(([, a], [, b]) => b.costNanoUsd - a.costNanoUsd || b.requests - a.requests);
}

function viewSum({ costNanoUsd, requests }: CostSum) {
  return { cost_usd: toUsd(costNanoUsd), requests };
}

/** Requests that no model was called for are of none. */
function listDearest(sums: ReadonlyMap<string, CostSum>, name: "model" | "member_id") {
  return sortDearest(sums)
    .filter(([id]) => id !== "")
    .slice(0, NAMED_MAX)
    .map(([id, sum]) => ({ [name]: id, ...viewSum(sum) }));
}

/** Personal keys tell of people. One that is gone has no name. */
async function listServiceKeys({ store }: DigestParts, sums: ReadonlyMap<string, CostSum>) {
  const found: EventData[] = [];
  for (const [id, sum] of sortDearest(sums)) {
    const key = await store.key(id);
    if (key?.memberId != null) continue;
    found.push({ key_id: id, name: key?.name ?? id, ...viewSum(sum) });
    if (found.length === NAMED_MAX) break;
  }
  return found;
}

/** Returns the budgets near their end: those of people and of their keys apart, without names. */
async function listNear(parts: DigestParts, accountId: string) {
  const { data } = await listNearing(parts, { accountIds: [accountId], personal: null });
  const near: EventData[] = [];
  const people: EventData[] = [];
  for (const { scope, id, name, limit } of data) {
    const { per, models, used, limit: most } = limit;
    const about = { scope, id, per, ...(models ? { models } : {}), used, limit: most };
    const isPersonal = scope === "member" || (scope === "key" && (await isPersonalKey(parts, id)));
    if (isPersonal) people.push(about);
    else near.push({ ...about, name });
  }
  return { near, people_near: people };
}

async function isPersonalKey({ store }: DigestParts, id: string): Promise<boolean> {
  return (await store.key(id))?.memberId != null;
}

const THOUSAND = 1000;

function round(share: number): number {
  return Math.round(share * THOUSAND) / THOUSAND;
}
