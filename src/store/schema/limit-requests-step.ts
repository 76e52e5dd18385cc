// The step of the schema for requests for more.
import { integer, integerOrNull, type Step, text, textOrNull } from "./schema-step.ts";

/** Admissions read the rows with a time in `raised_until_ms`. */
export const LIMIT_REQUESTS: Step = [
  {
    kind: "createTable",
    table: "limit_request",
    columns: [
      ...["account_id", "id", "member_id", "kind"].map(text),
      ...["per", "models"].map(textOrNull),
      ...["amount"].map(integer),
      text("reason"),
      ...["created_at_ms", "until_ms"].map(integer),
      text("state"),
      integerOrNull("decided_at_ms"),
      ...["decider_kind", "decider_id", "note"].map(textOrNull),
      integerOrNull("raised_until_ms"),
    ],
    key: ["account_id", "id"],
    placement: "account",
  },
  {
    kind: "createIndex",
    name: "limit_request_raised",
    table: "limit_request",
    columns: ["member_id", "raised_until_ms"],
  },
  {
    kind: "createIndex",
    name: "limit_request_created",
    table: "limit_request",
    columns: ["created_at_ms", "id"],
  },
];
