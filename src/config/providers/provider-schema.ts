// The configuration's schema of providers.

import { type Static, Type } from "@sinclair/typebox";
import { MINUTE_LIMITS, mapLimits, PER_MINUTE_MAX } from "../../core/limits/limit-table.ts";
import { WEIGHT_MAX, WEIGHT_MIN } from "../../core/models/alias.ts";
import { DIALECTS } from "../../core/models/dialect-names.ts";
import { CACHE_MARK_MODES } from "../../core/models/words/cache-marks.ts";
import { PRICE_DECIMALS, PRICE_FACTOR_MAX } from "../../core/money/factors.ts";
import { PLATFORMS } from "../../core/settings.ts";
import {
  baseUrl,
  checkedNumber,
  choice,
  duration,
  filePath,
  integer,
  number,
  options,
  record,
  section,
  text,
} from "../field-types.ts";
import { model, TOKENS_MAX } from "../models/model-schema.ts";
import { networkFields } from "../network.ts";
import { ROLE_ARN, SESSION_NAME } from "./aws-names.ts";

const MODELS_MAX = 1000;
const KEYS_MAX = 100;
const EXTRA_FIELDS_MAX = 100;
const HOLD_USD_MAX = 100;
const TIMES_MAX = 10;
const TIMES_DECIMALS = 3;

const optional = Type.Optional;

export const weight = Type.Optional(number(WEIGHT_MIN, WEIGHT_MAX));
const perMinute = Type.Optional(integer(1, PER_MINUTE_MAX));

/** Printable characters only, because others would break the header that carries the key. */
export const secret = text("a key of printable characters without spaces", /^[\x21-\x7e]{1,4096}$/);

function hasDecimals(value: number, most = PRICE_DECIMALS): boolean {
  return Number(value.toFixed(most)) === value;
}

const keyName = text("a name of letters, digits, _ . and -", /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/);

/** Above 0, with at most six decimals. */
const factor = checkedNumber(
  "a number above 0 and up to 100 with at most 6 decimals, such as 0.85",
  (value) => value > 0 && value <= PRICE_FACTOR_MAX && hasDecimals(value),
);

const LIMIT_NAMES = MINUTE_LIMITS.map(({ name }) => name).join(", ");
const credential = Type.Union(
  [
    secret,
    section(
      {
        key: secret,
        name: Type.Optional(keyName),
        weight,
        ...mapLimits(MINUTE_LIMITS, "name", () => perMinute),
        price_factor: Type.Optional(factor),
      },
      "An API key, its name, its share of the load, its limits at the provider, and its part of the price.",
    ),
  ],
  {
    expected: `a key of printable characters, or { key, name, weight, ${LIMIT_NAMES}, price_factor }`,
  },
);

/** Ids, secrets and scopes as they go into forms and headers. */
const word = (expected: string) => text(expected, /^[\x21-\x7e]{1,1024}$/);

const clientId = word("the application's client id");
const entra = options(
  {
    tenant: text("a tenant's id or domain", /^[A-Za-z0-9.-]{1,253}$/),
    client_id: clientId,
    client_secret: word("the application's client secret"),
    federated_token_file: filePath,
    managed_identity: Type.Union(
      [
        Type.Literal(true),
        section({ client_id: clientId }, "One of several identities of the machine or app."),
      ],
      { expected: "true, or { client_id } of one of several identities" },
    ),
    authority: baseUrl,
    scope: word("a scope like https://cognitiveservices.azure.com/.default"),
  },
  "A Microsoft Entra application or a managed identity, used instead of keys.",
);

const aws = options(
  {
    access_key_id: word("the access key's id"),
    secret_access_key: word("the access key's secret"),
    session_token: text("a session token", /^[\x21-\x7e]{1,4096}$/),
    web_identity: Type.Boolean(),
    container: Type.Boolean(),
    instance: Type.Boolean(),
    assume_role: section(
      {
        arn: text("a role's ARN like arn:aws:iam::123456789012:role/name", ROLE_ARN),
        external_id: optional(
          text("2 to 1224 letters, digits or characters of _+=,.@:/-", /^[\w+=,.@:/-]{2,1224}$/),
        ),
        session: optional(text("2 to 64 letters, digits or characters of _+=,.@-", SESSION_NAME)),
      },
      "Another role, often another account's, whose keys are used.",
    ),
  },
  "Whose keys sign each call: an AWS account's, or those of a role. Used instead of keys.",
);

/** Amazon Bedrock API reference, "GuardrailConfiguration". */
const guardrail = section(
  {
    id: text(
      "a guardrail's id or ARN",
      /^([a-z0-9]{1,2048}|arn:aws(-[^:]+)?:bedrock:[a-z0-9-]{1,20}:\d{12}:guardrail\/[a-z0-9]{1,1000})$/,
    ),
    version: text('a version number in quotes, or "DRAFT"', /^([1-9]\d{0,7}|DRAFT)$/),
  },
  "The guardrail that checks each chat request and its answer.",
);

