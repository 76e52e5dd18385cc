// The costs by which lists of keys, accounts and people are sorted: those of the running month, as far as the sender sees them.
import type { SortCosts } from "../core/store.ts";
import type { Clock } from "../core/world/world.ts";
import { type DayRules, monthStartMs } from "../ledger/limits/day.ts";
import { type Access, adminAccess, COMMAND_LINE } from "../people/access.ts";

interface SortCostParts {
  readonly clock: Pick<Clock, "nowMs">;
  readonly dayRules: () => DayRules;
}

export function readSortCosts(
  { clock, dayRules }: SortCostParts,
  access: Access = adminAccess(COMMAND_LINE),
): SortCosts {
  return { sinceMs: monthStartMs(clock.nowMs(), dayRules()), scope: access.scope("usage.read") };
}
