// The configuration's schema: every field with its bounds. The published JSON Schema is derived from it.
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { ALIAS_NAME, GROUP_MAX } from "../core/alias.ts";
import { SKILLS } from "../core/skill.ts";
import {
  addressBlock,
  choice,
  clock,
  duration,
  hedgeDelay,
  host,
  named,
  number,
  origin,
  section,
  share,
  size,
  storeUrl,
  text,
  timeZone,
  whole,
} from "./field-types.ts";
import { describeFields } from "./fields.ts";
import { capabilities, laterPrices, modelId, operations, price, TOKENS_MAX } from "./model-schema.ts";
import { provider, secret, weight } from "./provider-schema.ts";

const LIST_MAX = 1000;
const FREE_BUDGET_MAX_USD = 1_000_000;

const optional = Type.Optional;

/** A right guess is always let in, so the length alone protects the token. `http/auth.ts` reads at most 512 characters. */
export const adminToken = text("16 to 512 printable characters without spaces", /^[\x21-\x7e]{16,512}$/);
const modelPattern = text("a model id or a pattern like OpenAI#*", /^[^\s]{1,300}$/);
const skills = section(
  Object.fromEntries(SKILLS.map((skill) => [skill, optional(number(0, 1))])),
  "The probability of a good answer by kind of task.",
);
const overlay = section(
  {
    price: optional(price),
    later_prices: optional(laterPrices),
    disabled: optional(Type.Boolean()),
    context: optional(whole(1, TOKENS_MAX)),
    output: optional(whole(1, TOKENS_MAX)),
    capabilities: optional(capabilities),
    operations: optional(operations),
    fallbacks: optional(Type.Array(modelId, { maxItems: 20 })),
    skills: optional(skills),
    hedge: optional(
      section({ after: hedgeDelay, at_most: share }, "A second attempt beside a slow first one."),
    ),
  },
  "What changes about one model of the catalogue.",
);

const PROVIDER_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const PIN_FIELDS = Object.fromEntries(SKILLS.map((skill) => [skill, optional(modelId)]));

const group = Type.Array(
  section({ model: modelId, weight }, "A model of a group and its share of the load."),
  {
    minItems: 1,
    maxItems: GROUP_MAX,
    expected: `a list of 1 to ${GROUP_MAX} models`,
  },
);

const aliases = named(
  ALIAS_NAME,
  "a name without spaces",
  Type.Union([modelId, group], {
    expected: "a model id like OpenAI#gpt-5.4, or a list of { model, weight }",
  }),
  "Names of the operator's own for models.",
);

export type AliasConfig = string | Static<typeof group>;

const EXPLORE_MAX = 0.02;
const modelIds = Type.Array(modelId, { minItems: 1, maxItems: LIST_MAX, expected: "a list of model ids" });
const categoryRule = section(
  {
    category: choice(SKILLS),
    at_least: optional(number(0, 1)),
    models: optional(modelIds),
    deny: optional(modelIds),
  },
  "The models for a kind of task, from a share of the request on that is of it (0.5): only these, or all but those.",
);

