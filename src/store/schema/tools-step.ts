// The step of the schema for tool servers: the sessions that they keep for clients, and the log's rows of calls.
import { integer, integerOrNull, type Step, text, textOrNull } from "./schema-step.ts";

export const TOOLS: Step = [
  {
    kind: "createTable",
    table: "tool_session",
    columns: [
      ...["account_id", "id", "key_id", "owner", "server"].map(text),
      integer("used_at_ms"),
      text("sealed"),
    ],
    key: ["account_id", "id"],
    placement: "account",
  },
  { kind: "createIndex", name: "tool_session_used", table: "tool_session", columns: ["used_at_ms"] },
  {
    kind: "createIndex",
    name: "tool_session_key",
    table: "tool_session",
    columns: ["account_id", "key_id", "used_at_ms"],
  },
  {
    kind: "createIndex",
    name: "tool_session_owner",
    table: "tool_session",
    columns: ["account_id", "owner"],
  },
  { kind: "addColumn", table: "request", column: textOrNull("server") },
  { kind: "addColumn", table: "request", column: textOrNull("tool") },
  { kind: "addColumn", table: "request", column: textOrNull("tool_error") },
  { kind: "addColumn", table: "request", column: integerOrNull("argument_bytes") },
  { kind: "addColumn", table: "request", column: integerOrNull("result_bytes") },
  { kind: "addColumn", table: "request", column: textOrNull("response_id") },
  {
    kind: "createIndex",
    name: "request_server",
    table: "request",
    columns: ["server", "at_ms", "id"],
    isSparse: true,
  },
];
