// The step of the schema for people, their sessions and keys, and named tokens.
import { ACCOUNT_FIELDS } from "../../core/fields/account.ts";
import { integer, integerOrNull, type Step, text, textOrNull } from "./schema-step.ts";

/** People, their sessions and keys, and named tokens. A session of theirs has no digest that an older version accepts. */
export const PEOPLE: Step = [
  {
    kind: "createTable",
    table: "token",
    columns: [
      ...["id", "digest", "name", "last4", "grants"].map(text),
      integer("reads_content"),
      ...["maker_kind", "maker_id"].map(text),
      textOrNull("contact"),
      integer("created_at_ms"),
      ...["expires_at_ms", "revoked_at_ms"].map(integerOrNull),
    ],
    key: ["id"],
    placement: "everywhere",
  },
  { kind: "createIndex", name: "token_digest", table: "token", columns: ["digest"] },
  {
    kind: "createTable",
    table: "member",
    columns: [
      ...["id", "issuer", "subject", "name"].map(text),
      textOrNull("email"),
      ...["rule_grants", "own_grants"].map(text),
      integerOrNull("own_until_ms"),
      ...["reads_content", "is_disabled", "created_at_ms", "seen_at_ms"].map(integer),
      textOrNull("refresh_sealed"),
      ...["checked_at_ms", "leased_until_ms"].map(integer),
      integerOrNull("anonymised_at_ms"),
    ],
    key: ["id"],
    placement: "everywhere",
  },
  { kind: "createIndex", name: "member_created", table: "member", columns: ["created_at_ms", "id"] },
  {
    kind: "createTable",
    table: "used_once",
    columns: [text("digest"), integer("until_ms")],
    key: ["digest"],
    placement: "everywhere",
  },
  { kind: "createIndex", name: "used_once_until", table: "used_once", columns: ["until_ms"] },
  ...(["token_id", "member_id", "issuer_session"] as const).map(
    (name) =>
      ({ kind: "addColumn", table: "session", column: { name, type: "text", isNullable: true } }) as const,
  ),
  { kind: "addColumn", table: "gateway_key", column: textOrNull("member_id") },
  { kind: "createIndex", name: "gateway_key_member", table: "gateway_key", columns: ["member_id"] },
];

/** The limits that the rules of the sign-in give a person, and the last warning that was sent. */
export const MEMBER_RULES: Step = [
  { kind: "addColumn", table: "member", column: textOrNull("rule_limits") },
  { kind: "addColumn", table: "member", column: integerOrNull("warned_at_ms") },
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
    column: integerOrNull("contact_until_ms"),
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
