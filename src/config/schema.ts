// The configuration's schema: every field with its bounds. The published JSON Schema is derived from it.
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { FAILURE_KINDS } from "../core/faults/failure-kinds.ts";
import {
  ALIAS_EXPECTED,
  ALIAS_NAME,
  GROUP_MAX,
  MAX_COST_USD,
  MAX_MS,
  PATTERNS_MAX,
} from "../core/models/alias.ts";
import { SELECTORS } from "../core/models/selector.ts";
import { KINDS, SKILLS } from "../core/models/skill.ts";
import { ADDRESS_RULES, WEEKDAYS } from "../core/settings.ts";
import { LEVELS } from "../core/world/world.ts";
import { cache, cacheSetting } from "./cache.ts";
import { catalogue } from "./catalogue.ts";
import { scim } from "./directory.ts";
import {
  addressBlock,
  basePath,
  choice,
  clock,
  day,
  duration,
  explainOthers,
  filePath,
  hedgeDelay,
  host,
  integer,
  LIST_MAX,
  list,
  number,
  options,
  origin,
  orNull,
  publicUrl,
  record,
  section,
  share,
  shareUpTo,
  size,
  storeUrl,
  text,
  timeZone,
} from "./field-types.ts";
import { guard } from "./guard.ts";
import { hooks } from "./hooks.ts";
import { batches, files } from "./models/batches.ts";
import {
  capabilities,
  laterPrices,
  modelId,
  modelPattern,
  operations,
  price,
  refuses,
  TOKENS_MAX,
} from "./models/model-schema.ts";
import { contact, limitSections } from "./owner-limits.ts";
import { provider, secret, weight } from "./providers/provider-schema.ts";
import { responses } from "./responses.ts";
import { signIn } from "./sign-in.ts";
import { tagsFrom } from "./tags-from.ts";
import { telemetry } from "./telemetry.ts";
import { MCP_SERVERS, mcp } from "./tools/tool-servers.ts";
import { topups } from "./topups.ts";
import { webhooks } from "./webhooks.ts";

const FREE_BUDGET_MAX_USD = 1_000_000;

const truth = Type.Boolean();

/** A correct guess is always accepted, so only the length protects the token. `http/serve/auth.ts` reads at most 512 characters. */
export const adminToken = text("16 to 512 printable characters without spaces", /^[\x21-\x7e]{16,512}$/);
const METRIC_ACCOUNTS_MAX = 100;
const accountNames = Type.Array(text("an account's name of 1 to 100 characters", /^[^\n]{1,100}$/), {
  maxItems: METRIC_ACCOUNTS_MAX,
});
const byName = <Value extends TSchema>(names: readonly string[], value: Value, description: string) =>
  options(Object.fromEntries(names.map((name) => [name, value])), description);
const failures = Type.Array(choice(FAILURE_KINDS), {
  minItems: 1,
  maxItems: FAILURE_KINDS.length,
  expected: `a list of ${FAILURE_KINDS.join(", ")}`,
});
const fallback = Type.Union(
  [
    modelId,
    section(
      { model: modelId, ...Type.Partial(Type.Object({ on: failures })).properties },
      "A model to ask after some failures.",
    ),
  ],
  { expected: "a model id like OpenAI#gpt-5.4, or { model, on: [failed, gone, overflow, filter, refused] }" },
);
const overlay = options(
  {
    price,
    later_prices: laterPrices,
    disabled: truth,
    shutdown: orNull(day, "a date like 2027-01-31, or null for no end"),
    context: integer(1, TOKENS_MAX),
    output: integer(1, TOKENS_MAX),
    capabilities,
    operations,
    fallbacks: Type.Array(fallback, { maxItems: 20 }),
    skills: byName(SKILLS, number(0, 1), "The probability of a good answer by kind of task."),
    hedge: section({ after: hedgeDelay, at_most: share }, "A second attempt if the first is slow."),
    refuses,
  },
  "Changes to one model in the catalogue.",
);

const vendorName = text("a name as the vendor writes it", /^[\w.-]{1,100}$/);
const native = options(
  {
    remote_tools: truth,
    mend: choice(["surely_refused", "never"]),
    known: options(
      { betas: list(vendorName), blocks: list(vendorName), tools: list(vendorName) },
      "Vendors' names that are newer than the gateway.",
    ),
  },
  "Requests that a provider gets exactly as sent.",
);

const PROVIDER_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

