// The step of the schema for kept answers, the rows of requests that got one, and the sums of them.

import { KEY_FIELDS } from "../../core/fields/key.ts";
import { integer, type Step, text, textOrNull } from "./schema-step.ts";

export const CACHE: Step = [
  { kind: "addField", table: "gateway_key", field: KEY_FIELDS.cache },
  { kind: "addColumn", table: "request", column: textOrNull("cached_from") },
  { kind: "addColumn", table: "request", column: { name: "saved_nano", type: "integer", initial: 0 } },
  { kind: "addColumn", table: "hourly_usage", column: { name: "cached", type: "integer", initial: 0 } },
  { kind: "addColumn", table: "hourly_usage", column: { name: "saved_nano", type: "integer", initial: 0 } },
  {
    kind: "createTable",
    table: "cached_answer",
    columns: [
      ...["account_id", "id"].map(text),
      ...["at_ms", "until_ms", "bytes"].map(integer),
      text("sealed"),
    ],
    key: ["account_id", "id"],
    placement: "account",
  },
  // With the sizes, so that they are summed without reading the answers.
  {
    kind: "createIndex",
    name: "cached_answer_account",
    table: "cached_answer",
    columns: ["account_id", "at_ms", "id", "bytes"],
  },
  { kind: "createIndex", name: "cached_answer_at", table: "cached_answer", columns: ["at_ms", "bytes"] },
  { kind: "createIndex", name: "cached_answer_until", table: "cached_answer", columns: ["until_ms"] },
];
