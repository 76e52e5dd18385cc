// The step of the schema for batches: their rows, the blocks of their lines, and the lines' rows in the log.
import { integer, integerOrNull, type Step, text, textOrNull } from "./schema-step.ts";

/** `open_at_ms` is when it was made, until it has ended: nodes look for those each second. */
export const BATCHES: Step = [
  {
    kind: "createTable",
    table: "batch",
    columns: [
      ...["account_id", "id", "key_id"].map(text),
      textOrNull("member_id"),
      ...["surface", "status"].map(text),
      ...["created_at_ms", "expires_at_ms"].map(integer),
      ...["ended_at_ms", "open_at_ms"].map(integerOrNull),
      ...["claim", "input_file_id"].map(textOrNull),
      integer("bytes"),
      text("detail"),
    ],
    key: ["account_id", "id"],
    placement: "account",
  },
  {
    kind: "createTable",
    table: "batch_block",
    columns: [
      ...["account_id", "batch_id"].map(text),
      integer("block"),
      textOrNull("node"),
      ...["lease", "remaining"].map(integer),
      ...["states", "places", "pieces"].map(text),
    ],
    key: ["account_id", "batch_id", "block"],
    placement: "account",
  },
  { kind: "createIndex", name: "batch_created", table: "batch", columns: ["created_at_ms", "id"] },
  { kind: "createIndex", name: "batch_open", table: "batch", columns: ["open_at_ms"], isSparse: true },
  { kind: "createIndex", name: "batch_claim", table: "batch", columns: ["claim"], isSparse: true },
  { kind: "addColumn", table: "request", column: textOrNull("batch_id") },
  { kind: "addColumn", table: "request", column: integerOrNull("batch_line") },
  { kind: "addColumn", table: "request", column: textOrNull("custom_id") },
  {
    kind: "createIndex",
    name: "request_batch",
    table: "request",
    columns: ["batch_id", "at_ms"],
    isSparse: true,
  },
];
