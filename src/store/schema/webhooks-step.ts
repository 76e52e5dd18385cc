// The step of the schema that adds deliveries of events, and the lease by which one node delivers them.
import type { Step } from "./schema-step.ts";

/** Few rows, which any node may find, so every machine has them all. */
export const WEBHOOKS: Step = [
  {
    kind: "createTable",
    table: "lease",
    columns: [
      { name: "name", type: "text" },
      { name: "node", type: "text" },
      { name: "until_ms", type: "integer" },
    ],
    key: ["name"],
    placement: "everywhere",
  },
  {
    kind: "createTable",
    table: "delivery",
    columns: [
      ...["id", "webhook_id", "endpoint", "type", "account_id"].map(
        (name) => ({ name, type: "text" }) as const,
      ),
      { name: "at_ms", type: "integer" },
      { name: "data", type: "text" },
      { name: "state", type: "text" },
      { name: "attempts", type: "integer" },
      { name: "due_at_ms", type: "integer", isNullable: true },
      { name: "status", type: "integer", isNullable: true },
      { name: "reason", type: "text", isNullable: true },
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
    columns: [
      { name: "endpoint", type: "text" },
      { name: "at_ms", type: "integer" },
    ],
    key: ["endpoint"],
    placement: "everywhere",
  },
];
