// The tables of the request log and its hourly sums, shared by both engines.
import { ENDINGS, type RequestRecord, USAGE_SOURCES } from "../core/record.ts";
import type { FirstTokenSum, HourOfUse, UsageSum } from "../core/rows.ts";
import type { KeyUse } from "../core/store.ts";
import { type Amounts, NO_AMOUNTS, type Unit } from "../core/units.ts";
import { type Found, orNull, sum, text, whole, word } from "./found.ts";
import { leaveOut, type Table, type TablePart, table } from "./tables.ts";

/** Units that only operations other than chat count. */
const WORK_COLUMNS = [
  ["images", "images"],
  ["seconds", "seconds"],
  ["characters", "characters"],
  ["search_units", "searchUnits"],
  ["pages", "pages"],
] as const satisfies readonly (readonly [string, Unit])[];

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

/** True if the row counts anything other than tokens and searches. */
export function hasWork({ amounts }: { readonly amounts: Amounts }): boolean {
  return WORK_COLUMNS.some(([, unit]) => amounts[unit] !== 0);
}

/** The columns written for rows without such work; the others default to 0. */
export function leaveOutWork<Row>(table: Table<Row>): TablePart<Row> {
  return leaveOut(
    table,
    WORK_COLUMNS.map(([column]) => column),
  );
}

function readAmounts(found: Found, read: (found: Found, column: string) => number): Amounts {
  const amounts: Record<Unit, number> = { ...NO_AMOUNTS };
  for (const [column, unit] of AMOUNT_COLUMNS) amounts[unit] = read(found, column);
  return amounts;
}

/** The columns that store a row's `amounts`. */
function amountColumns<Row extends { readonly amounts: Amounts }>() {
  return Object.fromEntries(
    AMOUNT_COLUMNS.map(([column, unit]) => [column, (row: Row) => row.amounts[unit]]),
  );
}

/** Times are rounded: the columns hold whole milliseconds only. */
export const REQUEST = table<RequestRecord>(
  "request",
  ["account_id", "id"],
  {
    account_id: (row) => row.accountId,
    id: (row) => row.id,
    request_id: (row) => row.requestId,
    key_id: (row) => row.keyId,
    at_ms: (row) => Math.round(row.atMs),
    operation: (row) => row.operation,
    surface: (row) => row.surface,
    model_asked: (row) => row.modelAsked,
    model_tried: (row) => row.modelTried,
    model_used: (row) => row.modelUsed,
    selector: (row) => row.selector,
    decision: (row) => row.decision,
    trace: (row) => row.trace,
    attempts: (row) => row.attempts,
    stream: (row) => (row.stream ? 1 : 0),
    status: (row) => row.status,
    fault_code: (row) => row.faultCode,
    ...amountColumns<RequestRecord>(),
    cost_nano: (row) => row.costNanoUsd,
    charged_nano: (row) => row.chargedNanoUsd,
    hold_nano: (row) => row.holdNanoUsd,
    usage_source: (row) => row.usageSource,
    ended: (row) => row.ended,
    total_ms: (row) => Math.round(row.totalMs),
    first_token_ms: (row) => (row.firstTokenMs === null ? null : Math.round(row.firstTokenMs)),
    // Finds requests in the order they end. Never read back.
    ended_at_ms: (row) => Math.round(row.atMs + row.totalMs),
  },
  (found) => ({
    id: text(found, "id"),
    requestId: text(found, "request_id"),
    keyId: text(found, "key_id"),
    accountId: text(found, "account_id"),
    atMs: whole(found, "at_ms"),
    operation: text(found, "operation"),
    surface: text(found, "surface"),
    modelAsked: text(found, "model_asked"),
    modelTried: orNull(found, "model_tried", text),
    modelUsed: orNull(found, "model_used", text),
    selector: orNull(found, "selector", text),
    decision: orNull(found, "decision", text),
    trace: orNull(found, "trace", text),
    attempts: whole(found, "attempts"),
    stream: whole(found, "stream") === 1,
    status: whole(found, "status"),
    faultCode: orNull(found, "fault_code", text),
    amounts: readAmounts(found, whole),
    costNanoUsd: whole(found, "cost_nano"),
    chargedNanoUsd: whole(found, "charged_nano"),
    holdNanoUsd: whole(found, "hold_nano"),
    usageSource: word(found, "usage_source", USAGE_SOURCES),
    ended: word(found, "ended", ENDINGS),
    totalMs: whole(found, "total_ms"),
    firstTokenMs: orNull(found, "first_token_ms", whole),
  }),
);

const HOUR_KEY = ["hour_ms", "account_id", "key_id", "model", "operation", "surface"];
const HOUR_COLUMNS = {
  hour_ms: (row: HourOfUse) => row.hourMs,
  account_id: (row: HourOfUse) => row.accountId,
  key_id: (row: HourOfUse) => row.keyId,
  model: (row: HourOfUse) => row.model,
  operation: (row: HourOfUse) => row.operation,
  surface: (row: HourOfUse) => row.surface,
};

function readHour(found: Found): HourOfUse {
  return {
    hourMs: whole(found, "hour_ms"),
    accountId: text(found, "account_id"),
    keyId: text(found, "key_id"),
    model: text(found, "model"),
    operation: text(found, "operation"),
    surface: text(found, "surface"),
    requests: sum(found, "requests"),
  };
}

export const USAGE = table<UsageSum>(
  "usage_hour",
  HOUR_KEY,
  {
    ...HOUR_COLUMNS,
    requests: (row) => row.requests,
    errors: (row) => row.errors,
    ...amountColumns<UsageSum>(),
    cost_nano: (row) => row.costNanoUsd,
    charged_nano: (row) => row.chargedNanoUsd,
  },
  (found) => ({
    ...readHour(found),
    errors: sum(found, "errors"),
    amounts: readAmounts(found, sum),
    costNanoUsd: sum(found, "cost_nano"),
    chargedNanoUsd: sum(found, "charged_nano"),
  }),
);

/** Reads a row of `keyUsesSql`. */
export function readKeyUse(found: Found): KeyUse {
  return {
    keyId: text(found, "id"),
    sinceDayNanoUsd: sum(found, "day_nano"),
    sinceMonthNanoUsd: sum(found, "month_nano"),
    everNanoUsd: sum(found, "ever_nano"),
    lastAtMs: orNull(found, "last_at_ms", whole),
  };
}

/** The columns of `USAGE` that are summed. */
export const USAGE_SUMS = USAGE.columns.filter((column) => !USAGE.key.includes(column));

export const FIRST_TOKEN = table<FirstTokenSum>(
  "first_token_hour",
  [...HOUR_KEY, "bucket"],
  {
    ...HOUR_COLUMNS,
    bucket: (row) => row.bucket,
    requests: (row) => row.requests,
  },
  (found) => ({ ...readHour(found), bucket: whole(found, "bucket") }),
);
