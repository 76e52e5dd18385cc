// The configuration's schema: every field with its bounds. The published JSON Schema is derived from it.
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { PIECE_FIELDS, PIECE_MAX, RATE_FIELDS, RATE_MAX } from "../catalogue/price.ts";
import { CAPABILITIES, OPERATIONS } from "../core/card.ts";
import { DIALECTS } from "../core/dialect.ts";
import { SKILLS } from "../core/skill.ts";
import {
  addressBlock,
  baseUrl,
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
import { KEPT_SECTIONS } from "./kept-sections.ts";

const TOKENS_MAX = 100_000_000;
const LIST_MAX = 1000;
const FREE_BUDGET_MAX_USD = 1_000_000;

const optional = Type.Optional;

/** Printable characters only, because others would break the header that carries the key. */
const secret = text("a key of printable characters without spaces", /^[\x21-\x7e]{1,4096}$/);
/** A right guess is always let in, so the length alone protects the token. `http/auth.ts` reads at most 512 characters. */
export const ADMIN_TOKEN = {
  expected: "16 to 512 printable characters without spaces",
  pattern: /^[\x21-\x7e]{16,512}$/,
} as const;
const modelId = text("a model id like OpenAI#gpt-5.4", /^[^\s]{1,300}$/);
const modelPattern = text("a model id or a pattern like OpenAI#*", /^[^\s]{1,300}$/);
const rate = number(0, RATE_MAX);
const piece = number(0, PIECE_MAX);
const prices = <Field extends string>(fields: readonly Field[], value: typeof rate) =>
  Object.fromEntries(fields.map((field) => [field, optional(value)]));
const rates = prices(RATE_FIELDS, rate);
const price = section(
  {
    ...rates,
    ...prices(PIECE_FIELDS, piece),
    tiers: optional(
      Type.Array(
        section(
          { above_tokens: whole(1, TOKENS_MAX), ...rates, input: rate, output: rate },
          "The price of longer prompts, whole.",
        ),
        { maxItems: 8 },
      ),
    ),
  },
  "USD per million tokens; the fields that begin with per_ in USD each.",
);
const capabilities = Type.Array(choice(CAPABILITIES), {
  uniqueItems: true,
  expected: "a list of capabilities, each once",
});

const operations = Type.Array(choice(OPERATIONS), {
  uniqueItems: true,
  minItems: 1,
  expected: "a list of operations, each once",
});

const model = section(
  {
    name: text("the model's name as the server takes it", /^[^\s]{1,200}$/),
    context: optional(whole(1, TOKENS_MAX)),
    output: optional(whole(1, TOKENS_MAX)),
    price: optional(price),
    capabilities: optional(capabilities),
    operations: optional(operations),
  },
  "A model that the catalogue doesn't hold, or holds otherwise.",
);

const timeouts = section(
  {
    connect: optional(duration("1ms", "5m")),
    first_byte: optional(duration("1ms", "1h")),
    idle: optional(duration("1ms", "1h")),
    total: optional(duration("1ms", "24h")),
  },
  "connect 5s; first_byte 60s (5m for reasoning models) and idle 60s, of streamed calls; total 10m over all attempts.",
);

const weighted = section(
  { key: secret, weight: optional(number(0.001, 1000)) },
  "A key and its share of the load.",
);
const headers = named(
  /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/,
  "a header name",
  text("a header value of printable characters", /^[\x20-\x7e\t]{0,4096}$/),
  "Sent with each call.",
);

const provider = section(
  {
    dialect: optional(choice(DIALECTS)),
    base_url: optional(baseUrl),
    keys: optional(
      Type.Array(
        Type.Union([secret, weighted], {
          expected: "a key of printable characters, or { key, weight }",
        }),
        {
          minItems: 1,
          maxItems: 100,
          expected: "a list of at least one key",
        },
      ),
    ),
    headers: optional(headers),
    timeouts: optional(timeouts),
    unlisted_models: optional(Type.Boolean()),
    cache_marks: optional(choice(["auto", "off"])),
    models: optional(Type.Array(model, { maxItems: LIST_MAX })),
  },
  "One provider: a known name needs no more than its keys.",
);

const skills = section(
  Object.fromEntries(SKILLS.map((skill) => [skill, optional(number(0, 1))])),
  "The probability of a good answer by kind of task.",
);
const overlay = section(
  {
    price: optional(price),
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

export const PROVIDER_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const PIN_FIELDS = Object.fromEntries(SKILLS.map((skill) => [skill, optional(modelId)]));

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
          admin_token: optional(text(ADMIN_TOKEN.expected, ADMIN_TOKEN.pattern)),
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
    aliases: optional(
      named(/^[^\s]{1,200}$/, "a name without spaces", modelId, "Names of the operator's own for models."),
    ),
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
    ...KEPT_SECTIONS,
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
export type ProviderConfig = Static<typeof provider>;
export type OverlayConfig = Static<typeof overlay>;
export type ModelConfig = Static<typeof model>;
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
