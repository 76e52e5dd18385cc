// The schema of what shares a load: a provider's credentials, and the models of a group.
import { type Static, Type } from "@sinclair/typebox";
import { ALIAS_NAME, GROUP_MAX, WEIGHT_MAX, WEIGHT_MIN } from "../core/alias.ts";
import { PER_MINUTE_MAX } from "../core/settings.ts";
import { named, number, section, text, whole } from "./field-types.ts";
import { modelId } from "./model-schema.ts";

const weight = Type.Optional(number(WEIGHT_MIN, WEIGHT_MAX));
const perMinute = Type.Optional(whole(1, PER_MINUTE_MAX));

/** Printable characters only, because others would break the header that carries the key. */
export const secret = text("a key of printable characters without spaces", /^[\x21-\x7e]{1,4096}$/);

export const credential = Type.Union(
  [
    secret,
    section(
      { key: secret, weight, requests_per_minute: perMinute, tokens_per_minute: perMinute },
      "A key, its share of the load, and what its provider allows it.",
    ),
  ],
  {
    expected: "a key of printable characters, or { key, weight, requests_per_minute, tokens_per_minute }",
  },
);

const group = Type.Array(
  section({ model: modelId, weight }, "A model of a group and its share of the load."),
  {
    minItems: 1,
    maxItems: GROUP_MAX,
    expected: `a list of 1 to ${GROUP_MAX} models`,
  },
);

export const aliases = named(
  ALIAS_NAME,
  "a name without spaces",
  Type.Union([modelId, group], {
    expected: "a model id like OpenAI#gpt-5.4, or a list of { model, weight }",
  }),
  "Names of the operator's own for models.",
);

export type AliasConfig = string | Static<typeof group>;
