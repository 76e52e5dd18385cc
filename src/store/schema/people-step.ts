// The step of the schema for people, their sessions and keys, and named tokens.
import { ACCOUNT_FIELDS } from "../../core/fields/account.ts";
import type { Step } from "./schema-step.ts";

/** People, their sessions and keys, and named tokens. A session of theirs has no digest that an older version accepts. */
export const PEOPLE: Step = [
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

/** The limits that the rules of the sign-in give a person, and the last warning that was sent. */
export const MEMBER_RULES: Step = [
  { kind: "addColumn", table: "member", column: { name: "rule_limits", type: "text", isNullable: true } },
  { kind: "addColumn", table: "member", column: { name: "warned_at_ms", type: "integer", isNullable: true } },
  { kind: "createIndex", name: "member_checked", table: "member", columns: ["checked_at_ms"] },
];

/** The limits that an account gives each of its members. */
export const MEMBER_LIMITS: Step = [
  { kind: "addField", table: "account", field: ACCOUNT_FIELDS.member_defaults },
];

/** A token from before goes on for this time if only its contact upholds it. */
const CONTACTS_MS = 7 * 86_400_000;
const CONTACT_UNTIL = `WHERE contact IS NOT NULL AND contact_until_ms IS NULL AND revoked_at_ms IS NULL
  AND maker_kind IN ('person', 'token')`;

/**
 * People about whom the issuer gave no definite word, and the end of the tokens that only a contact upholds. An older version
 * writes neither, so a doubt that is older than the person's last sign-in is over.
 */
export const DOUBTS: Step = [
  ...(["doubt_since_ms", "acts_until_ms", "keys_until_ms"] as const).map(
    (name) =>
      ({ kind: "addColumn", table: "member", column: { name, type: "integer", isNullable: true } }) as const,
  ),
  {
    kind: "addColumn",
    table: "token",
    column: { name: "contact_until_ms", type: "integer", isNullable: true },
  },
  {
    kind: "moveRows",
    sqlite: [
      `UPDATE token SET contact_until_ms = CAST(unixepoch() AS INTEGER) * 1000 + ${CONTACTS_MS} ${CONTACT_UNTIL}`,
    ],
    postgres: [
      `UPDATE token SET contact_until_ms = floor(extract(epoch FROM now()))::bigint * 1000 + ${CONTACTS_MS} ${CONTACT_UNTIL}`,
    ],
  },
];

/** The directory's word about people, the end of their erasing, and an index by which roles that have ended are found. */
export const ENDS: Step = [
  ...(["deactivated_at_ms", "erased_at_ms"] as const).map(
    (name) =>
      ({ kind: "addColumn", table: "member", column: { name, type: "integer", isNullable: true } }) as const,
  ),
  {
    kind: "createIndex",
    name: "member_own_until",
    table: "member",
    columns: ["own_until_ms"],
    isSparse: true,
  },
];
