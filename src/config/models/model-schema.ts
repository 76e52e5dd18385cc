// The configuration's schema of models: their limits, prices and abilities.
import { type Static, Type } from "@sinclair/typebox";
import { DAYS, HOUR } from "../../catalogue/hours.ts";
import { PIECE_MAX, RATE_MAX, UNIT_FIELDS } from "../../catalogue/price.ts";
import { RATE_FIELDS } from "../../catalogue/rates.ts";
import { CAPABILITIES, OPERATIONS } from "../../core/models/card.ts";
import { DIALECTS } from "../../core/models/dialect-names.ts";
import { COUNT_WORDS, REFUSAL_WORDS } from "../../core/models/refusals.ts";
import { BETA_WORDS } from "../../core/models/words/beta-refusal.ts";
import { BODY_WORDS, FIELD_WORDS } from "../../core/models/words/body-refusals.ts";
import { choice, day, integer, number, options, section, text } from "../field-types.ts";

export const TOKENS_MAX = 100_000_000;

const optional = Type.Optional;

export const modelId = text("a model id like OpenAI#gpt-5.4", /^[^\s]{1,300}$/);
export const modelPattern = text("a model id or a pattern like OpenAI#*", /^[^\s]{1,300}$/);
const rate = number(0, RATE_MAX);
const piece = number(0, PIECE_MAX);
const prices = <Field extends string>(fields: readonly Field[], value: typeof rate) =>
  Object.fromEntries(fields.map((field) => [field, optional(value)]));
const rates = prices(RATE_FIELDS, rate);
const priceFields = {
  ...rates,
  ...prices(UNIT_FIELDS, piece),
  tiers: optional(
    Type.Array(
      section(
        { above_tokens: integer(1, TOKENS_MAX), ...rates, input: rate, output: rate },
        "All prices for longer prompts.",
      ),
      { maxItems: 8 },
    ),
  ),
  hours: optional(
    Type.Array(
      section(
        {
          days: optional(
            Type.Array(choice(DAYS), { minItems: 1, uniqueItems: true, expected: "a list of days like mon" }),
          ),
          from: text("a time like 01:00", HOUR),
          to: text("a time like 04:00, up to 24:00", HOUR),
          ...rates,
        },
        "Other prices at some hours, in UTC.",
      ),
      { minItems: 1, maxItems: 50, expected: "a list of 1 to 50 hours" },
    ),
  ),
  service: optional(
    options(
      {
        priority: section(rates, "Of priority processing."),
        flex: section(rates, "Of flex processing."),
        fast: section(rates, "Of a fast mode."),
        ultrafast: section(rates, "Of a faster mode."),
      },
      "Other prices of other services.",
    ),
  ),
};
export const price = section(priceFields, "In USD per million tokens; per_… fields in USD per unit.");
export const laterPrices = Type.Array(
  section({ from: day, until: optional(day), ...priceFields }, "All prices from a given day on."),
  { minItems: 1, maxItems: 20, expected: "a list of 1 to 20 prices" },
);
export const capabilities = Type.Array(choice(CAPABILITIES), {
  uniqueItems: true,
  expected: "a list of capabilities without duplicates",
});

export const operations = Type.Array(choice(OPERATIONS), {
  uniqueItems: true,
  minItems: 1,
  expected: "a list of operations without duplicates",
});

const words = [...REFUSAL_WORDS, ...BODY_WORDS];
const refusalWords = [...words, ...words.map((word) => `-${word}` as const)];
const refusal = choice(refusalWords);
const listExpected = (words: readonly string[]) => `one of ${words.map((word) => `"${word}"`).join(", ")},`;

/** A word of the vocabulary of refusals, or one behind a minus sign. */
export const refuses = Type.Array(
  Type.Union(
    [
      refusal,
      text("a number of something like tools>128", COUNT_WORDS.pattern),
      text("a field like field:tools[].strict", FIELD_WORDS.pattern),
      text("a beta like beta:effort-2025-11-24", BETA_WORDS.pattern),
    ],
    {
      expected: `${listExpected(refusalWords)}, a number like ${COUNT_WORDS.example}, a field like ${FIELD_WORDS.example} or a beta like ${BETA_WORDS.example}`,
    },
  ),
  { uniqueItems: true, minItems: 1, expected: "a list of refusals without duplicates" },
);

export const model = section(
  {
    name: text("the model's name as the server expects it", /^[^\s]{1,200}$/),
    context: optional(integer(1, TOKENS_MAX)),
    output: optional(integer(1, TOKENS_MAX)),
    deployment: optional(text("a deployment name", /^[^\s]{1,200}$/)),
    like: optional(modelId),
    dialect: optional(choice(DIALECTS)),
    price: optional(price),
    later_prices: optional(laterPrices),
    capabilities: optional(capabilities),
    operations: optional(operations),
  },
  "A model that is not in the catalogue, or that differs from its entry there.",
);

export type ModelConfig = Static<typeof model>;
