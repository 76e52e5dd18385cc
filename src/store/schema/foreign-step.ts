// The step of the schema that adds secrets of other gateways.
import type { Step } from "./schema-step.ts";

/** Digests that other gateways stored, until their first use here. */
export const FOREIGN_DIGESTS: Step = [
  {
    kind: "createTable",
    table: "foreign_digest",
    columns: [
      { name: "digest", type: "text" },
      { name: "key_id", type: "text" },
      { name: "rotation", type: "integer" },
      { name: "ends_at_ms", type: "integer" },
    ],
    key: ["digest"],
    placement: "everywhere",
  },
  { kind: "createIndex", name: "foreign_digest_end", table: "foreign_digest", columns: ["ends_at_ms"] },
];
