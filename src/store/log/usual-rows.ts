// The columns that SQLite doesn't write for usual rows of the request log, since they have the table's own values.
import { NOTES, REQUEST, TOOL, WORK_COLUMNS } from "../schema/log-tables.ts";
import { omitDefaults } from "../schema/tables.ts";

/** The table's own values for columns that aren't written. Most requests are chats that nothing chose a model for. */
const REQUEST_DEFAULTS = {
  operation: "chat",
  surface: "openai-chat",
  selector: null,
  decision: null,
  fault_code: null,
  hold_nano: 0,
  late: 0,
  session: null,
  trace_id: null,
  parent_trace_id: null,
  member_id: null,
  ...Object.fromEntries(WORK_COLUMNS.map(([column]) => [column, 0])),
  cached_from: null,
  markup_nano: 0,
  claimed_nano: null,
  saved_nano: 0,
  tags: null,
  batch_id: null,
  batch_line: null,
  custom_id: null,
  socket_id: null,
  compaction: 0,
  ...Object.fromEntries(Object.keys(TOOL.columns).map((column) => [column, null])),
  response_id: null,
  ...Object.fromEntries(NOTES.map((column) => [column, null])),
} as const;

const CALL_COLUMNS: ReadonlySet<string> = new Set(["operation", "surface", "hold_nano", "response_id"]);

export const USUAL_REQUESTS = omitDefaults(REQUEST, REQUEST_DEFAULTS);

const { hold_nano, ...PAID_DEFAULTS } = REQUEST_DEFAULTS;

/** Those that are paid name what was held for them. */
export const USUAL_PAID = omitDefaults(REQUEST, PAID_DEFAULTS);

/** Those of calls of tools name their tool. */
export const USUAL_CALLS = omitDefaults(
  REQUEST,
  Object.fromEntries(
    Object.entries(REQUEST_DEFAULTS).filter(
      ([column]) => !(column in TOOL.columns) && !CALL_COLUMNS.has(column),
    ),
  ),
);

const { batch_id, batch_line, custom_id, ...LINE_DEFAULTS } = REQUEST_DEFAULTS;

/** Those of lines of batches name their place in them. */
export const USUAL_LINES = omitDefaults(REQUEST, LINE_DEFAULTS);
