// The step of the schema for tags: of keys and accounts, of requests, the sums by tag, and the tags of each day.
import { ACCOUNT_FIELDS } from "../../core/fields/account.ts";
import { KEY_FIELDS } from "../../core/fields/key.ts";
import { integer, type NewColumn, type Step, text, textOrNull } from "./schema-step.ts";

const HOUR: NewColumn = integer("hour_ms");

const DIMENSIONS = [
  "account_id",
  "key_id",
  "model",
  "operation",
  "surface",
  "member",
  "provider",
  "outcome",
  "tag",
];
const SUMS = [
  "requests",
  "errors",
  "prompt_tokens",
  "completion_tokens",
  "cached_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
  "searches",
  "images",
  "seconds",
  "characters",
  "search_units",
  "pages",
  "cost_nano",
  "charged_nano",
  "cached",
  "saved_nano",
  "edge_cost_nano",
  "edge_charged_nano",
];

/**
 * A request with several tags is in a sum of each, so these lie beside `hourly_usage`, whose rows are added up by all
 * other questions, and by programs from before.
 */
export const TAGS: Step = [
  { kind: "addField", table: "gateway_key", field: KEY_FIELDS.tags },
  { kind: "addField", table: "account", field: ACCOUNT_FIELDS.tags },
  { kind: "addColumn", table: "request", column: textOrNull("tags") },
  {
    kind: "createTable",
    table: "hourly_tag",
    columns: [
      HOUR,
      ...DIMENSIONS.map(text),
      ...SUMS.map((name) => ({ name, type: "integer", initial: 0 }) as const),
    ],
    key: ["hour_ms", ...DIMENSIONS],
    placement: "account",
  },
  {
    kind: "createTable",
    table: "tag_of_day",
    columns: [text("account_id"), integer("day_ms"), text("tag")],
    key: ["account_id", "day_ms", "tag"],
    placement: "account",
  },
];
