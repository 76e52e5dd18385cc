// The configuration's schema of providers.
import { type Static, Type } from "@sinclair/typebox";
import { DIALECTS } from "../core/dialect.ts";
import { PLATFORMS } from "../core/settings.ts";
import { baseUrl, choice, duration, named, section, text } from "./field-types.ts";
import { model } from "./model-schema.ts";
import { PLATFORM_FIELDS } from "./platform-schema.ts";
import { credential } from "./shares.ts";

const MODELS_MAX = 1000;
const KEYS_MAX = 100;

const optional = Type.Optional;

const timeouts = section(
  {
    connect: optional(duration("1ms", "5m")),
    first_byte: optional(duration("1ms", "1h")),
    idle: optional(duration("1ms", "1h")),
    total: optional(duration("1ms", "24h")),
  },
  "connect 5s; first_byte 60s (5m for reasoning models) and idle 60s, of streamed calls; total 10m over all attempts.",
);

const headers = named(
  /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/,
  "a header name",
  text("a header value of printable characters", /^[\x20-\x7e\t]{0,4096}$/),
  "Sent with each call.",
);

export const provider = section(
  {
    dialect: optional(choice(DIALECTS)),
    platform: optional(choice(PLATFORMS)),
    base_url: optional(baseUrl),
    ...PLATFORM_FIELDS,
    keys: optional(
      Type.Array(credential, {
        minItems: 1,
        maxItems: KEYS_MAX,
        expected: "a list of at least one key",
      }),
    ),
    headers: optional(headers),
    timeouts: optional(timeouts),
    unlisted_models: optional(Type.Boolean()),
    cache_marks: optional(choice(["auto", "off"])),
    models: optional(Type.Array(model, { maxItems: MODELS_MAX })),
  },
  "One provider: a known name needs no more than its keys.",
);

export type ProviderConfig = Static<typeof provider>;
