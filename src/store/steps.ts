// The steps of the schema since both engines share them. A released step is never changed: a change is a new step.
import { ACCOUNT_FIELDS } from "../core/fields/account.ts";
import { KEY_FIELDS } from "../core/fields/key.ts";
import { HOURLY_USAGE } from "./hourly-usage-step.ts";
import type { Step } from "./schema-step.ts";

/** The bounds on scores are by account; the version before bounds them by key. */
const LESSONS_BY_ACCOUNT: Step = [
  {
    kind: "createIndex",
    name: "lesson_account_at",
    table: "lesson",
    columns: ["account_id", "model", "at_ms"],
  },
  { kind: "dropLater", name: "lesson_key_at" },
];

/**
 * Nodes know each other's versions from here on, and a request that was given up as lost says so once it is settled.
 * Programs from before don't look at the schema again after their start, so they can't run beside this one.
 */
const NODES_BY_VERSION: Step = [
  { kind: "addColumn", table: "request", column: { name: "late", type: "integer", initial: 0 } },
  {
    kind: "addColumn",
    table: "node",
    column: { name: "version", type: "integer", isNullable: true },
    only: "postgres",
  },
  {
    kind: "addColumn",
    table: "node",
    column: { name: "clock_ms", type: "integer", isNullable: true },
    only: "postgres",
  },
  { kind: "endSupport", stepsKnown: 3 },
];

/**
 * Limits and budgets. Programs from before would admit past them. The counts stand in the owner's row, beside its last
 * throttle slot.
 */
const LIMITS: Step = [
  { kind: "addField", table: "gateway_key", field: KEY_FIELDS.requests_per_minute },
  { kind: "addField", table: "gateway_key", field: KEY_FIELDS.tokens_per_minute },
  { kind: "addField", table: "gateway_key", field: KEY_FIELDS.parallel },
  { kind: "addField", table: "gateway_key", field: KEY_FIELDS.budgets },
  { kind: "addField", table: "account", field: ACCOUNT_FIELDS.time_zone },
  { kind: "addField", table: "account", field: ACCOUNT_FIELDS.requests_per_day },
  { kind: "addField", table: "account", field: ACCOUNT_FIELDS.free_budget_usd_per_day },
  { kind: "addField", table: "account", field: ACCOUNT_FIELDS.requests_per_minute },
  { kind: "addField", table: "account", field: ACCOUNT_FIELDS.tokens_per_minute },
  { kind: "addField", table: "account", field: ACCOUNT_FIELDS.parallel },
  { kind: "addField", table: "account", field: ACCOUNT_FIELDS.budgets },
  { kind: "addColumn", table: "slot", column: { name: "minute", type: "text", isNullable: true } },
  { kind: "addColumn", table: "slot", column: { name: "budgets", type: "text", isNullable: true } },
  {
    kind: "createTable",
    table: "event",
    columns: [
      { name: "account_id", type: "text" },
      { name: "id", type: "text" },
      { name: "at_ms", type: "integer" },
      { name: "type", type: "text" },
      { name: "data", type: "text" },
      { name: "logged_at_ms", type: "integer", isNullable: true },
    ],
    key: ["account_id", "id"],
    placement: "account",
  },
  { kind: "createIndex", name: "event_logged", table: "event", columns: ["logged_at_ms", "at_ms"] },
  { kind: "endSupport", stepsKnown: 4 },
];

/** People, their sessions and keys, and named tokens. A session of theirs has no digest that an older version accepts. */
const PEOPLE: Step = [
  {
    kind: "createTable",
    table: "token",
    columns: [
      { name: "id", type: "text" },
      { name: "digest", type: "text" },
      { name: "name", type: "text" },
      { name: "last4", type: "text" },
      { name: "grants", type: "text" },
      { name: "reads_content", type: "integer" },
      { name: "maker_kind", type: "text" },
      { name: "maker_id", type: "text" },
      { name: "contact", type: "text", isNullable: true },
      { name: "created_at_ms", type: "integer" },
      { name: "expires_at_ms", type: "integer", isNullable: true },
      { name: "revoked_at_ms", type: "integer", isNullable: true },
    ],
    key: ["id"],
    placement: "everywhere",
  },
  { kind: "createIndex", name: "token_digest", table: "token", columns: ["digest"] },
  {
    kind: "createTable",
    table: "member",
    columns: [
      { name: "id", type: "text" },
      { name: "issuer", type: "text" },
      { name: "subject", type: "text" },
      { name: "name", type: "text" },
      { name: "email", type: "text", isNullable: true },
      { name: "rule_grants", type: "text" },
      { name: "own_grants", type: "text" },
      { name: "own_until_ms", type: "integer", isNullable: true },
      { name: "reads_content", type: "integer" },
      { name: "is_disabled", type: "integer" },
      { name: "created_at_ms", type: "integer" },
      { name: "seen_at_ms", type: "integer" },
      { name: "refresh_sealed", type: "text", isNullable: true },
      { name: "checked_at_ms", type: "integer" },
      { name: "leased_until_ms", type: "integer" },
      { name: "anonymised_at_ms", type: "integer", isNullable: true },
    ],
    key: ["id"],
    placement: "everywhere",
  },
  { kind: "createIndex", name: "member_created", table: "member", columns: ["created_at_ms", "id"] },
  {
    kind: "createTable",
    table: "used_once",
    columns: [
      { name: "digest", type: "text" },
      { name: "until_ms", type: "integer" },
    ],
    key: ["digest"],
    placement: "everywhere",
  },
  { kind: "createIndex", name: "used_once_until", table: "used_once", columns: ["until_ms"] },
  ...(["token_id", "member_id", "issuer_session"] as const).map(
    (name) =>
      ({ kind: "addColumn", table: "session", column: { name, type: "text", isNullable: true } }) as const,
  ),
  { kind: "addColumn", table: "gateway_key", column: { name: "member_id", type: "text", isNullable: true } },
  { kind: "createIndex", name: "gateway_key_member", table: "gateway_key", columns: ["member_id"] },
];

/** The chained audit log, and beside it what may be erased. Its entries wait in the outbox. */
const AUDIT_LOG: Step = [
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

/** Taken after the engine's own first steps (`sqlite/migrations.ts`, `postgres/schema.ts`). */
export const STEPS: readonly Step[] = [
  HOURLY_USAGE,
  LESSONS_BY_ACCOUNT,
  NODES_BY_VERSION,
  LIMITS,
  PEOPLE,
  AUDIT_LOG,
];
