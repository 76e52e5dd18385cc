// The step of the schema for agents that people signed in.
import { integer, integerOrNull, type Step, text, textOrNull } from "./schema-step.ts";

/** A person's groups, codes that wait for a person, agents that got a key and their secrets, and codes that people mistyped. */
export const DEVICES: Step = [
  { kind: "addColumn", table: "member", column: { name: "issuer_groups", type: "text", initial: "[]" } },
  {
    kind: "createTable",
    table: "device_code",
    columns: [
      ...["device_digest", "user_digest", "agent", "address", "block", "state"].map(text),
      ...["created_at_ms", "expires_at_ms"].map(integer),
      integerOrNull("polled_at_ms"),
      ...["member_id", "account_id", "key_id", "device_id"].map(textOrNull),
    ],
    key: ["device_digest"],
    placement: "everywhere",
  },
  { kind: "createIndex", name: "device_code_user", table: "device_code", columns: ["user_digest"] },
  { kind: "createIndex", name: "device_code_end", table: "device_code", columns: ["expires_at_ms"] },
  { kind: "createIndex", name: "device_code_block", table: "device_code", columns: ["block"] },
  {
    kind: "createTable",
    table: "device",
    columns: [
      ...["id", "member_id", "account_id", "key_id", "agent", "address", "refresh_digest"].map(text),
      ...["created_at_ms", "used_at_ms", "expires_at_ms"].map(integer),
      integerOrNull("ended_at_ms"),
      ...["old_refresh_digest", "answer_sealed"].map(textOrNull),
    ],
    key: ["id"],
    placement: "everywhere",
  },
  { kind: "createIndex", name: "device_refresh", table: "device", columns: ["refresh_digest"] },
  { kind: "createIndex", name: "device_old_refresh", table: "device", columns: ["old_refresh_digest"] },
  { kind: "createIndex", name: "device_member", table: "device", columns: ["member_id", "used_at_ms"] },
  { kind: "createIndex", name: "device_end", table: "device", columns: ["expires_at_ms"] },
  {
    kind: "createTable",
    table: "agent_secret",
    columns: [...["digest", "device_id"].map(text), integer("until_ms")],
    key: ["digest"],
    placement: "everywhere",
  },
  { kind: "createIndex", name: "agent_secret_end", table: "agent_secret", columns: ["until_ms"] },
  {
    kind: "createTable",
    table: "device_mistake",
    columns: [...["id", "member_id"].map(text), integer("until_ms")],
    key: ["id"],
    placement: "everywhere",
  },
  { kind: "createIndex", name: "device_mistake_member", table: "device_mistake", columns: ["member_id"] },
];
