// The steps of the schema for money that moves without a request, for what accounts owe, and for statements.
import { integer, integerOrNull, type Step, text, textOrNull } from "./schema-step.ts";

const MOVED = "account_id, id, at_ms, kind, amount_nano, balance_nano";
const TOPPED_UP = "account_id, id, at_ms, 'topup', amount_nano, amount_nano";

/**
 * Movements take the place of top-ups, whose table refuses negative amounts. They are moved rather than copied, so that
 * none counts twice. Programs from before would let closed accounts be used, and refuse the new kinds of entries.
 */
export const MOVEMENTS: Step = [
  {
    kind: "createTable",
    table: "movement",
    columns: [
      ...["account_id", "id"].map(text),
      integer("at_ms"),
      text("kind"),
      ...["amount_nano", "balance_nano"].map(integer),
      textOrNull("month"),
      integerOrNull("seq"),
      ...["by_kind", "by_id"].map(textOrNull),
    ],
    key: ["account_id", "id"],
    placement: "account",
  },
  { kind: "createIndex", name: "movement_seq", table: "movement", columns: ["account_id", "seq"] },
  {
    kind: "moveRows",
    sqlite: [`INSERT INTO movement (${MOVED}) SELECT ${TOPPED_UP} FROM top_up`, "DELETE FROM top_up"],
    postgres: [
      `WITH moved AS (DELETE FROM top_up RETURNING *)
      INSERT INTO movement (${MOVED}) SELECT ${TOPPED_UP} FROM moved`,
    ],
  },
  { kind: "dropLater", name: "top_up" },
  {
    kind: "addColumn",
    table: "entry",
    column: integerOrNull("held_after_nano"),
  },
  { kind: "addColumn", table: "account", column: { name: "receivable_nano", type: "integer", initial: 0 } },
  ...(["closing_at_ms", "closed_at_ms"] as const).map(
    (name) =>
      ({ kind: "addColumn", table: "account", column: { name, type: "integer", isNullable: true } }) as const,
  ),
  { kind: "endSupport", stepsKnown: 18 },
];

/**
 * Statements of closed months, and what of an hour belongs to another month's. Programs from before would count it in
 * the hour's own.
 */
export const STATEMENTS: Step = [
  ...(["edge_cost_nano", "edge_charged_nano"] as const).map(
    (name) =>
      ({ kind: "addColumn", table: "hourly_usage", column: { name, type: "integer", initial: 0 } }) as const,
  ),
  {
    kind: "createTable",
    table: "statement",
    columns: [...["account_id", "month"].map(text), integer("closed_at_ms"), text("data")],
    key: ["account_id", "month"],
    placement: "account",
  },
  { kind: "endSupport", stepsKnown: 19 },
];
