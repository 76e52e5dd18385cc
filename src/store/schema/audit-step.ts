// The step of the schema that adds the audit log.
import { integer, type Step, text, textOrNull } from "./schema-step.ts";

/** The chained audit log, and beside it what may be erased. Its entries wait in the outbox. */
export const AUDIT_LOG: Step = [
  {
    kind: "createTable",
    table: "audit",
    columns: [
      integer("seq"),
      text("id"),
      integer("at_ms"),
      ...["actor_kind", "actor_id", "action", "target_type", "target_id"].map(text),
      textOrNull("account_id"),
      ...["outcome", "route", "request_id"].map(text),
      textOrNull("reason"),
      ...["actor_digest", "target_digest", "change_digest", "hash"].map(text),
    ],
    key: ["seq"],
    placement: "everywhere",
  },
  { kind: "createIndex", name: "audit_id", table: "audit", columns: ["id"] },
  { kind: "createIndex", name: "audit_actor", table: "audit", columns: ["actor_id", "seq"] },
  { kind: "createIndex", name: "audit_target", table: "audit", columns: ["target_id", "seq"] },
  { kind: "createIndex", name: "audit_account", table: "audit", columns: ["account_id", "seq"] },
  {
    kind: "createTable",
    table: "audit_detail",
    columns: [
      integer("seq"),
      textOrNull("actor_salt"),
      ...["actor_name", "address", "agent"].map(text),
      textOrNull("target_salt"),
      text("target_name"),
      ...["change_salt", "before_json", "after_json"].map(textOrNull),
    ],
    key: ["seq"],
    placement: "everywhere",
  },
];
