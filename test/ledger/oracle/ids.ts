// The names of rows in this decision's maps.
import { type Amounts, UNITS, type Unit } from "../../../src/core/money/units.ts";

export function makeMeterId(accountId: string, owner: string, day: string): string {
  return `${accountId} ${owner} ${day}`;
}

export function makeOwnerId(accountId: string, owner: string): string {
  return `${accountId} ${owner}`;
}

/** Returns the amounts to add to a sum to take these out of it. */
export function negateAmounts(amounts: Amounts): Amounts {
  const negated: Record<Unit, number> = { ...amounts };
  for (const unit of UNITS) negated[unit] = -amounts[unit];
  return negated;
}
