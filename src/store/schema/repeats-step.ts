// The step of the schema for repeats of an operator's requests, the room that sign-ins of agents share, and where sessions began.
import { integer, type Step, text, textOrNull } from "./schema-step.ts";

/**
 * Nodes of an older version neither write nor read the records: there, a repeat is another request. Their codes of agents
 * count as of one network.
 */
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
  { kind: "addColumn", table: "device_code", column: { name: "network", type: "text", initial: "" } },
  { kind: "createIndex", name: "device_code_network", table: "device_code", columns: ["network"] },
  { kind: "addColumn", table: "session", column: textOrNull("address") },
  { kind: "addColumn", table: "session", column: textOrNull("agent") },
];
