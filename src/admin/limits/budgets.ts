// Budgets on the admin routes: their schema, their reading from a request and their form in an answer.
import { Type } from "@sinclair/typebox";
import type { Value, WireBudget } from "../../core/fields/field.ts";
import { invalidValue, missingParameter } from "../../core/json/schema-fault.ts";
import { type Budget, makeBudget, nameBudget, PERIODS, showBudgetModels } from "../../core/limits/budget.ts";
import { type AliasNames, showModels } from "../../core/models/alias-entry.ts";
import { toUsd } from "../../core/money/money.ts";
import { formatInstant } from "../format.ts";
import { momentSchema, readInstant, readUsd, usdSchema } from "../input.ts";
import { readBudgetModels } from "../models/patterns.ts";
import { allowNull, allowWords, boolean, closeObject, instant, share, text, usd } from "../schema.ts";

const MODELS_MAX = 100;
const WARNINGS_MAX = 10;

/** A budget in a request. `model` is the schema of one model. */
export function makeBudgetSchema(model: ReturnType<typeof Type.String>) {
  return closeObject({
    usd: Type.Optional({
      ...usdSchema,
      description: "USD, with up to nine decimals. Left out only in a change of `extra_usd` alone.",
    }),
    per: allowWords(PERIODS),
    models: Type.Optional(allowNull(Type.Array(model, { minItems: 1, maxItems: MODELS_MAX }))),
    warn: Type.Optional(
      Type.Array(Type.Number({ exclusiveMinimum: 0, maximum: 1 }), { maxItems: WARNINGS_MAX }),
    ),
    hard: Type.Optional(boolean),
    extra_usd: Type.Optional(allowNull(usdSchema)),
    extra_until: Type.Optional(allowNull(momentSchema)),
  });
}

/** A budget in an answer. */
export const budgetView = Type.Object({
  usd,
  per: allowWords(PERIODS),
  models: Type.Optional(Type.Array(text)),
  warn: Type.Optional(Type.Array(share)),
  hard: Type.Optional(boolean),
  extra_usd: Type.Optional(usd),
  extra_until: Type.Optional(instant),
});

/** Reads budgets that fit the schema. Throws the Fault of two of one name, or of half an extra amount. */
export function readBudgets(
  budgets: readonly WireBudget[],
  name: string,
  aliases: AliasNames,
): readonly Budget[] {
  const read = budgets.map((budget, at) => readBudget(budget, `${name}[${at}]`, aliases));
  const names = read.map(nameBudget);
  const twice = names.findIndex((one, at) => names.indexOf(one) !== at);
  if (twice === -1) return read;
  throw invalidValue(`${name}[${twice}]`, `there is another budget ${describeName(names[twice] ?? "")}`);
}

function describeName(name: string): string {
  const [per] = name.split(" ");
  const models = showBudgetModels(name);
  return models === null ? `per ${per}` : `per ${per} for ${models.join(", ")}`;
}

function readBudget(budget: WireBudget, at: string, aliases: AliasNames): Budget {
  if (budget.usd === undefined) throw missingParameter(`${at}.usd`);
  return makeBudget({
    nanoUsd: readUsd(budget.usd, `${at}.usd`),
    per: budget.per,
    models: readBudgetModels(budget.models, `${at}.models`, aliases),
    warn: budget.warn,
    isHard: budget.hard,
    extra: readExtra(budget, at),
  });
}

/** Null if there is none, or if it is 0. */
function readExtra({ extra_usd, extra_until }: WireBudget, at: string): Budget["extra"] {
  const isWhole = (extra_usd ?? null) === null ? (extra_until ?? null) === null : Boolean(extra_until);
  if (!isWhole) throw invalidValue(`${at}.extra_until`, "extra_usd and extra_until are only given together");
  const nanoUsd = extra_usd ? readUsd(extra_usd, `${at}.extra_usd`) : 0;
  return nanoUsd > 0 && extra_until
    ? { nanoUsd, untilMs: readInstant(extra_until, `${at}.extra_until`) }
    : null;
}

/** The extra amount of one budget, which a change sets without naming the budget's other fields. */
interface Raise {
  readonly name: string;
  /** The element of the request. */
  readonly at: string;
  readonly extra: Budget["extra"];
}

const RAISING: ReadonlySet<string> = new Set(["per", "models", "extra_usd", "extra_until"]);

/**
 * Reads a change of nothing but extra amounts: a list of budgets without their `usd`. Null if it is none, and then sets the
 * whole list. Throws the Fault of half an extra amount.
 */
export function readRaises(
  budgets: readonly WireBudget[] | "default" | null | undefined,
  field: string,
): readonly Raise[] | null {
  if (!Array.isArray(budgets) || budgets.length === 0) return null;
  const list: readonly WireBudget[] = budgets;
  const isRaise = (budget: WireBudget) =>
    budget.extra_usd !== undefined && Object.keys(budget).every((name) => RAISING.has(name));
  if (!list.every(isRaise)) return null;
  return list.map((budget, index) => {
    const at = `${field}[${index}]`;
    const extra = readExtra(budget, at);
    return {
      name: nameAsShown(makeBudget({ nanoUsd: 0, per: budget.per, models: budget.models })),
      at,
      extra,
    };
  });
}

/** Returns the name with which people call a budget: with the aliases of its models as they write them. */
function nameAsShown({ per, models }: Pick<Budget, "per" | "models">): string {
  return nameBudget({ per, models: models && showModels(models).toSorted() });
}

/** Returns the budgets with those extra amounts. Throws the Fault of a budget that there isn't. */
export function raiseBudgets(budgets: Value<"budgets">, raises: readonly Raise[]): readonly Budget[] {
  const own = budgets === "default" ? [] : budgets;
  for (const { name, at } of raises) {
    if (own.some((budget) => nameAsShown(budget) === name)) continue;
    const whose =
      budgets === "default" ? "its budgets are the configured ones" : "it isn't among its budgets";
    throw invalidValue(
      at,
      `there is no budget ${describeName(name)} of its own to add to (${whose}): give it with its usd`,
    );
  }
  return own.map((budget) => {
    const raise = raises.find(({ name }) => name === nameAsShown(budget));
    return raise ? { ...budget, extra: raise.extra } : budget;
  });
}

/** Returns the budgets with the extra amounts that budgets of the same names have, unless they say otherwise. */
export function keepExtras(before: Value<"budgets">, after: Value<"budgets">): Value<"budgets"> {
  if (before === "default" || after === "default") return after;
  return after.map((budget) => {
    const known = before.find((one) => nameBudget(one) === nameBudget(budget));
    return { ...budget, extra: budget.extra ?? known?.extra ?? null };
  });
}

export function formatBudgets(budgets: Value<"budgets">): readonly WireBudget[] | "default" {
  return budgets === "default" ? budgets : budgets.map(formatBudget);
}

function formatBudget({ nanoUsd, per, models, warn, isHard, extra }: Budget): WireBudget {
  return {
    usd: toUsd(nanoUsd),
    per,
    ...(models ? { models: showModels(models) } : {}),
    ...(warn.length > 0 ? { warn } : {}),
    ...(isHard ? {} : { hard: false }),
    ...(extra ? { extra_usd: toUsd(extra.nanoUsd), extra_until: formatInstant(extra.untilMs) } : {}),
  };
}
