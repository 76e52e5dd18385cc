// The forms in which the operator sees a watched list of prices, and takes its changes.
import { Type } from "@sinclair/typebox";
import { VERDICTS } from "../../catalogue/feeds/verdict.ts";
import { FEED_FORMATS } from "../../core/models/feed-format.ts";
import { TAKEN_FIELDS } from "../../core/money/taken-mark.ts";
import {
  allowNull,
  allowWords,
  boolean,
  closeObject,
  count,
  instant,
  text,
  usd,
  type View,
} from "../schema.ts";

const changeSchema = Type.Object({
  id: Type.String({ description: "The model." }),
  model: Type.String({ description: "The same as `id`." }),
  field: allowWords(["price", "later_prices", "shutdown", "context", "output", "model"]),
  before: allowNull(text),
  after: text,
  verdict: allowWords(VERDICTS),
  reason: allowNull(text),
  new: Type.Boolean({ description: "True if the catalogue doesn't have the model." }),
  enabled: Type.Boolean({ description: "True if its provider is enabled." }),
  requests: Type.Integer({ minimum: 0, description: "Of the last 30 days, as all counts here." }),
  last_30_days_usd: Type.Number({ minimum: 0, description: "USD. The cost of all requests to the model." }),
  cost_usd: Type.Number({ minimum: 0, description: "USD. The same, if its price changes." }),
  would_cost_usd: allowNull(usd),
});

const listSchema = Type.Object(
  {
    serial: allowNull(Type.Integer({ minimum: 1 })),
    sha256: allowNull(text),
    as_of: allowNull(Type.String({ format: "date" })),
    source: allowNull(text),
    key: allowNull(
      Type.String({ description: "The first 8 hex digits of the SHA-256 of the key that signed it." }),
    ),
    fetched_at: allowNull(instant),
    refused: allowNull(Type.String({ description: "Why the last list that was looked at can't be used." })),
  },
  { description: "The watched list that was compared last. Null is what it doesn't say." },
);

const hidingSchema = Type.Object({
  id: text,
  fields: Type.Array(allowWords(TAKEN_FIELDS)),
  as_of: Type.String({ format: "date" }),
  pressing: Type.Boolean({
    description: "False for providers that aren't enabled, ignored models, and rows with `own: true`.",
  }),
});

const overtakenSchema = Type.Object({ id: text, fields: Type.Array(allowWords(TAKEN_FIELDS)) });

export const priceReviewSchema = Type.Object({
  as_of: Type.String({ format: "date", description: "The day of the catalogue's prices." }),
  compared_at: allowNull(instant),
  format: allowNull(allowWords(FEED_FORMATS)),
  list: listSchema,
  can_accept: Type.Boolean({ description: "True if the configuration names a catalogue file." }),
  models_used: Type.Integer({
    minimum: 0,
    description: "Used in the last 30 days, with a change that may be taken or waits.",
  }),
  added: Type.Integer({ minimum: 0, description: "Models that the catalogue doesn't have." }),
  elsewhere: Type.Integer({
    minimum: 0,
    description: "Changes of models whose providers aren't enabled, which `all` shows.",
  }),
  cost_usd: usd,
  would_cost_usd: Type.Number({ description: "USD. The same if all changed prices had been accepted." }),
  changes: Type.Array(changeSchema, { description: "New models first, then the used ones." }),
  hiding: Type.Array(hidingSchema, {
    description: "Rows of the catalogue file whose price is used in place of a newer built-in one.",
  }),
  overtaken: Type.Array(overtakenSchema, {
    description:
      "Fields of the catalogue file for which the program counts, because it has another value since.",
  }),
});
export type PriceReview = View<typeof priceReviewSchema>;

/** `all` shows the models of providers that aren't enabled, too. */
export const reviewQuery = closeObject({ all: Type.Optional(allowWords(["true", "false"])) });

const PATTERNS_MAX = 1000;
const patterns = Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { maxItems: PATTERNS_MAX });

export const acceptSchema = closeObject({
  serial: Type.Optional(
    Type.Integer({ minimum: 1, description: "The list's number. Another list is refused then." }),
  ),
  sha256: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: "The list's SHA-256. Another list is refused then.",
    }),
  ),
  yes: Type.Optional(Type.Boolean({ description: "Takes what waits, too." })),
  only: Type.Optional({
    ...patterns,
    description:
      "Ids of the models whose changes are taken, or patterns with `*`. All of enabled providers if missing.",
  }),
  except: Type.Optional({ ...patterns, description: "Those whose changes aren't taken." }),
  older: Type.Optional(Type.Boolean({ description: "Takes what is from before the built-in rows, too." })),
});

export const acceptedSchema = Type.Object({ accepted: count, models: count, waits: boolean });
