// The tables of the request log and its hourly sums, shared by both engines.

import { MOVE_CAUSES } from "../../core/log/moved.ts";
import { findOutcome, findProvider } from "../../core/log/outcome.ts";
import { CALL_KINDS, type CallSum } from "../../core/log/provider-call.ts";
import {
  type CalledTool,
  ENDINGS,
  type ListedRequest,
  REQUEST_OUTCOMES,
  type RequestRecord,
  USAGE_SOURCES,
} from "../../core/log/record.ts";
import type { FirstTokenSum, TagOfDay, UsageSum } from "../../core/log/usage-sum.ts";
import { MARK_TIMES } from "../../core/models/words/cache-marks.ts";
import { type Amounts, NO_AMOUNTS, type Unit } from "../../core/money/units.ts";
import type { KeyUse } from "../../core/store.ts";
import {
  allowNull,
  type Column,
  type Columns,
  FLAG,
  INTEGER,
  makeWord,
  nameColumn,
  SUM,
  TEXT,
  TIME,
  writeField,
} from "../columns/columns.ts";
import { expressAs } from "../columns/encoder.ts";
import { type FoundRow, readSum, readText } from "../columns/found.ts";
import { omitColumns, type Table, type TablePart, table } from "./tables.ts";

/** Units that only operations other than chat count. */
export const WORK_COLUMNS = [
  ["images", "images"],
  ["seconds", "seconds"],
  ["characters", "characters"],
  ["search_units", "searchUnits"],
  ["pages", "pages"],
] as const satisfies readonly (readonly [string, Unit])[];

const WORK_UNITS = WORK_COLUMNS.map(([, unit]) => unit);

/** The units that have a column. The others only price part of one of these. */
const AMOUNT_COLUMNS = [
  ["prompt_tokens", "prompt"],
  ["completion_tokens", "completion"],
  ["cached_tokens", "cached"],
  ["cache_write_tokens", "cacheWrite"],
  ["reasoning_tokens", "reasoning"],
  ["searches", "searches"],
  ...WORK_COLUMNS,
] as const satisfies readonly (readonly [string, Unit])[];

/** The columns of a request that only some clients' requests have. */
type RareFields = Pick<
  RequestRecord,
  | ("cachedFrom" | "tags" | "socketId" | "isCompaction" | "batchId" | "tool" | "responseId")
  | ("constraints" | "claimedNanoUsd" | "mended" | "reasoningRemoved" | "cacheMarked" | "moved" | "guard")
>;

export type CountedRow = { readonly amounts: Amounts } & Partial<
  Pick<UsageSum, "edge" | "cached" | "markupNanoUsd"> & Pick<CallSum, "reportedNanoUsd"> & RareFields
>;

/**
 * True if the row counts anything other than tokens and searches: other work, answers from the cache, a markup, a reported
 * cost, or some of it in another month's statement. A request's tags are among these columns too, and what only some clients do.
 */
export function hasWork(row: CountedRow): boolean {
  const { edge, cachedFrom, tags, socketId, batchId, markupNanoUsd: markup, claimedNanoUsd: claim } = row;
  if (edge !== undefined || row.cached || cachedFrom || tags || socketId || row.isCompaction) return true;
  if (markup || batchId || row.tool || row.responseId || row.constraints || row.reportedNanoUsd) return true;
  if (
    row.mended ||
    row.reasoningRemoved ||
    row.cacheMarked ||
    row.moved ||
    row.guard ||
    typeof claim === "number"
  )
    return true;
  for (const unit of WORK_UNITS) if (row.amounts[unit] !== 0) return true;
  return false;
}

const toolServer = allowNull(TEXT);
const toolBytes = allowNull(INTEGER);

