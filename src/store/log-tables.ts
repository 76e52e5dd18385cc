// The tables of the request log and its hourly sums, shared by both engines.
import { ENDINGS, type RequestRecord, USAGE_SOURCES } from "../core/record.ts";
import type { FirstTokenSum, HourOfUse, UsageSum } from "../core/rows.ts";
import type { KeyUse } from "../core/store.ts";
import { type Amounts, NO_AMOUNTS, type Unit } from "../core/units.ts";
import { type Found, readInteger, readNullable, readSum, readText, readWord } from "./found.ts";
import { omitColumns, type Table, type TablePart, table } from "./tables.ts";

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
export function omitWork<Row>(table: Table<Row>): TablePart<Row> {
  return omitColumns(
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
    id: readText(found, "id"),
    requestId: readText(found, "request_id"),
    keyId: readText(found, "key_id"),
    accountId: readText(found, "account_id"),
    atMs: readInteger(found, "at_ms"),
    operation: readText(found, "operation"),
    surface: readText(found, "surface"),
    modelAsked: readText(found, "model_asked"),
    modelTried: readNullable(found, "model_tried", readText),
    modelUsed: readNullable(found, "model_used", readText),
    selector: readNullable(found, "selector", readText),
    decision: readNullable(found, "decision", readText),
    trace: readNullable(found, "trace", readText),
    attempts: readInteger(found, "attempts"),
    stream: readInteger(found, "stream") === 1,
    status: readInteger(found, "status"),
    faultCode: readNullable(found, "fault_code", readText),
    amounts: readAmounts(found, readInteger),
    costNanoUsd: readInteger(found, "cost_nano"),
    chargedNanoUsd: readInteger(found, "charged_nano"),
    holdNanoUsd: readInteger(found, "hold_nano"),
    usageSource: readWord(found, "usage_source", USAGE_SOURCES),
    ended: readWord(found, "ended", ENDINGS),
    totalMs: readInteger(found, "total_ms"),
    firstTokenMs: readNullable(found, "first_token_ms", readInteger),
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
    hourMs: readInteger(found, "hour_ms"),
    accountId: readText(found, "account_id"),
    keyId: readText(found, "key_id"),
    model: readText(found, "model"),
    operation: readText(found, "operation"),
    surface: readText(found, "surface"),
    requests: readSum(found, "requests"),
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
    errors: readSum(found, "errors"),
    amounts: readAmounts(found, readSum),
    costNanoUsd: readSum(found, "cost_nano"),
    chargedNanoUsd: readSum(found, "charged_nano"),
  }),
);

/** Reads a row of `keyUsesSql`. */
export function readKeyUse(found: Found): KeyUse {
  return {
    keyId: readText(found, "id"),
    sinceDayNanoUsd: readSum(found, "day_nano"),
    sinceMonthNanoUsd: readSum(found, "month_nano"),
    everNanoUsd: readSum(found, "ever_nano"),
    lastAtMs: readNullable(found, "last_at_ms", readInteger),
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
  (found) => ({ ...readHour(found), bucket: readInteger(found, "bucket") }),
);
