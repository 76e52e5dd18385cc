// The weekly report on Router#fair and Router#light: the quality that was promised and kept, and the savings.
import type { Savings } from "../admin/savings.ts";
import { count, percent, span, usd } from "./format.ts";
import { Card } from "./parts/page.tsx";
import { Empty, Loaded } from "./parts/states.tsx";
import { type Column, Table } from "./parts/table.tsx";
import { useResource } from "./resource.ts";

type Row = Savings["data"][number];

const COLUMNS: readonly Column<Row>[] = [
  { name: "week", label: "Week from", isHead: true, cell: ({ week }) => <span class="strong">{week}</span> },
  { name: "selector", label: "Selector", cell: ({ selector }) => selector },
  {
    name: "requests",
    label: "Requests",
    isNumber: true,
    cell: ({ requests, is_whole }) => (is_whole ? count(requests) : `newest ${count(requests)}`),
  },
  {
    name: "promised",
    label: "Quality promised",
    isNumber: true,
    cell: ({ promised }) => (promised === null ? "–" : percent(promised)),
  },
  {
    name: "predicted",
    label: "Predicted",
    isNumber: true,
    cell: ({ predicted }) => percent(predicted),
  },
  {
    name: "kept",
    label: "Kept, by scores",
    isNumber: true,
    cell: ({ kept, kept_error, judged }) =>
      kept === null ? `too few scores (${judged})` : `${percent(kept)} ± ${percent(kept_error ?? 0)}`,
  },
  { name: "saved", label: "Saved", isNumber: true, cell: ({ saved_usd }) => usd(saved_usd) },
  {
    name: "time",
    label: "Time saved",
    isNumber: true,
    cell: ({ saved_ms }) => (saved_ms < 0 ? `−${span(-saved_ms)}` : span(saved_ms)),
  },
];

export function SavingsCard() {
  const savings = useResource<Savings>("/savings");
  return (
    <Card title="Router#fair and Router#light: quality and savings" isFlush>
      <Loaded of={savings}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon="activity" title="Neither chose in the last four weeks">
              They promise a share of the best model's quality, and save money or time.
            </Empty>
          ) : (
            <Table
              label="Savings by week"
              columns={COLUMNS}
              rows={data}
              keyOf={(row) => `${row.week} ${row.selector}`}
            />
          )
        }
      </Loaded>
    </Card>
  );
}
