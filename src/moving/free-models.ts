// Models that cost nothing: here they go on when a budget is used up, and there they didn't.
import { asArray, asObject } from "../core/json/json.ts";
import type { PlannedConfig, PlannedOwners } from "./plan.ts";
import type { Report } from "./report.ts";

const SHOWN_MAX = 5;

/** Reports them once, if anybody has a budget that stops requests. */
export function reportFreeModels(config: PlannedConfig, owners: PlannedOwners, report: Report): void {
  const all = [...owners.accounts.map(({ account }) => account), ...owners.keys.map(({ key }) => key)];
  const limited = all.filter(({ budgets }) => budgets !== "default" && budgets.some(({ isHard }) => isHard));
  const free = listFree(config);
  if (limited.length === 0 || free.length === 0) return;
  const more = free.length > SHOWN_MAX ? ` and ${free.length - SHOWN_MAX} more` : "";
  report.leave(
    null,
    `models that cost nothing (${free.length})`,
    `a used-up budget refuses them there, and not here: ${free.slice(0, SHOWN_MAX).join(", ")}${more}. Give them a price, or the keys allowed_models`,
  );
}

function listFree({ providers }: PlannedConfig): readonly string[] {
  return Object.entries(providers).flatMap(([provider, fields]) =>
    asArray(asObject(fields).models).flatMap((model) => {
      const { name, price } = asObject(model);
      const amounts = Object.values(asObject(price));
      return amounts.length > 0 && amounts.every((one) => one === 0) ? [`${provider}#${name}`] : [];
    }),
  );
}
