// The cost of an account or a person in the running month, and the budget that is used most.
import type { LimitView } from "../../admin/limits/limits.ts";
import { formatMoney } from "../frame/format.ts";
import { measureShare, nameLimit } from "../limits/limit-bars.tsx";
import { Meter, NoFigure } from "../parts/states.tsx";

interface SpentProps {
  /** Undefined until it is known, and for what one doesn't see. */
  readonly row: { readonly cost_usd: number; readonly forecast_usd: number | null } | undefined;
  readonly isLoading: boolean;
}

export function Spent({ row, isLoading }: SpentProps) {
  if (!row) return <NoFigure isLoading={isLoading} />;
  return (
    <div class="beside yields end">
      {row.forecast_usd !== null && row.forecast_usd > 0 && (
        <span class="small faint">{formatMoney(row.forecast_usd)} by its end</span>
      )}
      <span class={row.cost_usd > 0 ? "strong" : "faint"}>{formatMoney(row.cost_usd)}</span>
    </div>
  );
}

interface BudgetBarProps {
  /** Undefined as for `Spent`. Without a budget, there is none. */
  readonly row: { readonly budget?: LimitView } | undefined;
  readonly isLoading: boolean;
}

export function BudgetBar({ row, isLoading }: BudgetBarProps) {
  if (!row) return <NoFigure isLoading={isLoading} />;
  const { budget } = row;
  if (!budget) return <span class="faint">none</span>;
  const words = `${formatMoney(budget.used)} of ${formatMoney(budget.limit)}`;
  const window = nameLimit(budget);
  return (
    <div class="gauge" title={window}>
      <span>{words}</span>
      <Meter share={measureShare(budget)} label={`${window}: ${words}`} />
    </div>
  );
}