/** Where a customer's models are, and who the customer is. */
const PLATFORM_FIELDS = {
  resource: text("a resource name", /^[A-Za-z0-9][A-Za-z0-9-]{0,62}$/),
  api: text('"v1" or a version like 2024-10-21', /^(v1|\d{4}-\d{2}-\d{2}(-preview)?)$/),
  entra,
  region: text("an AWS region like us-east-1", /^[a-z]{2,5}(-[a-z]+){1,3}-\d{1,2}$/),
  aws,
  guardrail,
  project: text("a project id", /^[a-z0-9][a-z0-9.:-]{0,99}$/),
  location: text("global, us, eu or a region like us-central1", /^[a-z][a-z0-9-]{1,39}$/),
  workload_identity: filePath,
  service_account: text(
    `the content of a key file, as in \${file:/path/sa.json}, or "metadata"`,
    /^(\s*\{[\s\S]*\}\s*|metadata)$/,
  ),
};

const timeouts = options(
  {
    connect: duration("1ms", "5m"),
    first_byte: duration("1ms", "1h"),
    idle: duration("1ms", "1h"),
    total: duration("1ms", "24h"),
  },
  "Defaults: connect 5s; first_byte 60s (5m for reasoning models) and idle 60s, for streamed calls; total 10m for all attempts.",
);

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
export const headers = record(
  HEADER_NAME,
  "a header name",
  text("a header value of printable characters", /^[\x20-\x7e\t]{0,4096}$/),
  "Headers to send with each call.",
);

const extraFields = Type.Array(
  text("the name of a request's field, or *", /^(\*|[A-Za-z_][A-Za-z0-9_.-]{0,63})$/),
  { maxItems: EXTRA_FIELDS_MAX, expected: 'a list of field names, or ["*"]' },
);

const priceFactor = Type.Union(
  [
    factor,
    section(
      { factor, shown: choice(["hidden"]) },
      "What its models cost, times their prices, without showing it to clients.",
    ),
  ],
  { expected: "a number above 0 such as 0.85, or { factor: 0.85, shown: hidden }" },
);

const unlistedModels = Type.Union(
  [
    Type.Boolean(),
    options(
      {
        hold_usd: checkedNumber(
          `a number above 0 and up to ${HOLD_USD_MAX} with at most 6 decimals`,
          (value) => value > 0 && value <= HOLD_USD_MAX && hasDecimals(value),
        ),
        price: choice(["family"]),
        times: checkedNumber(
          `a number from 1 to ${TIMES_MAX} with at most 3 decimals`,
          (value) => value >= 1 && value <= TIMES_MAX && hasDecimals(value, TIMES_DECIMALS),
        ),
      },
      "What a request to a model without a price holds, or costs.",
    ),
  ],
  { expected: "true, false, { hold_usd: 0.5 }, or { price: family, times: 2 }" },
);

/** Up to five names, such as `usage.cost`. */
const COST_FIELD = /^[A-Za-z_][A-Za-z0-9_-]{0,63}(\.[A-Za-z_][A-Za-z0-9_-]{0,63}){0,4}$/;
const PER_USD_MIN = 1e-6;
const PER_USD_MAX = 1e15;

const reportsCost = Type.Union(
  [
    Type.Boolean(),
    options(
      {
        field: text("the path of a field with at most 5 names, such as usage.cost", COST_FIELD),
        header: text("the name of a header, such as x-litellm-response-cost", HEADER_NAME),
        per_usd: checkedNumber(
          "a number above 0 (from 0.000001 to 10^15), such as 100 for cents",
          (value) => value >= PER_USD_MIN && value <= PER_USD_MAX,
        ),
      },
      "Where an answer says what it cost, and in which unit.",
    ),
  ],
  { expected: "true, false, or { field: usage.cost, per_usd: 1 }" },
);

export const provider = options(
  {
    dialect: choice(DIALECTS),
    platform: choice(PLATFORMS),
    base_url: baseUrl,
    ...PLATFORM_FIELDS,
    keys: Type.Array(credential, {
      minItems: 1,
      maxItems: KEYS_MAX,
      expected: "a list of at least one key",
    }),
    headers: headers,
    timeouts: timeouts,
    ...networkFields,
    checks_keys: Type.Boolean(),
    unlisted_models: unlistedModels,
    price_factor: priceFactor,
    reports_cost: reportsCost,
    service_tier: choice(["default", "project"]),
    output_default: integer(1, TOKENS_MAX),
    cache_marks: choice([...CACHE_MARK_MODES]),
    extra_fields: extraFields,
    models: Type.Array(model, { maxItems: MODELS_MAX }),
  },
  "A provider. A known one only needs its keys.",
);

export type ProviderConfig = Static<typeof provider>;
