// The limits that an account gives each of its members: their schema, their reading from a request and their form in an answer.
import { type TSchema, Type } from "@sinclair/typebox";
import type { Field, WireBudget, WireMemberDefaults } from "../../core/fields/field.ts";
import { omitUndefined } from "../../core/json/json.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import { LIMIT_MAX } from "../../core/limits/limit.ts";
import { MINUTE_LIMITS, mapLimits } from "../../core/limits/limit-table.ts";
import type { MemberDefaults } from "../../core/limits/member-limits.ts";
import type { AliasNames } from "../../core/models/alias-entry.ts";
import { integerSchema, readList } from "../input.ts";
import { modelOrAlias, pattern } from "../models/patterns.ts";
import { toolPattern } from "../models/tool-pattern.ts";
import { allowNull, closeObject, count, text } from "../schema.ts";
import { budgetView, formatBudgets, makeBudgetSchema, readBudgets } from "./budgets.ts";

export function makeMemberDefaultsSchema(field: Field<"member_defaults">): TSchema {
  const { budgetsMax, modelsMax, toolsMax, keysMax } = field;
  const limit = Type.Optional(allowNull(integerSchema(0, LIMIT_MAX)));
  return allowNull(
    closeObject({
      ...mapLimits(MINUTE_LIMITS, "name", () => limit),
      budgets: Type.Optional(allowNull(Type.Array(makeBudgetSchema(modelOrAlias), { maxItems: budgetsMax }))),
      allowed_models: Type.Optional(allowNull(Type.Array(pattern, { maxItems: modelsMax }))),
      allowed_tools: Type.Optional(allowNull(Type.Array(toolPattern, { maxItems: toolsMax }))),
      keys: Type.Optional(allowNull(integerSchema(0, keysMax))),
    }),
  );
}

/** Fields without a limit are left out. */
export const memberDefaultsView = Type.Object({
  ...mapLimits(MINUTE_LIMITS, "name", () => Type.Optional(count)),
  budgets: Type.Optional(Type.Array(budgetView)),
  allowed_models: Type.Optional(Type.Array(text)),
  allowed_tools: Type.Optional(Type.Array(text)),
  keys: Type.Optional(count),
});

/** Throws the Fault of the first wrong field. More for one person is given by the rules of the sign-in, or asked for. */
export function readMemberDefaults(
  given: WireMemberDefaults,
  name: string,
  aliases: AliasNames,
): MemberDefaults {
  const budgets = given.budgets ?? [];
  const extra = budgets.findIndex(hasExtra);
  if (extra >= 0) {
    throw invalidValue(`${name}.budgets[${extra}]`, "an extra amount is for one person, who asks for it");
  }
  return {
    ...mapLimits(MINUTE_LIMITS, "property", (limit) => given[limit.name] ?? null),
    budgets: readBudgets(budgets, `${name}.budgets`, aliases),
    allowedModels: readList(given.allowed_models ?? []),
    allowedTools: given.allowed_tools ? [...new Set(given.allowed_tools)] : null,
    keys: given.keys ?? null,
  };
}

function hasExtra({ extra_usd, extra_until }: WireBudget): boolean {
  return (extra_usd ?? null) !== null || (extra_until ?? null) !== null;
}

export function formatMemberDefaults(defaults: MemberDefaults): WireMemberDefaults {
  const { allowedModels, allowedTools, keys } = defaults;
  const budgets = formatBudgets(defaults.budgets);
  return {
    ...omitUndefined(mapLimits(MINUTE_LIMITS, "name", ({ property }) => defaults[property] ?? undefined)),
    ...(budgets === "default" || budgets.length === 0 ? {} : { budgets }),
    ...(allowedModels === null ? {} : { allowed_models: allowedModels }),
    ...(allowedTools === null ? {} : { allowed_tools: allowedTools }),
    ...(keys === null ? {} : { keys }),
  };
}
