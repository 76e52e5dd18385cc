// The step of the schema that keeps calls to providers: attempts whose requests are gone, and sums by day for good.
import { integer, type Step, text, textOrNull } from "./schema-step.ts";

/** The amounts that have a column in sums of usage. */
const AMOUNTS = [
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
];

export const PROVIDER_CALLS: Step = [
  {
    kind: "createTable",
    table: "provider_call_day",
    columns: [
      text("account_id"),
      integer("day_ms"),
      ...["model", "credential", "kind"].map(text),
      integer("calls"),
      ...AMOUNTS.map((name) => ({ name, type: "integer", initial: 0 }) as const),
      ...["cost_nano", "estimated_nano"].map(integer),
    ],
    key: ["account_id", "day_ms", "model", "credential", "kind"],
    placement: "account",
  },
  {
    kind: "createTable",
    table: "provider_call",
    columns: [
      ...["account_id", "id"].map(text),
      integer("at_ms"),
      ...["kind", "model", "credential", "upstream_request_ids"].map(text),
      textOrNull("completion_id"),
      text("outcome"),
      textOrNull("fault_code"),
      integer("calls"),
      textOrNull("claimed"),
      ...["charged", "usage_source"].map(text),
      integer("cost_nano"),
    ],
    key: ["account_id", "id"],
    placement: "account",
  },
  { kind: "createIndex", name: "provider_call_at", table: "provider_call", columns: ["at_ms", "id"] },
];
