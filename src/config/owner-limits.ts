// The limits of keys that say nothing themselves, the most that a key may get, and whom refusals name.
import { type Static, Type } from "@sinclair/typebox";
import { type Budget, makeBudget, nameBudget, PERIODS } from "../core/limits/budget.ts";
import { LIMIT_MAX, type OwnerLimits } from "../core/limits/limit.ts";
import { MINUTE_LIMITS, mapLimits } from "../core/limits/limit-table.ts";
import { MODEL_LIMITS_MAX, makeModelLimit, nameModelLimit } from "../core/limits/model-limit.ts";
import { NANO_PER_USD } from "../core/money/money.ts";
import type { LimitRules } from "../core/settings.ts";
import { parseDuration } from "../core/text/duration.ts";
import type { Issues, Path } from "./errors.ts";
import { choice, duration, integer, number, options, orNull, section, text } from "./field-types.ts";
import { type FileAliases, markAllowed, markCounted } from "./models/alias-names.ts";
import { modelPattern } from "./models/model-schema.ts";
import { allowedTools } from "./tools/tool-patterns.ts";

const BUDGETS_MAX = 20;
const USD_MAX = 1_000_000_000;
const MODELS_MAX = 100;
const WARNINGS_MAX = 10;
const KEYS_MAX = 1000;

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

const modelLimit = section(
  {
    models: Type.Array(modelPattern, { minItems: 1, maxItems: MODELS_MAX }),
    requests_per_minute: Type.Optional(limit),
    tokens_per_minute: Type.Optional(limit),
  },
  "The most requests and tokens of some models in any 60 seconds.",
);
const modelLimits = Type.Array(modelLimit, {
  maxItems: MODEL_LIMITS_MAX,
  expected: "a list of { models, requests_per_minute, tokens_per_minute }",
});

const keyLimits = {
  ...mapLimits(MINUTE_LIMITS, "name", () => limit),
  budgets: budgetList,
  model_limits: modelLimits,
  allowed_tools: allowedTools,
  expires_in: orNull(duration("1m", "3650d"), "a duration like 90d, or null for never"),
};

const keyDefaults = options(keyLimits, "What a key has that says nothing itself.");
const keyMaxima = options(keyLimits, "The most that roles below admin may give a key.");

/** The fields of an account's own `member_defaults`. */
const memberDefaults = options(
  {
    ...mapLimits(MINUTE_LIMITS, "name", () => limit),
    budgets: budgetList,
    allowed_models: orNull(
      Type.Array(modelPattern, { minItems: 1, maxItems: MODELS_MAX }),
      "a list of model ids or patterns, or null for all",
    ),
    allowed_tools: allowedTools,
    keys: orNull(integer(0, KEYS_MAX), `an integer from 0 to ${KEYS_MAX}, or null for no limit`),
  },
  "What each member may use of each account.",
);

/** The sections of the limits of keys and members. */
export const limitSections = {
  key_defaults: keyDefaults,
  key_maxima: keyMaxima,
  member_defaults: memberDefaults,
};

export const contact = orNull(
  text("up to 200 characters without line breaks", /^[^\r\n]{1,200}$/),
  "a text, or null to name nobody",
);

type KeyDefaults = Static<typeof keyDefaults>;

interface LimitSections {
  readonly key_defaults?: KeyDefaults;
  readonly key_maxima?: KeyDefaults;
  readonly member_defaults?: Static<typeof memberDefaults>;
  readonly mcp?: { readonly allowed_tools?: readonly string[] };
  readonly limits?: { readonly contact?: Static<typeof contact> };
  readonly aliases?: FileAliases;
}

export function buildLimitRules(given: LimitSections, issues: Issues): LimitRules {
  const { key_defaults: byDefault = {}, key_maxima: most = {}, limits = {} } = given;
  const { member_defaults: ofMembers = {} } = given;
  return {
    keyDefaults: buildLimits(byDefault, "key_defaults", issues),
    keysExpireInMs: readExpiry(byDefault),
    keyMaxima: { ...buildLimits(most, "key_maxima", issues), expireInMs: readExpiry(most) },
    memberDefaults: {
      ...buildLimits(ofMembers, "member_defaults", issues),
      allowedModels: markAllowed(ofMembers.allowed_models ?? null, given.aliases),
      allowedTools: ofMembers.allowed_tools ?? null,
      keys: ofMembers.keys ?? null,
    },
    toolRights: {
      accountDefault: given.mcp?.allowed_tools ?? [],
      keyDefault: byDefault.allowed_tools ?? null,
      keyMaximum: most.allowed_tools ?? null,
    },
    contact: limits.contact ?? null,
  };
}

function buildLimits(
  given: Omit<KeyDefaults, "expires_in" | "allowed_tools">,
  section: "key_defaults" | "key_maxima" | "member_defaults",
  issues: Issues,
): OwnerLimits {
  return {
    ...mapLimits(MINUTE_LIMITS, "property", ({ name }) => given[name] ?? null),
    budgets: buildBudgets(given.budgets ?? [], [section, "budgets"], issues),
    ...buildModelLimits(given, [section, "model_limits"], issues),
  };
}

/** Reports those that limit nothing, or are for the same models as another. */
function buildModelLimits({ model_limits: given = [] }: ModelLimited, path: Path, issues: Issues) {
  const modelLimits = given.map(({ models, requests_per_minute = null, tokens_per_minute = null }) =>
    makeModelLimit({
      models: markCounted(models),
      requestsPerMinute: requests_per_minute,
      tokensPerMinute: tokens_per_minute,
    }),
  );
  const names = modelLimits.map(nameModelLimit);
  for (const [at, { requestsPerMinute, tokensPerMinute }] of modelLimits.entries()) {
    if (requestsPerMinute === null && tokensPerMinute === null)
      issues.atValue([...path, at], "sets neither requests_per_minute nor tokens_per_minute");
    if (names.indexOf(names[at] ?? "") !== at)
      issues.atValue([...path, at], "is for the same `models` as another limit");
  }
  return modelLimits.length > 0 ? { modelLimits } : {};
}

type ModelLimited = Pick<KeyDefaults, "model_limits">;

function readExpiry({ expires_in = null }: KeyDefaults): number | null {
  return expires_in === null ? null : parseDuration(expires_in);
}

/** Reports budgets that are for the same. `path` is the list's. */
export function buildBudgets(
  given: Static<typeof budgetList>,
  path: Path,
  issues: Issues,
): readonly Budget[] {
  const budgets = given.map(({ usd, per, models, warn, hard }) =>
    makeBudget({
      nanoUsd: Math.round(usd * NANO_PER_USD),
      per,
      models: models && markCounted(models),
      warn,
      isHard: hard,
    }),
  );
  const names = budgets.map(nameBudget);
  for (const [at, name] of names.entries()) {
    if (names.indexOf(name) === at) continue;
    issues.atValue([...path, at], `is for the same \`per\` and \`models\` as another budget`);
  }
  return budgets;
}
