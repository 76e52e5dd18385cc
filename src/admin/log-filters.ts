// The filters that questions to the log share: of its requests, its refusals and its sums.
import { Type } from "@sinclair/typebox";
import { OPERATIONS } from "../core/card.ts";
import { REQUEST_OUTCOMES, SURFACE_NAMES } from "../core/record.ts";
import { OTHER_TAGS, TAG_FILTER, TAGS_PER_DAY_MAX, UNTAGGED } from "../core/tags.ts";
import { allowWords } from "./schema.ts";

const TEXT_CHARACTERS_MAX = 200;

/** A text to match. The description names what rows have, for the API's page and the command line. */
export function makeFilter(description: string) {
  return Type.Optional(Type.String({ maxLength: TEXT_CHARACTERS_MAX, description }));
}

const key = makeFilter("this key's id, or the name that only one key has");
const account = makeFilter("this account's id, or the name that only one account has");

/** Rows must match all that are given. `key_id` and `account_id` are other names of `key` and `account`. */
export const refusalFilterFields = {
  key,
  key_id: key,
  account,
  account_id: account,
  model: makeFilter("this model, as asked for, tried or used"),
};

/** The filters of sums, which those of single requests include. */
export const usageFilterFields = {
  ...refusalFilterFields,
  member: makeFilter("a personal key of the person with this id"),
  provider: makeFilter("this provider in any case, which answered or was last called"),
  operation: Type.Optional(allowWords(OPERATIONS)),
  surface: Type.Optional(allowWords(SURFACE_NAMES)),
  outcome: Type.Optional(allowWords(REQUEST_OUTCOMES)),
  tag: Type.Optional(
    Type.String({
      ...TAG_FILTER,
      description: `this tag, such as team=search, or ${UNTAGGED} for requests without any; of sums, ${OTHER_TAGS} for those beyond the day's first ${TAGS_PER_DAY_MAX}`,
    }),
  ),
};
