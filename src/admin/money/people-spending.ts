// The cost of each person in the running month and in the one before, with the budget that is used most.
import { type Static, Type } from "@sinclair/typebox";
import type { LimitState } from "../../core/limits/limit.ts";
import type { UsageQuery } from "../../core/log/log-query.ts";
import type { UsageSum } from "../../core/log/usage-sum.ts";
import { forecast } from "../../core/money/forecast.ts";
import { toUsd } from "../../core/money/money.ts";
import type { Scope } from "../../core/people/people.ts";
import type { Store } from "../../core/store.ts";
import type { Clock } from "../../core/world/world.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { DayRules } from "../../ledger/limits/day.ts";
import { computeMonth, findStatementMonth } from "../../ledger/money/month.ts";
import { limitSchema, limitView } from "../limits/limits.ts";
import { allowNull, closeObject, text, usd, type View } from "../schema.ts";
import { eachPiece, type Span, splitSpan } from "../span.ts";
import { findFullest } from "./spending.ts";

/** Nobody reads more people than these, and the dearest come first. */
const PEOPLE_MAX = 10_000;
/** A budget is several rows of the store, so the others are left to each person's own page. */
const BUDGETS_MAX = 1000;
const BUDGETS_AT_ONCE = 50;

export const peopleSpendingQuery = closeObject({
  account_id: Type.Optional(text),
  member: Type.Optional(text),
});

export const peopleSpendingSchema = Type.Object({
  month: Type.String({ description: "The month in the gateway's time zone, such as 2026-11." }),
  data: Type.Array(
    Type.Object({
      member_id: text,
      cost_usd: Type.Number({
        description: "USD. The price of the month's requests so far, in the accounts that the sender sees.",
      }),
      forecast_usd: allowNull(
        Type.Number({
          description: "USD. The whole month's, if it goes on as it began. Null on its first day.",
        }),
      ),
      last_month_usd: usd,
      requests: Type.Integer({ minimum: 0 }),
      budget: Type.Optional(
        Type.Object(
          { account_id: text, ...limitSchema.properties },
          { description: "The person's own budget that is used most, and the account in which it is." },
        ),
      ),
    }),
  ),
});
export type PeopleSpendingView = View<typeof peopleSpendingSchema>;

export interface PeopleSpendingParts {
  readonly store: Pick<Store, "usage">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly ledger: Pick<Ledger, "memberLimits">;
  readonly dayRules: () => DayRules;
}

/** A person's sums, the whole of them and by account. */
interface PersonSum {
  costNanoUsd: number;
  lastNanoUsd: number;
  requests: number;
  readonly accountIds: Set<string>;
}

/** Returns those who cost something in either month, the dearest first. Sums are of the rows that the scope has. */
export async function listPeopleSpending(
  parts: PeopleSpendingParts,
  query: Static<typeof peopleSpendingQuery>,
  scope: Scope,
): Promise<PeopleSpendingView> {
  const nowMs = parts.clock.nowMs();
  const { timeZone } = parts.dayRules();
  const month = computeMonth(nowMs, timeZone);
  const span = findStatementMonth(month, timeZone);
  const last = findStatementMonth(computeMonth(span.fromMs - 1, timeZone), timeZone);
  const people = await sumPeople(parts.store, { span, last }, query, scope);
  const dearest = [...people]
    .toSorted(([, a], [, b]) => b.costNanoUsd - a.costNanoUsd || b.lastNanoUsd - a.lastNanoUsd)
    .slice(0, PEOPLE_MAX);
  const budgets = await findBudgets(parts, dearest.slice(0, BUDGETS_MAX));
  return {
    month,
    data: dearest.map(([member_id, { costNanoUsd, lastNanoUsd, requests }]) => {
      const cost_usd = toUsd(costNanoUsd);
      const budget = budgets.get(member_id);
      return {
        member_id,
        cost_usd,
        forecast_usd: forecast(cost_usd, span, nowMs),
        last_month_usd: toUsd(lastNanoUsd),
        requests,
        ...(budget ? { budget } : {}),
      };
    }),
  };
}

/** Adds up both months, piece by piece. */
async function sumPeople(
  store: PeopleSpendingParts["store"],
  { span, last }: { readonly span: Span; readonly last: Span },
  { account_id: accountId, member: memberId }: Static<typeof peopleSpendingQuery>,
  scope: Scope,
): Promise<ReadonlyMap<string, PersonSum>> {
  const people = new Map<string, PersonSum>();
  const addUp = (
    months: Span,
    groupBy: UsageQuery["groupBy"],
    add: (spent: PersonSum, row: UsageSum) => void,
  ) =>
    eachPiece(
      splitSpan(months),
      ({ fromMs, toMs }) => store.usage({ fromMs, toMs, groupBy, only: { accountId, memberId, scope } }),
      (rows) => {
        // Nobody's are those of service keys.
        for (const row of rows)
          if (row.member !== "") add(people.getOrInsertComputed(row.member, makePersonSum), row);
      },
    );
  await Promise.all([
    addUp(span, ["member", "accountId"], (spent, row) => {
      spent.costNanoUsd += row.costNanoUsd;
      spent.requests += row.requests;
      spent.accountIds.add(row.accountId);
    }),
    addUp(last, ["member"], (spent, row) => {
      spent.lastNanoUsd += row.costNanoUsd;
    }),
  ]);
  return people;
}

function makePersonSum(): PersonSum {
  return { costNanoUsd: 0, lastNanoUsd: 0, requests: 0, accountIds: new Set() };
}

type SpendingBudget = NonNullable<PeopleSpendingView["data"][number]["budget"]>;

/** Finds them a few at once. Somebody who used several accounts is shown with the budget nearest to its end. */
async function findBudgets(
  { ledger }: PeopleSpendingParts,
  people: readonly (readonly [memberId: string, spent: PersonSum])[],
): Promise<ReadonlyMap<string, SpendingBudget>> {
  const found = new Map<string, SpendingBudget>();
  for (let from = 0; from < people.length; from += BUDGETS_AT_ONCE) {
    const some = people.slice(from, from + BUDGETS_AT_ONCE);
    const reads = some.map(async ([memberId, { accountIds }]) => {
      const limits = await Promise.all(
        [...accountIds].map(async (accountId) =>
          (await ledger.memberLimits({ accountId, memberId })).map((limit) => ({ ...limit, accountId })),
        ),
      );
      const fullest = findFullest<LimitState & { readonly accountId: string }>(limits.flat());
      if (fullest === null) return;
      const { accountId: account_id, ...limit } = fullest;
      found.set(memberId, { account_id, ...limitView(limit) });
    });
    await Promise.all(reads);
  }
  return found;
}
