// The fields of a provider's credential that an operator can set, except its secret, which is never shown again.
import { WEIGHT_MAX, WEIGHT_MIN } from "../models/alias.ts";
import { PRICE_DECIMALS, PRICE_FACTOR_MAX, PRICE_FACTOR_MIN } from "../money/factors.ts";
import type { Fields } from "./field.ts";
import { CREDENTIAL_LIMIT_FIELDS } from "./limit-fields.ts";

export const CREDENTIAL_FIELDS = {
  weight: {
    kind: "weight",
    property: "weight",
    initial: 1,
    min: WEIGHT_MIN,
    max: WEIGHT_MAX,
    manual: `its share of the calls, relative to the provider's other credentials: ${WEIGHT_MIN} to ${WEIGHT_MAX} (\`1\`)`,
    control: {
      label: "Weight",
      hint: "Its share of the calls, relative to the provider's other credentials",
    },
  },
  ...CREDENTIAL_LIMIT_FIELDS,
  price_factor: {
    kind: "weight",
    property: "priceFactor",
    initial: 1,
    min: PRICE_FACTOR_MIN,
    max: PRICE_FACTOR_MAX,
    decimals: PRICE_DECIMALS,
    manual:
      "what its calls cost, times the models' prices, as negotiated: above 0, at most 100, with up to 6 decimals (`1`)",
    control: { label: "Price factor", hint: "What its calls cost, times the models' prices" },
  },
  enabled: {
    kind: "flag",
    property: "enabled",
    initial: true,
    only: "change",
    manual: "if false, no calls are made with it until it is true again; only for changes (`true`)",
  },
} as const satisfies Fields;
