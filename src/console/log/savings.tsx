// The weekly report on Router#fair and Router#light: the quality promised and achieved, and the savings.
import { useState } from "preact/hooks";
import type { Savings } from "../../admin/log/savings.ts";
import { formatCount, formatDay, formatDuration, formatMoney, formatPercent } from "../frame/format.ts";
import { usePages } from "../frame/resource.ts";
import { Button } from "../parts/button.tsx";
import { Empty } from "../parts/states.tsx";
import {
  type Column,
  List,
  leaveOutNarrow,
  makeColumn,
  makeHeadColumn,
  makeNumberColumn,
} from "../parts/table.tsx";

type ModelSavings = Savings["data"][number];

const COLUMNS: readonly Column<ModelSavings>[] = [
  makeHeadColumn("Week of", ({ week }) => <span class="strong nowrap">{formatDay(week)}</span>),
  makeColumn("Selector", ({ selector }) => selector),
  leaveOutNarrow(makeNumberColumn("Requests", ({ requests }) => formatCount(requests))),
  leaveOutNarrow(
    makeNumberColumn("Quality promised", ({ promised }) =>
      promised === null ? "–" : formatPercent(promised),
    ),
  ),
  leaveOutNarrow(makeNumberColumn("Predicted", ({ predicted }) => formatPercent(predicted))),
  leaveOutNarrow(
    makeNumberColumn("Achieved, by scores", ({ kept, kept_error, judged }) =>
      kept === null
        ? `too few scores (${judged})`
        : `${formatPercent(kept)} ± ${formatPercent(kept_error ?? 0)}`,
    ),
  ),
  makeNumberColumn("Cost", ({ cost_usd }) => formatMoney(cost_usd)),
  makeNumberColumn("Instead of always", ({ best_cost_usd, best_model }) => (
    <div>
      <div>{formatMoney(best_cost_usd)}</div>
      <div class="small faint">{best_model}</div>
    </div>
  )),
  makeNumberColumn("Saved", ({ saved_usd }) => formatMoney(saved_usd)),
  leaveOutNarrow(
    makeNumberColumn("Time saved", ({ saved_ms }) =>
      saved_ms < 0 ? `−${formatDuration(-saved_ms)}` : formatDuration(saved_ms),
    ),
  ),
];

/** Weeks whose answers nobody scored say nothing of the quality. */
const isScored = ({ kept, judged }: ModelSavings) => kept !== null || judged > 0;

export function SavingsCard() {
  const savings = usePages<ModelSavings>("/savings");
  const [areAllShown, showAll] = useState(false);
  const unscored = (savings.data ?? []).filter((row) => !isScored(row)).length;
  const rows = areAllShown ? savings.data : savings.data?.filter(isScored);
  const isFolded = unscored > 0 && !areAllShown;
  return (
    <List
      title="Router#fair and Router#light: quality and savings"
      note="Compared with always asking the model that is expected to answer best, which is named below its cost. Costs are those that the decisions expected"
      label="Savings by week"
      of={{ ...savings, data: rows }}
      actions={
        isFolded && <Button label={`Show ${unscored} without scores`} isTiny onClick={() => showAll(true)} />
      }
      columns={COLUMNS}
      keyOf={({ week, selector }) => `${week} ${selector}`}
      empty={
        isFolded ? (
          <p class="faint quiet-state">Nobody scored these answers yet.</p>
        ) : (
          <Empty icon="activity" title="No choices in the last four weeks">
            These selectors promise a share of the best model's quality, and save money or time.
          </Empty>
        )
      }
    />
  );
}
