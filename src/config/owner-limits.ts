// The limits of keys that say nothing themselves: `key_defaults`, and whom refusals name.
import { type Static, Type } from "@sinclair/typebox";
import { type Budget, makeBudget, nameBudget, PERIODS } from "../core/budget.ts";
import { parseDuration } from "../core/duration.ts";
import { LIMIT_MAX } from "../core/limit.ts";
import { NANO_PER_USD } from "../core/money.ts";
import type { LimitRules } from "../core/settings.ts";
import type { Issues, Path } from "./errors.ts";
import { choice, duration, integer, number, options, orNull, section, text } from "./field-types.ts";
import { modelPattern } from "./model-schema.ts";

const BUDGETS_MAX = 20;
const USD_MAX = 1_000_000_000;
const MODELS_MAX = 100;
const WARNINGS_MAX = 10;

const limit = orNull(integer(0, LIMIT_MAX), `an integer from 0 to ${LIMIT_MAX}, or null for no limit`);
const budget = section(
  {
    usd: number(0, USD_MAX),
    per: choice(PERIODS),
    models: Type.Optional(Type.Array(modelPattern, { minItems: 1, maxItems: MODELS_MAX })),
    warn: Type.Optional(Type.Array(number(0.001, 1), { maxItems: WARNINGS_MAX })),
    hard: Type.Optional(Type.Boolean()),
  },
  "The most that requests may cost in a day, a week, a month or in all.",
);

export const budgetList = Type.Array(budget, { maxItems: BUDGETS_MAX, expected: "a list of { usd, per }" });

export const keyDefaults = options(
  {
    requests_per_minute: limit,
    tokens_per_minute: limit,
    parallel: limit,
    budgets: budgetList,
    expires_in: orNull(duration("1m", "3650d"), "a duration like 90d, or null for never"),
  },
  "What a key has that says nothing itself.",
);

export const contact = orNull(
  text("up to 200 characters without line breaks", /^[^\r\n]{1,200}$/),
  "a text, or null to name nobody",
);

type KeyDefaults = Static<typeof keyDefaults>;

interface Given {
  readonly key_defaults?: KeyDefaults;
  readonly limits?: { readonly contact?: Static<typeof contact> };
}

export function buildLimitRules({ key_defaults = {}, limits = {} }: Given, issues: Issues): LimitRules {
  const { requests_per_minute, tokens_per_minute, parallel, budgets = [], expires_in = null } = key_defaults;
  return {
    keyDefaults: {
      requestsPerMinute: requests_per_minute ?? null,
      tokensPerMinute: tokens_per_minute ?? null,
      parallel: parallel ?? null,
      budgets: buildBudgets(budgets, ["key_defaults", "budgets"], issues),
    },
    keysExpireInMs: expires_in === null ? null : parseDuration(expires_in),
    contact: limits.contact ?? null,
  };
}

/** Reports budgets that are for the same. `path` is the list's. */
export function buildBudgets(
  given: Static<typeof budgetList>,
  path: Path,
  issues: Issues,
): readonly Budget[] {
  const budgets = given.map(({ usd, per, models, warn, hard }) =>
    makeBudget({ nanoUsd: Math.round(usd * NANO_PER_USD), per, models, warn, isHard: hard }),
  );
  const names = budgets.map(nameBudget);
  for (const [at, name] of names.entries()) {
    if (names.indexOf(name) === at) continue;
    issues.atValue([...path, at], `is for the same \`per\` and \`models\` as another budget`);
  }
  return budgets;
}
