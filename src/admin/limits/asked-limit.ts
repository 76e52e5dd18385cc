// The limit that a request for more is about, as it is and as it would be.
import { invalidValue } from "../../core/json/schema-fault.ts";
import type { Account } from "../../core/keys/key.ts";
import { readAccountLimits } from "../../core/keys/key-limits.ts";
import type { Budget } from "../../core/limits/budget.ts";
import type { OwnerLimits } from "../../core/limits/limit.ts";
import { MINUTE_LIMITS, mapLimits } from "../../core/limits/limit-table.ts";
import { type AskedLimit, nameAskedLimit } from "../../core/limits/member-limits.ts";
import { showModels } from "../../core/models/alias-entry.ts";

/**
 * Returns the limit that is asked about, with what it is now. A budget's models are asked for by the names of aliases. Throws
 * the Fault of a limit that nobody set, which can't be raised.
 */
export function requireLimit(
  asked: AskedLimit,
  limits: OwnerLimits,
): { readonly asked: AskedLimit; readonly limit: number } {
  const budget = limits.budgets.find((one) => nameAsShown(one) === nameAskedLimit(asked));
  if (asked.kind === "budget" && budget)
    return { asked: { ...asked, models: budget.models }, limit: budget.nanoUsd };
  const set = { ...mapLimits(MINUTE_LIMITS, "name", ({ property }) => limits[property]), budget: null };
  const limit = set[asked.kind];
  if (limit !== null) return { asked, limit };
  const param = asked.kind === "budget" ? "budget" : "limit";
  throw invalidValue(
    param,
    "there is no such limit in this account, so nothing of the kind has to be raised",
  );
}

/** As one asks for it, with the names of aliases. */
function nameAsShown({ per, models }: Budget): string {
  return nameAskedLimit({ kind: "budget", per, models: models && showModels(models).toSorted() });
}

/** Throws if the account's own limit would stop the person before the raised one does. */
export function refuseBeyondAccount(account: Account, asked: AskedLimit, raised: number): void {
  const limits = readAccountLimits(account);
  const ofBudgets = limits.budgets
    .filter(({ isHard, per, models }) => isHard && per === asked.per && isWithin(asked, models))
    .map(({ nanoUsd }) => nanoUsd);
  const own = {
    ...mapLimits(MINUTE_LIMITS, "name", ({ property }) => limits[property]),
    budget: ofBudgets.length === 0 ? null : Math.min(...ofBudgets),
  };
  const most = own[asked.kind];
  if (most === null || raised <= most) return;
  throw invalidValue("amount", "with it, the limit would be above the account's own");
}

/** True if a budget of these models counts all that the asked one counts. */
function isWithin({ models: asked }: AskedLimit, models: readonly string[] | null): boolean {
  return models === null || (asked?.every((model) => models.includes(model)) ?? false);
}