/** The columns of a call of a tool. They are null for other requests, which nearly all are. */
export const TOOL: Columns<CalledTool | null> = {
  columns: {
    server: { type: "text", write: writeOfTool("server") },
    tool: { type: "text", write: writeOfTool("tool") },
    tool_error: { type: "text", write: writeOfTool("error") },
    argument_bytes: { type: "integer", write: writeOfTool("argumentBytes") },
    result_bytes: { type: "integer", write: writeOfTool("resultBytes") },
  },
  read(found) {
    const server = toolServer.read(found, "server");
    if (server === null) return null;
    return {
      server,
      tool: readText(found, "tool"),
      error: toolServer.read(found, "tool_error"),
      argumentBytes: toolBytes.read(found, "argument_bytes") ?? 0,
      resultBytes: toolBytes.read(found, "result_bytes"),
    };
  },
};

function writeOfTool(field: keyof CalledTool) {
  return expressAs(
    (tool: CalledTool | null) => (tool === null ? null : tool[field]),
    (tool) => `(${tool} === null ? null : ${tool}.${field})`,
  );
}

/** The columns in which few requests have anything. */
export const NOTES = ["constraints", "mended", "reasoning_removed", "cache_marked", "moved", "guard"];

const SPARE_COLUMNS = [
  "edge_cost_nano",
  "edge_charged_nano",
  "cached",
  "cached_from",
  "markup_nano",
  "claimed_nano",
  "reported_nano",
  "saved_nano",
  "tags",
  "batch_id",
  "batch_line",
  "custom_id",
  "socket_id",
  "compaction",
  ...Object.keys(TOOL.columns),
  "response_id",
  ...NOTES,
];

/** The columns written for rows without such work; the others default to 0. */
export function omitWork<Row>(table: Table<Row>): TablePart<Row> {
  return omitColumns(table, [...WORK_COLUMNS.map(([column]) => column), ...SPARE_COLUMNS]);
}

/** The columns of a row's amounts. */
export function listAmounts({ type, write, read }: Column<number>): Columns<Amounts> {
  return {
    columns: Object.fromEntries(
      AMOUNT_COLUMNS.map(([column, unit]) => [
        column,
        { type, write: writeField<Amounts, Unit>(unit, write) },
      ]),
    ),
    read(found) {
      const amounts: Record<Unit, number> = { ...NO_AMOUNTS };
      for (const [column, unit] of AMOUNT_COLUMNS) amounts[unit] = read(found, column);
      return amounts;
    },
  };
}

const LISTED_FIELDS = {
  accountId: TEXT,
  id: TEXT,
  requestId: TEXT,
  keyId: TEXT,
  atMs: TIME,
  operation: TEXT,
  surface: TEXT,
  modelAsked: TEXT,
  modelTried: allowNull(TEXT),
  modelUsed: allowNull(TEXT),
  modelPlanned: allowNull(TEXT),
  selector: allowNull(TEXT),
  decision: allowNull(TEXT),
  attempts: INTEGER,
  stream: FLAG,
  status: INTEGER,
  faultCode: allowNull(TEXT),
  amounts: listAmounts(INTEGER),
  costNanoUsd: INTEGER,
  markupNanoUsd: INTEGER,
  claimedNanoUsd: allowNull(INTEGER),
  chargedNanoUsd: INTEGER,
  holdNanoUsd: INTEGER,
  usageSource: makeWord(USAGE_SOURCES),
  ended: makeWord(ENDINGS),
  isLate: nameColumn("late", FLAG),
  totalMs: TIME,
  firstTokenMs: allowNull(TIME),
  address: allowNull(TEXT),
  session: allowNull(TEXT),
  traceId: allowNull(TEXT),
  parentTraceId: allowNull(TEXT),
  memberId: allowNull(TEXT),
  cachedFrom: allowNull(TEXT),
  savedNanoUsd: INTEGER,
  tags: allowNull(TEXT),
  batchId: allowNull(TEXT),
  batchLine: allowNull(INTEGER),
  customId: allowNull(TEXT),
  socketId: allowNull(TEXT),
  isCompaction: nameColumn("compaction", FLAG),
  tool: TOOL,
  responseId: allowNull(TEXT),
  constraints: allowNull(TEXT),
  mended: allowNull(TEXT),
  reasoningRemoved: allowNull(TEXT),
  cacheMarked: allowNull(makeWord(MARK_TIMES)),
  moved: allowNull(makeWord(MOVE_CAUSES)),
  guard: allowNull(TEXT),
};