const group = Type.Array(
  section({ model: modelId, weight }, "A model in a group and its share of the load."),
  { minItems: 1, maxItems: GROUP_MAX, expected: `a list of 1 to ${GROUP_MAX} models` },
);
const policyPatterns = Type.Array(modelPattern, {
  minItems: 1,
  maxItems: PATTERNS_MAX,
  expected: `a list of 1 to ${PATTERNS_MAX} model ids or patterns`,
});
const policy = section(
  {
    selector: choice(SELECTORS),
    ...Type.Partial(
      Type.Object({
        quality: share,
        allow: policyPatterns,
        deny: policyPatterns,
        max_cost_usd: number(0, MAX_COST_USD),
        max_ms: integer(1, MAX_MS),
        cache: cacheSetting,
      }),
    ).properties,
  },
  "A selector and what its choice must keep to.",
);
const aliases = record(
  ALIAS_NAME,
  ALIAS_EXPECTED,
  Type.Union([modelId, group, policy], {
    expected: "a model id like OpenAI#gpt-5.4, a list of { model, weight }, or a selector with a policy",
  }),
  "The operator's own names for models.",
);
export type GroupConfig = Static<typeof group>[number];
export type PolicyConfig = Static<typeof policy>;
export type AliasConfig = string | readonly GroupConfig[] | PolicyConfig;

const EXPLORE_MAX = 0.02;
const modelIds = Type.Array(modelId, { minItems: 1, maxItems: LIST_MAX, expected: "a list of model ids" });
const categoryRule = section(
  {
    category: choice(KINDS),
    at_least: Type.Optional(share),
    models: Type.Optional(modelIds),
    deny: Type.Optional(modelIds),
  },
  "The models that may or may not be chosen for a kind of task, and the share of a request that must be of that kind.",
);

const server = options(
  {
    host,
    port: integer(0, 65535),
    admin_token: adminToken,
    admin_token_from: list(addressBlock),
    body_limit: size("1KB", "1GiB"),
    body_memory: size("1KB", "64GiB"),
    drain: duration("0s", "1h"),
    store_wait: duration("0s", "1h"),
    keep_alive: duration("10ms", "5m"),
    idle_timeout: duration("1s", "255s"),
    hosts: list(host),
    trusted_proxies: list(addressBlock),
    cors: list(origin),
    public_url: orNull(publicUrl, publicUrl.expected),
    base_path: basePath,
  },
  "The gateway's listener. Read only at the start.",
);

const quota = options(
  {
    requests_per_day: orNull(
      integer(0, 1_000_000_000),
      "an integer from 0 to 1000000000, or null for no limit",
    ),
    throttle: duration("0s", "30d"),
    scope: choice(["key", "account"]),
    day_starts: clock,
    time_zone: timeZone,
    week_starts: choice(WEEKDAYS),
    free: options(
      {
        models: Type.Array(modelPattern, { minItems: 1, maxItems: LIST_MAX }),
        budget_usd_per_day: orNull(number(0, FREE_BUDGET_MAX_USD), "an amount in USD, or null for no limit"),
      },
      "The models that can be used for free, and the most that a key's free requests may cost per day in total.",
    ),
  },
  "Free requests.",
);

const router = options(
  {
    fair: options({ quality: share }, "The share of the best quality that Router#fair keeps."),
    allow: Type.Array(modelPattern, {
      minItems: 1,
      maxItems: LIST_MAX,
      expected: "a list of model ids or patterns",
    }),
    deny: list(modelPattern),
    pin: byName(KINDS, modelId, "The model for a kind of task."),
    rules: Type.Array(categoryRule, { maxItems: LIST_MAX, expected: "a list of rules" }),
    explore: shareUpTo(EXPLORE_MAX),
    preview: truth,
  },
  "How the selectors choose models.",
);

const CONFIG = options(
  {
    server,
    store: storeUrl,
    providers: record(
      PROVIDER_NAME,
      "a provider name of letters, digits, _ . and -",
      orNull(provider, "a mapping of fields"),
      "The enabled providers, and no others.",
    ),
    models: record(
      /^[^\s]{1,300}$/,
      "a model id like OpenAI#gpt-5.4",
      overlay,
      "Changes to the catalogue, by id.",
    ),
    catalogue,
    profiles: filePath,
    aliases,
    quota,
    billing: options(
      { charge: choice(["beyond_allowance", "always"]), markup: number(0, 100) },
      "How requests are charged.",
    ),
    limits: options({ n: integer(1, 128), messages: integer(1, 1_000_000), contact }, "Limits of a request."),
    ...limitSections,
    log: options(
      {
        content: truth,
        keep: duration("1s", "3650d"),
        level: choice(LEVELS),
        address: choice(ADDRESS_RULES),
      },
      "The request log.",
    ),
    cache,
    responses,
    files,
    batches,
    audit: options({ keep: duration("1d", "3650d") }, "The audit log."),
    native,
    metrics: options(
      {
        token: orNull(secret, "a token of printable characters without spaces, or null for none"),
        balances: accountNames,
        budgets: accountNames,
      },
      "The metrics.",
    ),
    hooks,
    guard,
    mcp,
    topups,
    webhooks,
    telemetry,
    tags_from: tagsFrom,
    router,
    sign_in: signIn,
    scim,
  },
  "The configuration of Poundkey.",
);

export const ConfigSchema = explainOthers(CONFIG, { mcpServers: MCP_SERVERS });

export type Config = Static<typeof ConfigSchema>;
export type OverlayConfig = Static<typeof overlay>;
export type RuleConfig = Static<typeof categoryRule>;
