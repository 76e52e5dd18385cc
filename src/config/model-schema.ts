// The configuration's schema of models: their limits, prices and abilities.
import { type Static, Type } from "@sinclair/typebox";
import { PIECE_FIELDS, PIECE_MAX, RATE_FIELDS, RATE_MAX } from "../catalogue/price.ts";
import { CAPABILITIES, OPERATIONS } from "../core/card.ts";
import { DIALECTS } from "../core/dialect.ts";
import { choice, day, integer, number, section, text } from "./field-types.ts";

export const TOKENS_MAX = 100_000_000;

const optional = Type.Optional;

export const modelId = text("a model id like OpenAI#gpt-5.4", /^[^\s]{1,300}$/);
const rate = number(0, RATE_MAX);
const piece = number(0, PIECE_MAX);
const prices = <Field extends string>(fields: readonly Field[], value: typeof rate) =>
  Object.fromEntries(fields.map((field) => [field, optional(value)]));
const rates = prices(RATE_FIELDS, rate);
const priceFields = {
  ...rates,
  ...prices(PIECE_FIELDS, piece),
  tiers: optional(
    Type.Array(
      section(
        { above_tokens: integer(1, TOKENS_MAX), ...rates, input: rate, output: rate },
        "The price of longer prompts, whole.",
      ),
      { maxItems: 8 },
    ),
  ),
};
export const price = section(
  priceFields,
  "USD per million tokens; the fields that begin with per_ in USD each.",
);
export const laterPrices = Type.Array(
  section({ from: day, ...priceFields }, "A price that holds from a day on, whole."),
  { minItems: 1, maxItems: 20, expected: "a list of 1 to 20 prices" },
);
export const capabilities = Type.Array(choice(CAPABILITIES), {
  uniqueItems: true,
  expected: "a list of capabilities, each once",
});

export const operations = Type.Array(choice(OPERATIONS), {
  uniqueItems: true,
  minItems: 1,
  expected: "a list of operations, each once",
});

export const model = section(
  {
    name: text("the model's name as the server takes it", /^[^\s]{1,200}$/),
    context: optional(integer(1, TOKENS_MAX)),
    output: optional(integer(1, TOKENS_MAX)),
    deployment: optional(text("a deployment's name", /^[^\s]{1,200}$/)),
    like: optional(modelId),
    dialect: optional(choice(DIALECTS)),
    price: optional(price),
    later_prices: optional(laterPrices),
    capabilities: optional(capabilities),
    operations: optional(operations),
  },
  "A model that the catalogue doesn't hold, or holds otherwise.",
);

export type ModelConfig = Static<typeof model>;
