// The steps of the schema for what a company's directory says by SCIM.
import { integer, integerOrNull, type Step, text, textOrNull } from "./schema-step.ts";

/**
 * Users, groups and who is in which, with what it makes of people. An older version neither writes nor reads it: there,
 * a person who was deactivated has no rules, so that nobody gets in by it.
 */
export const DIRECTORY: Step = [
  { kind: "createTable", table: "directory", columns: [text("id")], key: ["id"], placement: "everywhere" },
  {
    kind: "moveRows",
    sqlite: ["INSERT INTO directory (id) VALUES ('directory') ON CONFLICT (id) DO NOTHING"],
    postgres: ["INSERT INTO directory (id) VALUES ('directory') ON CONFLICT (id) DO NOTHING"],
  },
  {
    kind: "createTable",
    table: "directory_user",
    columns: [
      ...["id", "member_id", "user_name", "name_folded"].map(text),
      ...["external_id", "display_folded"].map(textOrNull),
      text("attributes"),
      ...["is_active", "is_linked", "created_at_ms", "changed_at_ms"].map(integer),
    ],
    key: ["id"],
    placement: "everywhere",
  },
  { kind: "createIndex", name: "directory_user_name", table: "directory_user", columns: ["name_folded"] },
  {
    kind: "createIndex",
    name: "directory_user_external",
    table: "directory_user",
    columns: ["external_id"],
    isSparse: true,
  },
  {
    kind: "createIndex",
    name: "directory_user_display",
    table: "directory_user",
    columns: ["display_folded"],
    isSparse: true,
  },
  { kind: "createIndex", name: "directory_user_member", table: "directory_user", columns: ["member_id"] },
  {
    kind: "createIndex",
    name: "directory_user_created",
    table: "directory_user",
    columns: ["created_at_ms", "id"],
  },
  {
    kind: "createTable",
    table: "directory_email",
    columns: ["user_id", "value_folded", "type_folded"].map(text),
    key: ["user_id", "value_folded", "type_folded"],
    placement: "everywhere",
  },
  { kind: "createIndex", name: "directory_email_value", table: "directory_email", columns: ["value_folded"] },
  {
    kind: "createTable",
    table: "directory_group",
    columns: [
      ...["id", "display_name", "name_folded"].map(text),
      textOrNull("external_id"),
      ...["is_filled", "created_at_ms", "changed_at_ms"].map(integer),
      integerOrNull("deleted_at_ms"),
    ],
    key: ["id"],
    placement: "everywhere",
  },
  { kind: "createIndex", name: "directory_group_name", table: "directory_group", columns: ["name_folded"] },
  {
    kind: "createIndex",
    name: "directory_group_display",
    table: "directory_group",
    columns: ["display_name"],
  },
  {
    kind: "createIndex",
    name: "directory_group_external",
    table: "directory_group",
    columns: ["external_id"],
    isSparse: true,
  },
  {
    kind: "createIndex",
    name: "directory_group_created",
    table: "directory_group",
    columns: ["created_at_ms", "id"],
  },
  {
    kind: "createTable",
    table: "directory_membership",
    columns: ["group_id", "user_id"].map(text),
    key: ["group_id", "user_id"],
    placement: "everywhere",
  },
  {
    kind: "createIndex",
    name: "directory_membership_user",
    table: "directory_membership",
    columns: ["user_id"],
  },
  {
    kind: "createTable",
    table: "member_alias",
    columns: ["id", "member_id"].map(text),
    key: ["id"],
    placement: "everywhere",
  },
  { kind: "createIndex", name: "member_alias_member", table: "member_alias", columns: ["member_id"] },
  { kind: "addColumn", table: "member", column: textOrNull("object_id") },
  ...(["refused_at_ms", "directory_turn"] as const).map(
    (name) =>
      ({ kind: "addColumn", table: "member", column: { name, type: "integer", isNullable: true } }) as const,
  ),
  { kind: "createIndex", name: "member_object", table: "member", columns: ["object_id"], isSparse: true },
  {
    kind: "createIndex",
    name: "member_directory",
    table: "member",
    columns: ["directory_turn"],
    isSparse: true,
  },
  { kind: "addColumn", table: "token", column: textOrNull("kind") },
];

/** The parts that are left of changes of large groups. A program from before doesn't do them: the newer ones do. */
export const GROUP_PARTS: Step = [
  {
    kind: "createTable",
    table: "directory_part",
    columns: [
      text("group_id"),
      integer("part"),
      ...["came", "went", "others", "names", "after_id"].map(text),
    ],
    key: ["group_id", "part"],
    placement: "everywhere",
  },
];

/** An address in lower case, of people about whom no directory decides. */
export const FREE_EMAIL = "(CASE WHEN directory_turn IS NULL THEN lower(email) END)";
const COUNT_USERS = "UPDATE directory SET users = (SELECT count(*) FROM directory_user)";

/**
 * A page of the list of users takes as long with 100,000 of them as with a hundred, and so does a change of one. `moves` counts
 * what changes the positions of users in the list. Releases from before have no users.
 */
export const DIRECTORY_SIZE: Step = [
  ...["users", "moves"].map(
    (name) =>
      ({ kind: "addColumn", table: "directory", column: { name, type: "integer", initial: 0 } }) as const,
  ),
  { kind: "moveRows", sqlite: [COUNT_USERS], postgres: [COUNT_USERS] },
  { kind: "createIndex", name: "member_email", table: "member", columns: [FREE_EMAIL], isSparse: true },
  { kind: "createIndex", name: "session_member", table: "session", columns: ["member_id"], isSparse: true },
  // Nothing is found by it, and it would be written with every change of anybody's rights.
  { kind: "dropIndex", name: "member_directory" },
];
