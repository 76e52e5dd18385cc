// Models that cost nothing. There, a used-up budget refuses them too, and here it would let them go on. So they get the
// smallest price if anybody has a budget.
import { asArray, asObject } from "../core/json/json.ts";
import type { PlannedConfig, PlannedOwners } from "./plan.ts";
import type { Report } from "./report.ts";

const SHOWN_MAX = 5;
/** In USD. A million requests take one dollar of a budget. */
const SMALLEST = { per_request: 0.000001 };

/** Returns the configuration with these prices, and reports them once. */
export function priceFreeModels(config: PlannedConfig, owners: PlannedOwners, report: Report): PlannedConfig {
  const all = [...owners.accounts.map(({ account }) => account), ...owners.keys.map(({ key }) => key)];
  const limited = all.filter(({ budgets }) => budgets !== "default" && budgets.some(({ isHard }) => isHard));
  const free: string[] = [];
  const priceOne = (provider: string, model: unknown): unknown => {
    const { name, price, ...rest } = asObject(model);
    const amounts = Object.values(asObject(price));
    if (amounts.length === 0 || amounts.some((one) => one !== 0)) return model;
    free.push(`${provider}#${name}`);
    return { name, ...rest, price: { ...asObject(price), ...SMALLEST } };
  };
  if (limited.length === 0) return config;
  const providers = Object.entries(config.providers).map(([provider, fields]): [string, object] => {
    const { models } = asObject(fields);
    if (models === undefined) return [provider, fields];
    return [provider, { ...fields, models: asArray(models).map((model) => priceOne(provider, model)) }];
  });
  if (free.length === 0) return config;
  const more = free.length > SHOWN_MAX ? ` and ${free.length - SHOWN_MAX} more` : "";
  report.narrow(
    null,
    `models that cost nothing (${free.length})`,
    `a used-up budget refuses them there, so they cost ${SMALLEST.per_request.toFixed(6)} USD a request here: ${free.slice(0, SHOWN_MAX).join(", ")}${more}`,
  );
  return { ...config, providers: Object.fromEntries(providers) };
}