const REQUEST_KEY = ["account_id", "id"];

export const REQUEST = table<RequestRecord>(
  "request",
  REQUEST_KEY,
  { ...LISTED_FIELDS, trace: allowNull(TEXT) },
  {
    // Finds requests in the order they end.
    ended_at_ms: { type: "integer", write: ({ atMs, totalMs }) => Math.round(atMs + totalMs) },
    // Lists are narrowed by these. They are null in rows from before.
    outcome: { type: "text", write: findOutcome },
    provider: { type: "text", write: findProvider },
  },
);

export const LISTED_REQUEST = table<ListedRequest>("request", REQUEST_KEY, LISTED_FIELDS);

const HOUR_KEY = ["hour_ms", "account_id", "key_id", "model", "operation", "surface"];
const HOUR = { hourMs: INTEGER, accountId: TEXT, keyId: TEXT, model: TEXT, operation: TEXT, surface: TEXT };

export const USAGE = table<UsageSum>(
  "hourly_usage",
  [...HOUR_KEY, "member", "provider", "outcome", "tag"],
  {
    ...HOUR,
    member: TEXT,
    provider: TEXT,
    outcome: makeWord(["", ...REQUEST_OUTCOMES]),
    tag: TEXT,
    requests: SUM,
    errors: SUM,
    amounts: listAmounts(SUM),
    costNanoUsd: SUM,
    markupNanoUsd: SUM,
    chargedNanoUsd: SUM,
    cached: SUM,
    savedNanoUsd: SUM,
  },
  {
    edge_cost_nano: { type: "integer", write: ({ edge }) => edge?.costNanoUsd ?? 0 },
    edge_charged_nano: { type: "integer", write: ({ edge }) => edge?.chargedNanoUsd ?? 0 },
  },
);

/** The sums by tag. A request is in as many as it has tags. */
export const TAG_USAGE = { ...USAGE, name: "hourly_tag" };

export const TAG_OF_DAY = table<TagOfDay>("tag_of_day", ["account_id", "day_ms", "tag"], {
  accountId: TEXT,
  dayMs: INTEGER,
  tag: TEXT,
});

/** The provider is the model's. */
export const CALL_SUM = table<CallSum>(
  "provider_call_day",
  ["account_id", "day_ms", "model", "credential", "kind"],
  {
    accountId: TEXT,
    dayMs: INTEGER,
    model: TEXT,
    credential: TEXT,
    kind: makeWord(CALL_KINDS),
    calls: SUM,
    amounts: listAmounts(SUM),
    costNanoUsd: SUM,
    estimatedNanoUsd: SUM,
    reportedNanoUsd: SUM,
  },
);

/** Reads a row of `keyUsesSql`. */
export function readKeyUse(row: FoundRow): KeyUse {
  return {
    keyId: readText(row, "id"),
    sinceDayNanoUsd: readSum(row, "day_nano"),
    sinceMonthNanoUsd: readSum(row, "month_nano"),
    everNanoUsd: readSum(row, "ever_nano"),
    lastAtMs: allowNull(INTEGER).read(row, "last_at_ms"),
  };
}

/** The columns of `USAGE` that are summed. */
export const USAGE_SUMS = USAGE.columns.filter((column) => !USAGE.key.includes(column));

export const CALL_SUMS = CALL_SUM.columns.filter((column) => !CALL_SUM.key.includes(column));

export const FIRST_TOKEN = table<FirstTokenSum>("first_token_hour", [...HOUR_KEY, "bucket"], {
  ...HOUR,
  bucket: INTEGER,
  requests: SUM,
});
