// The fields of a provider's credential that an operator can set, except its secret, which is never shown again.
import { WEIGHT_MAX, WEIGHT_MIN } from "../models/alias.ts";
import { PER_MINUTE_MAX } from "../settings.ts";
import type { Fields } from "./field.ts";

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
  requests_per_minute: {
    kind: "limit",
    property: "requestsPerMinute",
    initial: null,
    min: 1,
    max: PER_MINUTE_MAX,
    manual: "the provider's limit on the requests of a minute, or null",
    control: { label: "Requests per minute", hint: "The provider's limit; empty means none" },
  },
  tokens_per_minute: {
    kind: "limit",
    property: "tokensPerMinute",
    initial: null,
    min: 1,
    max: PER_MINUTE_MAX,
    manual: "the provider's limit on the tokens of a minute, or null",
    control: { label: "Tokens per minute", hint: "The provider's limit; empty means none" },
  },
  enabled: {
    kind: "flag",
    property: "enabled",
    initial: true,
    only: "change",
    manual: "if false, no calls are made with it until it is true again; only for changes (`true`)",
  },
} as const satisfies Fields;
