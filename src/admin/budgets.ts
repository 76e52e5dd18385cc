// Budgets on the admin routes: their schema, their reading from a request and their form in an answer.
import { Type } from "@sinclair/typebox";
import { type Budget, makeBudget, nameBudget, PERIODS } from "../core/budget.ts";
import type { Value, WireBudget } from "../core/fields/field.ts";
import { toUsd } from "../core/money.ts";
import { invalidValue } from "../core/schema-fault.ts";
import { formatInstant } from "./format.ts";
import { momentSchema, readInstant, readUsd, usdSchema } from "./input.ts";
import { allowNull, allowWords, boolean, closeObject, instant, share, text, usd } from "./schema.ts";

const MODELS_MAX = 100;
const WARNINGS_MAX = 10;

/** A budget in a request. `model` is the schema of one pattern. */
export function makeBudgetSchema(model: ReturnType<typeof Type.String>) {
  return closeObject({
    usd: usdSchema,
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
export function readBudgets(budgets: readonly WireBudget[], name: string): readonly Budget[] {
  const read = budgets.map((budget, at) => readBudget(budget, `${name}[${at}]`));
  const names = read.map(nameBudget);
  const twice = names.findIndex((one, at) => names.indexOf(one) !== at);
  if (twice === -1) return read;
  throw invalidValue(`${name}[${twice}]`, `there is another budget ${describeName(names[twice] ?? "")}`);
}

function describeName(name: string): string {
  const [per, ...models] = name.split(" ");
  return models.length === 0 ? `per ${per}` : `per ${per} for ${models.join(", ")}`;
}

function readBudget({ extra_usd, extra_until, ...budget }: WireBudget, at: string): Budget {
  const isWhole = (extra_usd ?? null) === null ? (extra_until ?? null) === null : Boolean(extra_until);
  if (!isWhole) throw invalidValue(`${at}.extra_until`, "extra_usd and extra_until are only given together");
  const extraNanoUsd = extra_usd ? readUsd(extra_usd, `${at}.extra_usd`) : 0;
  return makeBudget({
    nanoUsd: readUsd(budget.usd, `${at}.usd`),
    per: budget.per,
    models: budget.models,
    warn: budget.warn,
    isHard: budget.hard,
    extra:
      extraNanoUsd > 0 && extra_until
        ? { nanoUsd: extraNanoUsd, untilMs: readInstant(extra_until, `${at}.extra_until`) }
        : null,
  });
}

export function formatBudgets(budgets: Value<"budgets">): readonly WireBudget[] | "default" {
  return budgets === "default" ? budgets : budgets.map(formatBudget);
}

function formatBudget({ nanoUsd, per, models, warn, isHard, extra }: Budget): WireBudget {
  return {
    usd: toUsd(nanoUsd),
    per,
    ...(models ? { models } : {}),
    ...(warn.length > 0 ? { warn } : {}),
    ...(isHard ? {} : { hard: false }),
    ...(extra ? { extra_usd: toUsd(extra.nanoUsd), extra_until: formatInstant(extra.untilMs) } : {}),
  };
}
