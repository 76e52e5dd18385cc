// Limits on some models on the admin routes: their schema, their reading from a request and their form in an answer.
import { type TSchema, Type } from "@sinclair/typebox";
import type { Value, Wire, WireModelLimit } from "../../core/fields/field.ts";
import { invalidValue, missingParameter } from "../../core/json/schema-fault.ts";
import { LIMIT_MAX } from "../../core/limits/limit.ts";
import { type ModelLimit, makeModelLimit, nameModelLimit } from "../../core/limits/model-limit.ts";
import { type AliasNames, showModels } from "../../core/models/alias-entry.ts";
import { integerSchema } from "../input.ts";
import { modelOrAlias, readBudgetModels } from "../models/patterns.ts";
import { allowNull, allowWords, closeObject, count, text } from "../schema.ts";

const MODELS_MAX = 100;

export function makeModelLimitsSchema(elementsMax: number): TSchema {
  const limit = Type.Optional(allowNull(integerSchema(0, LIMIT_MAX)));
  const one = closeObject({
    models: Type.Array(modelOrAlias, { minItems: 1, maxItems: MODELS_MAX }),
    requests_per_minute: limit,
    tokens_per_minute: limit,
  });
  return Type.Union([Type.Array(one, { maxItems: elementsMax }), allowWords(["default"]), Type.Null()]);
}

const modelLimitView = Type.Object({
  models: Type.Array(text),
  requests_per_minute: Type.Optional(count),
  tokens_per_minute: Type.Optional(count),
});
export const modelLimitsView = Type.Union([Type.Array(modelLimitView), allowWords(["default"]), Type.Null()]);

/** Throws the Fault of one that limits nothing, and of two for the same models. */
export function readModelLimits(
  given: Wire<"model_limits">,
  name: string,
  aliases: AliasNames,
): Value<"model_limits"> {
  if (given === null || given === "default") return given ?? [];
  const read = given.map((one, at) => readModelLimit(one, `${name}[${at}]`, aliases));
  const names = read.map(nameModelLimit);
  const twice = names.findIndex((one, at) => names.indexOf(one) !== at);
  if (twice === -1) return read;
  throw invalidValue(`${name}[${twice}]`, "there is another limit for the same models");
}

function readModelLimit(given: WireModelLimit, at: string, aliases: AliasNames): ModelLimit {
  const { requests_per_minute = null, tokens_per_minute = null } = given;
  if (requests_per_minute === null && tokens_per_minute === null)
    throw missingParameter(`${at}.requests_per_minute`);
  return makeModelLimit({
    models: readBudgetModels(given.models, `${at}.models`, aliases) ?? [],
    requestsPerMinute: requests_per_minute,
    tokensPerMinute: tokens_per_minute,
  });
}

export function formatModelLimits(limits: Value<"model_limits">): Wire<"model_limits"> {
  if (limits === "default") return limits;
  return limits.map(({ models, requestsPerMinute, tokensPerMinute }) => ({
    models: showModels(models),
    ...(requestsPerMinute === null ? {} : { requests_per_minute: requestsPerMinute }),
    ...(tokensPerMinute === null ? {} : { tokens_per_minute: tokensPerMinute }),
  }));
}
