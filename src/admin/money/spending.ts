// The cost of each account in the running month, with the budget that it uses most, and its keys and people.
import { Type } from "@sinclair/typebox";
import type { LimitState } from "../../core/limits/limit.ts";
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
import { allowNull, text, usd, type View } from "../schema.ts";
import type { Span } from "../span.ts";

/** More accounts than these aren't read one after the other by somebody. */
const ACCOUNTS_MAX = 1000;

const count = Type.Integer({ minimum: 0 });
export const spendingSchema = Type.Object({
  month: Type.String({ description: "The month in the gateway's time zone, such as 2026-11." }),
  data: Type.Array(
    Type.Object({
      account_id: text,
      cost_usd: Type.Number({ description: "USD. The price of the month's requests so far, whoever paid." }),
      forecast_usd: allowNull(
        Type.Number({
          description: "USD. The whole month's, if it goes on as it began. Null on its first day.",
        }),
      ),
      last_month_usd: usd,
      requests: count,
      budget: Type.Optional(limitSchema),
      keys: Type.Integer({ minimum: 0, description: "Those that work." }),
      people: Type.Integer({ minimum: 0, description: "Those with a role in this account." }),
    }),
  ),
  total_usd: usd,
  total_forecast_usd: allowNull(usd),
  total_last_month_usd: usd,
});
export type SpendingView = View<typeof spendingSchema>;

export interface SpendingParts {
  readonly store: Pick<Store, "accounts" | "usage"> & {
    readonly people: Pick<Store["people"], "countByAccount">;
  };
  readonly clock: Pick<Clock, "nowMs">;
  readonly ledger: Pick<Ledger, "limitsByAccount">;
  readonly dayRules: () => DayRules;
}

/** Accounts in which the sender sees only their personal keys are left out. */
export async function listSpending(parts: SpendingParts, scope: Scope): Promise<SpendingView> {
  const { store, clock, ledger, dayRules } = parts;
  const nowMs = clock.nowMs();
  const whole: Scope = { ...scope, personal: null };
  const { timeZone } = dayRules();
  const month = computeMonth(nowMs, timeZone);
  const span = findStatementMonth(month, timeZone);
  const accounts = await store.accounts({ limit: ACCOUNTS_MAX, after: null }, { scope: whole });
  const ids = accounts.map(({ id }) => id);
  const shown: Scope = { accountIds: ids, personal: null };
  const sum = ({ fromMs, toMs }: Span) =>
    store.usage({ fromMs, toMs, groupBy: ["accountId"], only: { scope: shown } });
  const [sums, sumsBefore, { keys, people }, limits] = await Promise.all([
    sum(span),
    sum(findStatementMonth(computeMonth(span.fromMs - 1, timeZone), timeZone)),
    store.people.countByAccount(ids, nowMs),
    ledger.limitsByAccount(accounts.filter(({ budgets }) => budgets.length > 0)),
  ]);
  const used = Map.groupBy(sums, ({ accountId }) => accountId);
  const before = Map.groupBy(sumsBefore, ({ accountId }) => accountId);
  const data = ids.map((id) => {
    const own = used.get(id) ?? [];
    const cost = addCosts(own);
    const budget = findFullest(limits.get(id) ?? []);
    return {
      account_id: id,
      cost_usd: cost,
      forecast_usd: forecast(cost, span, nowMs),
      last_month_usd: addCosts(before.get(id) ?? []),
      requests: own.reduce((sum, { requests }) => sum + requests, 0),
      ...(budget === null ? {} : { budget: limitView(budget) }),
      keys: keys.get(id) ?? 0,
      people: people.get(id) ?? 0,
    };
  });
  const total = data.reduce((sum, { cost_usd }) => sum + cost_usd, 0);
  return {
    month,
    data,
    total_usd: total,
    total_forecast_usd: forecast(total, span, nowMs),
    total_last_month_usd: data.reduce((sum, { last_month_usd }) => sum + last_month_usd, 0),
  };
}

function addCosts(sums: readonly UsageSum[]): number {
  return toUsd(sums.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0));
}

/** Returns the budget that is nearest to its end. Null if there is none among the limits. */
export function findFullest<Limit extends LimitState>(limits: readonly Limit[]): Limit | null {
  const shareOf = ({ used, reserved, limit }: Limit) => (limit === 0 ? 1 : (used + reserved) / limit);
  const budgets = limits.filter(({ kind }) => kind === "budget");
  return budgets.toSorted((a, b) => shareOf(b) - shareOf(a))[0] ?? null;
}
