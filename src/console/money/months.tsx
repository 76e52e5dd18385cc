// Money → Statements: a month of all accounts, to read, to print with a total, and as CSV.
import { useState } from "preact/hooks";
import type { MonthView } from "../../admin/money/months.ts";
import { makeGatewayUrl, printPage } from "../browser.ts";
import { formatMoney, nameMonth } from "../frame/format.ts";
import { listMonths } from "../frame/months.ts";
import { useResource } from "../frame/resource.ts";
import { makeHref } from "../frame/route.ts";
import { Button } from "../parts/button.tsx";
import { Filter } from "../parts/field.tsx";
import { Card, PageHead } from "../parts/page.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { PrintHead } from "./print-head.tsx";

type AccountMonth = MonthView["data"][number];
type MonthTotal = keyof MonthView["total"];

const COLUMNS: readonly (readonly [label: string, name: MonthTotal, sign: 1 | -1])[] = [
  ["Balance before", "opening_balance_usd", 1],
  ["Top-ups", "topups_usd", 1],
  ["Charged", "charges_usd", -1],
  ["Adjustments", "adjustments_usd", 1],
  ["Balance after", "closing_balance_usd", 1],
  ["Cost of all requests", "cost_usd", 1],
];

/** Finance asks for the month that is over. On the first days of a gateway there is only the running one. */
function chooseFirst(months: readonly string[]): string {
  return months[1] ?? months[0] ?? "";
}

export function MonthsPage() {
  const running = listMonths("")[0] ?? "";
  const about = useResource<MonthView>(`/statements/${running}`);
  const months = listMonths(about.data?.first_month ?? running);
  const [chosen, choose] = useState<string | null>(null);
  const month = chosen ?? (about.data ? chooseFirst(months) : running);
  const path = `/statements/${month}`;
  const shown = useResource<MonthView>(path);
  return (
    <>
      <PageHead
        title="Statements"
        actions={
          <>
            <Filter
              label="Month"
              value={month}
              options={months.map((value) => ({ value, label: nameMonth(value) }))}
              onInput={choose}
            />
            <a class="button" href={makeGatewayUrl(`/admin/v1${path}.csv`)} download>
              CSV
            </a>
            <Button label="Print" onClick={printPage} />
          </>
        }
      >
        All accounts in {nameMonth(month)}. An account's own statement is on its page.
      </PageHead>
      <div class="statement">
        <Card title={`Statements of ${nameMonth(month)}`} note={shown.data && describe(shown.data)} isFlush>
          <Loaded of={shown} rows={4}>
            {(data) =>
              data.data.length === 0 ? (
                <Empty icon="invoice" title="No accounts in this month" />
              ) : (
                <>
                  <PrintHead key={month}>{nameMonth(month)}</PrintHead>
                  <Months of={data} />
                </>
              )
            }
          </Loaded>
        </Card>
      </div>
    </>
  );
}

function describe({ data }: MonthView): string {
  const zones = [...new Set(data.map(({ time_zone }) => time_zone))];
  const isOpen = data.some(({ state }) => state === "open");
  return `${data.length} ${data.length === 1 ? "account" : "accounts"}, ${zones.join(", ")}${isOpen ? ", not closed yet" : ""}`;
}

function Months({ of }: { readonly of: MonthView }) {
  const cells = (sums: Pick<AccountMonth, MonthTotal>) =>
    COLUMNS.map(([label, name, sign]) => (
      <td key={label} class="end" data-label={label}>
        {formatMoney(sign * sums[name])}
      </td>
    ));
  return (
    <div class="table-box">
      <table class="table stacks money-table" aria-label="Statements of all accounts">
        <thead>
          <tr>
            <th scope="col">Account</th>
            {COLUMNS.map(([label]) => (
              <th key={label} class="end" scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {of.data.map((row) => (
            <tr key={row.account_id}>
              <td class="head" data-label="Account">
                <a class="strong" href={makeHref(`/settings/accounts/${row.account_id}`)}>
                  {row.account}
                </a>
                {row.external_id && <span class="small faint"> {row.external_id}</span>}
              </td>
              {cells(row)}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr class="strong">
            <th scope="row">Total</th>
            {cells(of.total)}
          </tr>
        </tfoot>
      </table>
    </div>
  );
}
