// The step that moved the hourly sums to a table whose key has every dimension that they are kept by.
import type { NewColumn, Step } from "./schema-step.ts";

const KEY = ["hour_ms", "account_id", "key_id", "model", "operation", "surface"];
/** Empty in rows from before the step, except for the provider. */
const NEW_KEY = ["member", "provider", "outcome", "tag"];
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
];

function makeColumn(name: string): NewColumn {
  if (SUMS.includes(name)) return { name, type: "integer", initial: 0 };
  return { name, type: name === "hour_ms" ? "integer" : "text" };
}

/** `provider` is the part of the model's id before the `#`. */
function composeMove(from: string, provider: string): string {
  const key = KEY.join(", ");
  const sums = SUMS.join(", ");
  const added = SUMS.map((column) => `${column} = hourly_usage.${column} + excluded.${column}`);
  return `INSERT INTO hourly_usage (${key}, ${NEW_KEY.join(", ")}, ${sums})
    SELECT ${key}, '', ${provider}, '', '', ${sums} FROM ${from} WHERE true
    ON CONFLICT (${key}, ${NEW_KEY.join(", ")}) DO UPDATE SET ${added.join(", ")}`;
}

export const HOURLY_USAGE: Step = [
  {
    kind: "createTable",
    table: "hourly_usage",
    columns: [...KEY, ...NEW_KEY, ...SUMS].map(makeColumn),
    key: [...KEY, ...NEW_KEY],
    placement: "account",
  },
  { kind: "createIndex", name: "hourly_usage_key", table: "hourly_usage", columns: ["key_id", "hour_ms"] },
  // Moved rather than copied: a process of an older version that still runs adds to the old table, and the step that
  // drops that table can then move what came since without counting anything twice.
  {
    kind: "moveRows",
    sqlite: [
      composeMove("usage_hour", "substr(model, 1, max(instr(model, '#') - 1, 0))"),
      "DELETE FROM usage_hour",
    ],
    postgres: [
      `WITH moved AS (DELETE FROM usage_hour RETURNING *)
      ${composeMove("moved", "left(model, greatest(strpos(model, '#') - 1, 0))")}`,
    ],
  },
  { kind: "dropLater", name: "usage_hour" },
];
