// The step of the schema that adds the audit log.
import type { Step } from "./schema-step.ts";

/** The chained audit log, and beside it what may be erased. Its entries wait in the outbox. */
export const AUDIT_LOG: Step = [
  {
    kind: "createTable",
    table: "audit",
    columns: [
      { name: "seq", type: "integer" },
      { name: "id", type: "text" },
      { name: "at_ms", type: "integer" },
      ...["actor_kind", "actor_id", "action", "target_type", "target_id"].map(
        (name) => ({ name, type: "text" }) as const,
      ),
      { name: "account_id", type: "text", isNullable: true },
      ...["outcome", "route", "request_id"].map((name) => ({ name, type: "text" }) as const),
      { name: "reason", type: "text", isNullable: true },
      ...["actor_digest", "target_digest", "change_digest", "hash"].map(
        (name) => ({ name, type: "text" }) as const,
      ),
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
      { name: "seq", type: "integer" },
      { name: "actor_salt", type: "text", isNullable: true },
      ...["actor_name", "address", "agent"].map((name) => ({ name, type: "text" }) as const),
      { name: "target_salt", type: "text", isNullable: true },
      { name: "target_name", type: "text" },
      ...["change_salt", "before_json", "after_json"].map(
        (name) => ({ name, type: "text", isNullable: true }) as const,
      ),
    ],
    key: ["seq"],
    placement: "everywhere",
  },
];
