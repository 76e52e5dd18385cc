// The weekly report on Router#fair and Router#light: the quality promised and achieved, and the savings.
import type { Savings } from "../admin/savings.ts";
import { formatCount, formatDuration, formatPercent, formatUsd } from "./format.ts";
import { Card } from "./parts/page.tsx";
import { Empty } from "./parts/states.tsx";
import { type Column, List } from "./parts/table.tsx";
import { usePages } from "./resource.ts";

type Row = Savings["data"][number];

const COLUMNS: readonly Column<Row>[] = [
  { label: "Week of", as: "head", cell: ({ week }) => <span class="strong">{week}</span> },
  { label: "Selector", cell: ({ selector }) => selector },
  {
    label: "Requests",
    as: "end",
    cell: ({ requests, is_whole }) => (is_whole ? formatCount(requests) : `newest ${formatCount(requests)}`),
  },
  {
    label: "Quality promised",
    as: "end",
    cell: ({ promised }) => (promised === null ? "–" : formatPercent(promised)),
  },
  { label: "Predicted", as: "end", cell: ({ predicted }) => formatPercent(predicted) },
  {
    label: "Achieved, by scores",
    as: "end",
    cell: ({ kept, kept_error, judged }) =>
      kept === null
        ? `too few scores (${judged})`
        : `${formatPercent(kept)} ± ${formatPercent(kept_error ?? 0)}`,
  },
  { label: "Money saved", as: "end", cell: ({ saved_usd }) => formatUsd(saved_usd) },
  {
    label: "Time saved",
    as: "end",
    cell: ({ saved_ms }) => (saved_ms < 0 ? `−${formatDuration(-saved_ms)}` : formatDuration(saved_ms)),
  },
];

export function SavingsCard() {
  const savings = usePages<Row>("/savings");
  return (
    <Card title="Router#fair and Router#light: quality and savings" isFlush>
      <List
        label="Savings by week"
        of={savings}
        columns={COLUMNS}
        keyOf={({ week, selector }) => `${week} ${selector}`}
        empty={
          <Empty icon="activity" title="No choices in the last four weeks">
            These selectors promise a share of the best model's quality, and save money or time.
          </Empty>
        }
      />
    </Card>
  );
}
