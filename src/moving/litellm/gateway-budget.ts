// LiteLLM's budget of all calls together, which is a setting of the file. The row of a user has the spending.
import { asObject, type JsonObject } from "../../core/json/json.ts";
import { type ForeignRow, isEmptyCell, readNumber, readText } from "../columns.ts";
import type { Tables } from "./tables.ts";

/** Not a person. */
export const GATEWAY_USER = "litellm-proxy-budget";
const SECTION = "litellm_settings";
const FIELDS = ["max_budget", "budget_duration"];

/** Returns it as a row with its limits. Null if there is none, as with an amount of 0. */
export function readGatewayBudget(root: JsonObject, { users, keys }: Tables): ForeignRow | null {
  const { max_budget, budget_duration } = asObject(root[SECTION]);
  if (isEmptyCell(max_budget)) return null;
  const kept = users?.find((row) => readText(row, "user_id") === GATEWAY_USER);
  const spent = keys.map((row) => readNumber(row, "spend") ?? 0).reduce((all, one) => all + one, 0);
  const spend = kept === undefined ? spent : kept.spend;
  return { max_budget, budget_duration, spend, budget_reset_at: kept?.budget_reset_at };
}

/** True for a setting that became limits of keys. */
export function isGatewayBudget(section: string, field: string, { keys }: Tables): boolean {
  return section === SECTION && FIELDS.includes(field) && keys.length > 0;
}
