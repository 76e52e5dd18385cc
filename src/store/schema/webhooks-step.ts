// The step of the schema that adds deliveries of events, and the lease by which one node delivers them.
import { integer, integerOrNull, type Step, text, textOrNull } from "./schema-step.ts";

/** Few rows, which any node may find, so every machine has them all. */
export const WEBHOOKS: Step = [
  {
    kind: "createTable",
    table: "lease",
    columns: [...["name", "node"].map(text), integer("until_ms")],
    key: ["name"],
    placement: "everywhere",
  },
  {
    kind: "createTable",
    table: "delivery",
    columns: [
      ...["id", "webhook_id", "endpoint", "type", "account_id"].map(text),
      integer("at_ms"),
      ...["data", "state"].map(text),
      integer("attempts"),
      ...["due_at_ms", "status"].map(integerOrNull),
      textOrNull("reason"),
    ],
    key: ["id"],
    placement: "everywhere",
  },
  {
    kind: "createIndex",
    name: "delivery_due",
    table: "delivery",
    columns: ["due_at_ms", "endpoint"],
    isSparse: true,
  },
  { kind: "createIndex", name: "delivery_at", table: "delivery", columns: ["at_ms", "id"] },
  {
    kind: "createTable",
    table: "endpoint_off",
    columns: [text("endpoint"), integer("at_ms")],
    key: ["endpoint"],
    placement: "everywhere",
  },
];
