// The cost of the running month so far, its forecast, and the month before, in one line.
import type { PeopleSpendingView } from "../../admin/money/people-spending.ts";
import type { SpendingView } from "../../admin/money/spending.ts";
import { withQuery } from "../frame/api.ts";
import { formatMoney, nameMonth } from "../frame/format.ts";
import { useResource } from "../frame/resource.ts";
import type { Filters } from "../frame/scope.ts";

/** The running month's, whatever the period: of all that one sees, of one account or of one person. Other parts have none. */
export function Forecast({ filters }: { readonly filters: Filters }) {
  const { account_id, member, ...others } = filters;
  const isKnown = Object.keys(others).length === 0;
  if (!isKnown) return null;
  return member ? <PersonForecast filters={filters} /> : <AccountForecast accountId={account_id} />;
}

function AccountForecast({ accountId }: { readonly accountId: string | undefined }) {
  const { data } = useResource<SpendingView>("/spending");
  if (!data || data.data.length === 0) return null;
  const { month, total_usd, total_forecast_usd, total_last_month_usd } = data;
  const total = {
    cost_usd: total_usd,
    forecast_usd: total_forecast_usd,
    last_month_usd: total_last_month_usd,
  };
  const of = accountId ? data.data.find((row) => row.account_id === accountId) : total;
  return of ? <ForecastLine month={month} of={of} /> : null;
}

function PersonForecast({ filters: { account_id, member } }: { readonly filters: Filters }) {
  const { data } = useResource<PeopleSpendingView>(withQuery("/spending/people", { account_id, member }));
  const own = data?.data[0];
  if (!data || !own) return null;
  return <ForecastLine month={data.month} of={own} />;
}

interface ForecastLineProps {
  readonly month: string;
  readonly of: Pick<PeopleSpendingView["data"][number], "cost_usd" | "forecast_usd" | "last_month_usd">;
}

function ForecastLine({ month, of }: ForecastLineProps) {
  const { cost_usd, forecast_usd, last_month_usd } = of;
  const forecast = forecast_usd === null ? "" : `, about ${formatMoney(forecast_usd)} by its end`;
  const before = `${formatMoney(last_month_usd)} in the month before`;
  return (
    <p class="small soft forecast">
      {`${nameMonth(month)}: ${formatMoney(cost_usd)} so far${forecast}; ${before}.`}
    </p>
  );
}
