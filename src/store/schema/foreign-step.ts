// The step of the schema that adds secrets of other gateways.
import { integer, type Step, text } from "./schema-step.ts";

/** Digests that other gateways stored, until their first use here. */
export const FOREIGN_DIGESTS: Step = [
  {
    kind: "createTable",
    table: "foreign_digest",
    columns: [...["digest", "key_id"].map(text), ...["rotation", "ends_at_ms"].map(integer)],
    key: ["digest"],
    placement: "everywhere",
  },
  { kind: "createIndex", name: "foreign_digest_end", table: "foreign_digest", columns: ["ends_at_ms"] },
];
