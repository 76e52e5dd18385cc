// The filters that questions to the log share: of its requests, its refusals and its sums.
import { Type } from "@sinclair/typebox";
import { OPERATIONS } from "../core/card.ts";
import { REQUEST_OUTCOMES, SURFACE_NAMES } from "../core/record.ts";
import { allowWords } from "./schema.ts";

const TEXT_CHARACTERS_MAX = 200;

export const filterText = Type.Optional(Type.String({ maxLength: TEXT_CHARACTERS_MAX }));

/** Rows must match all that are given. `key_id` and `account_id` are other names of `key` and `account`. */
export const refusalFilterFields = {
  key: filterText,
  key_id: filterText,
  account: filterText,
  account_id: filterText,
  model: filterText,
};

/** The filters of sums, which those of single requests include. */
export const usageFilterFields = {
  ...refusalFilterFields,
  member: filterText,
  provider: filterText,
  operation: Type.Optional(allowWords(OPERATIONS)),
  surface: Type.Optional(allowWords(SURFACE_NAMES)),
  outcome: Type.Optional(allowWords(REQUEST_OUTCOMES)),
};
