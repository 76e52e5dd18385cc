// An account's statement of a month: to read, to print, and as CSV.
import { useState } from "preact/hooks";
import type { StatementView } from "../../admin/money/statements.ts";
import { makeGatewayUrl, printPage } from "../browser.ts";
import { formatDay, formatUsd, nameMonth } from "../frame/format.ts";
import { listMonths } from "../frame/months.ts";
import { useResource } from "../frame/resource.ts";
import { Button } from "../parts/button.tsx";
import { Filter } from "../parts/field.tsx";
import { Card } from "../parts/page.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { type Column, makeHeadColumn, makeNumberColumn, Table } from "../parts/table.tsx";
import { PrintHead } from "./print-head.tsx";

type StatementViewLine = StatementView["lines"][number];

const COLUMNS: readonly Column<StatementViewLine>[] = [
  makeHeadColumn("Name", ({ name, id }) => name || id || "(none)"),
  makeNumberColumn("Cost", ({ cost_usd }) => formatUsd(cost_usd)),
  makeNumberColumn("Charged", ({ amount_usd }) => formatUsd(amount_usd)),
];

const HEADINGS: Readonly<Record<StatementViewLine["kind"], string>> = {
  model: "By model",
  key: "By key",
  member: "By person",
  tag: "By tag",
};

interface StatementProps {
  readonly id: string;
  /** The account's beginning, before which there is no month. */
  readonly since: string;
}

export function Statement({ id, since }: StatementProps) {
  const months = listMonths(since.slice(0, 7));
  const [month, setMonth] = useState(months[0] ?? "");
  const path = `/accounts/${id}/statements/${month}`;
  const statement = useResource<StatementView>(path);
  const { data } = statement;
  return (
    <div class="statement">
      <Card
        title={`Statement of ${nameMonth(month)}`}
        note={data && `${data.account}, ${data.time_zone}${data.state === "open" ? ", not closed yet" : ""}`}
        actions={
          <div class="row filters">
            <Filter
              label="Month"
              value={month}
              options={months.map((value) => ({ value, label: nameMonth(value) }))}
              onInput={setMonth}
            />
            <a class="button" href={makeGatewayUrl(`/admin/v1${path}.csv`)} download>
              CSV
            </a>
            <Button label="Print" onClick={printPage} />
          </div>
        }
        isFlush
      >
        <Loaded of={statement} rows={3}>
          {(shown) => (
            <>
              <PrintHead key={month}>{describePeriod(shown)}</PrintHead>
              <Sums statement={shown} />
            </>
          )}
        </Loaded>
      </Card>
    </div>
  );
}

/** Returns the first and the last day, as the statement's time zone has them. */
function describePeriod({ account_id, month, time_zone }: StatementView): string {
  const [year, at] = month.split("-").map(Number);
  const days = new Date(Date.UTC(year ?? 0, at ?? 0, 0)).getUTCDate();
  return `${formatDay(`${month}-01`)} to ${formatDay(`${month}-${days}`)}, ${time_zone} · ${account_id}`;
}

function Sums({ statement }: { readonly statement: StatementView }) {
  const sums = [
    ["Balance before", statement.opening_balance_usd],
    ["Top-ups", statement.topups_usd],
    ["Charged", -statement.charges_usd],
    ["Adjustments and other", statement.adjustments_usd],
    ["Balance after", statement.closing_balance_usd],
    ["Cost of all requests", statement.cost_usd],
  ] as const;
  return (
    <>
      <dl class="card-body statement-sums">
        {sums.map(([label, usd]) => (
          <div class="row between" key={label}>
            <dt>{label}</dt>
            <dd>{formatUsd(usd)}</dd>
          </div>
        ))}
      </dl>
      {statement.lines.length === 0 ? (
        <Empty icon="account" title="Nothing was used">
          Models, keys and people with a cost in this month appear here.
        </Empty>
      ) : (
        <Table
          label="Statement"
          columns={COLUMNS}
          rows={statement.lines}
          keyOf={({ kind, id }) => `${kind} ${id}`}
          headingOf={({ kind }) => HEADINGS[kind]}
        />
      )}
    </>
  );
}
