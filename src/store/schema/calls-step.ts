// The step of the schema that keeps calls to providers: attempts whose requests are gone, and sums by day for good.
import type { Step } from "./schema-step.ts";

const texts = (...names: readonly string[]) => names.map((name) => ({ name, type: "text" }) as const);

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
      ...texts("account_id"),
      { name: "day_ms", type: "integer" },
      ...texts("model", "credential", "kind"),
      { name: "calls", type: "integer" },
      ...AMOUNTS.map((name) => ({ name, type: "integer", initial: 0 }) as const),
      { name: "cost_nano", type: "integer" },
      { name: "estimated_nano", type: "integer" },
    ],
    key: ["account_id", "day_ms", "model", "credential", "kind"],
    placement: "account",
  },
  {
    kind: "createTable",
    table: "provider_call",
    columns: [
      ...texts("account_id", "id"),
      { name: "at_ms", type: "integer" },
      ...texts("kind", "model", "credential", "upstream_request_ids"),
      { name: "completion_id", type: "text", isNullable: true },
      ...texts("outcome"),
      { name: "fault_code", type: "text", isNullable: true },
      { name: "calls", type: "integer" },
      { name: "claimed", type: "text", isNullable: true },
      ...texts("charged", "usage_source"),
      { name: "cost_nano", type: "integer" },
    ],
    key: ["account_id", "id"],
    placement: "account",
  },
  { kind: "createIndex", name: "provider_call_at", table: "provider_call", columns: ["at_ms", "id"] },
];
