// The step of the schema for card payments, and for refunds and disputes whose payment isn't known yet.
import { integer, type Step, text, textOrNull } from "./schema-step.ts";

export const CHECKOUTS: Step = [
  {
    kind: "createTable",
    table: "checkout",
    columns: [
      ...["account_id", "id"].map(text),
      ...["created_at_ms", "amount_nano"].map(integer),
      ...["by_kind", "by_id", "page"].map(textOrNull),
      text("state"),
      textOrNull("payment_id"),
      integer("paid_nano"),
      text("takings"),
    ],
    key: ["account_id", "id"],
    placement: "account",
  },
  { kind: "createIndex", name: "checkout_id", table: "checkout", columns: ["id"] },
  {
    kind: "createIndex",
    name: "checkout_payment",
    table: "checkout",
    columns: ["payment_id"],
    isSparse: true,
  },
  {
    kind: "createTable",
    table: "stray_taking",
    columns: [...["id", "state", "payment_id", "kind"].map(text), ...["amount_nano", "at_ms"].map(integer)],
    key: ["id", "state"],
    placement: "everywhere",
  },
  { kind: "createIndex", name: "stray_taking_payment", table: "stray_taking", columns: ["payment_id"] },
  { kind: "createIndex", name: "stray_taking_at", table: "stray_taking", columns: ["at_ms", "id", "state"] },
];
