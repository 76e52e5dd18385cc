// The step of the schema for repeats of an operator's requests.
import { integer, type Step, text, textOrNull } from "./schema-step.ts";

/** Nodes of an older version neither write nor read these records: there, a repeat is another request. */
export const REPEATS: Step = [
  {
    kind: "createTable",
    table: "admin_repeat",
    columns: [
      ...["id", "actor"].map(text),
      integer("at_ms"),
      ...["body_digest", "token"].map(text),
      ...["answer", "secret"].map(textOrNull),
    ],
    key: ["id"],
    placement: "everywhere",
  },
  { kind: "createIndex", name: "admin_repeat_at", table: "admin_repeat", columns: ["at_ms"] },
  {
    kind: "createIndex",
    name: "admin_repeat_actor",
    table: "admin_repeat",
    columns: ["actor", "at_ms", "id"],
  },
];
