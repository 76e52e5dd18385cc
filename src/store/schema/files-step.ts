// The step of the schema for files: their rows, and on PostgreSQL the pieces of their bytes.
import { integer, type Step, text, textOrNull } from "./schema-step.ts";

export const FILES: Step = [
  {
    kind: "createTable",
    table: "file",
    columns: [
      ...["account_id", "id", "form", "key_id"].map(text),
      textOrNull("member_id"),
      ...["name", "purpose", "type"].map(text),
      ...["bytes", "created_ms", "expires_ms"].map(integer),
    ],
    key: ["account_id", "id"],
    placement: "account",
  },
  // With the sizes, so that they are summed without reading the rows.
  {
    kind: "createIndex",
    name: "file_account",
    table: "file",
    columns: ["account_id", "created_ms", "id", "bytes"],
  },
  { kind: "createIndex", name: "file_created", table: "file", columns: ["created_ms", "id"] },
  { kind: "createIndex", name: "file_expires", table: "file", columns: ["expires_ms"] },
  {
    kind: "createTable",
    table: "file_piece",
    columns: [
      ...["account_id", "object"].map(text),
      ...["number", "at_ms"].map(integer),
      { name: "sealed", type: "bytes" },
    ],
    key: ["account_id", "object", "number"],
    placement: "account",
    only: "postgres",
  },
];