export const ConfigSchema = section(
  {
    server: optional(
      section(
        {
          host: optional(host),
          port: optional(whole(0, 65535)),
          admin_token: optional(adminToken),
          body_limit: optional(size("1KB", "1GiB")),
          body_memory: optional(size("1KB", "64GiB")),
          drain: optional(duration("0s", "1h")),
          keep_alive: optional(duration("10ms", "5m")),
          hosts: optional(Type.Array(host, { maxItems: LIST_MAX })),
          trusted_proxies: optional(Type.Array(addressBlock, { maxItems: LIST_MAX })),
          cors: optional(Type.Array(origin, { maxItems: LIST_MAX })),
        },
        "Where the gateway listens. Read at the start only.",
      ),
    ),
    store: optional(storeUrl),
    providers: optional(
      named(
        PROVIDER_NAME,
        "a provider's name of letters, digits, _ . and -",
        Type.Union([provider, Type.Null()], { expected: "a mapping of fields" }),
        "Exactly these are on.",
      ),
    ),
    models: optional(
      named(/^[^\s]{1,300}$/, "a model id like OpenAI#gpt-5.4", overlay, "Changes to the catalogue, by id."),
    ),
    catalogue: optional(text("the path of a file", /^[^\0]{1,4096}$/)),
    aliases: optional(aliases),
    quota: optional(
      section(
        {
          requests_per_day: optional(
            Type.Union([whole(0, 1_000_000_000), Type.Null()], {
              expected: "a whole number, or null for no limit",
            }),
          ),
          throttle: optional(duration("0s", "30d")),
          scope: optional(choice(["key", "account"])),
          day_starts: optional(clock),
          time_zone: optional(timeZone),
          free: optional(
            section(
              {
                models: optional(Type.Array(modelPattern, { minItems: 1, maxItems: LIST_MAX })),
                budget_usd_per_day: optional(
                  Type.Union([number(0, FREE_BUDGET_MAX_USD), Type.Null()], {
                    expected: "an amount in USD, or null for no bound",
                  }),
                ),
              },
              "The models that may be used for free, and what a key's free requests may cost together in a day.",
            ),
          ),
        },
        "Free requests.",
      ),
    ),
    billing: optional(
      section(
        { charge: optional(choice(["beyond_allowance", "always"])), markup: optional(number(0, 100)) },
        "What is paid.",
      ),
    ),
    limits: optional(
      section(
        { n: optional(whole(1, 128)), messages: optional(whole(1, 1_000_000)) },
        "Bounds of one request.",
      ),
    ),
    log: optional(
      section(
        { content: optional(Type.Boolean()), keep: optional(duration("1s", "3650d")) },
        "What is kept of requests.",
      ),
    ),
    responses: optional(
      section(
        {
          keep: optional(
            Type.Union([Type.Literal(0), duration("1m", "3650d")], {
              expected: "a duration like 30d, from 1m to 3650d, or 0 to keep none",
            }),
          ),
          max_bytes: optional(size("1MB", "100GB")),
          upstream_store: optional(Type.Boolean()),
        },
        "Conversations of the Responses API that are kept.",
      ),
    ),
    native: optional(
      section({ remote_tools: optional(Type.Boolean()) }, "What clients may ask of a provider directly."),
    ),
    metrics: optional(
      section(
        {
          token: optional(
            Type.Union([secret, Type.Null()], {
              expected: "a token of printable characters without spaces, or null for none",
            }),
          ),
        },
        "Who may read /metrics.",
      ),
    ),
    router: optional(
      section(
        {
          fair: optional(
            section({ quality: optional(share) }, "The share of the best quality that Router#fair keeps."),
          ),
          deny: optional(Type.Array(modelId, { maxItems: LIST_MAX })),
          pin: optional(section(PIN_FIELDS, "The model for a kind of task.")),
          rules: optional(Type.Array(categoryRule, { maxItems: LIST_MAX, expected: "a list of rules" })),
          explore: optional(number(0, EXPLORE_MAX)),
        },
        "How the selectors choose.",
      ),
    ),
  },
  "Configuration of Poundkey.",
);

export type Config = Static<typeof ConfigSchema>;
export type OverlayConfig = Static<typeof overlay>;
export type RuleConfig = Static<typeof categoryRule>;

/** Keywords for our own errors, which aren't part of JSON Schema. */
const NOTES: ReadonlySet<string> = new Set(["expected", "expectedName"]);

/** Returns the schema as JSON Schema, for editors and `GET /config.schema.json`. */
export function configJsonSchema(): object {
  const schema: TSchema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Poundkey",
    ...ConfigSchema,
  };
  return describeFields(
    JSON.parse(JSON.stringify(schema, (key, value) => (NOTES.has(key) ? undefined : value))),
  );
}
