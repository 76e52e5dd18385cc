// Refusals: counts that processes add every few seconds, within bounds on the rows of a minute and of the table.

import { asNumber, asObject, asString, parseJson } from "../../core/json/json.ts";
import { PERIODS } from "../../core/limits/budget.ts";
import { LIMIT_SCOPES, type RefusingLimit } from "../../core/limits/limit.ts";
import {
  MANY,
  REFUSALS_A_MINUTE_MAX,
  type RefusalCount,
  type RefusalFilter,
  type RefusalStore,
} from "../../core/log/refusal-log.ts";
import { allowNull, INTEGER, makeJson, nameColumn, TEXT, TIME } from "../columns/columns.ts";
import { readInteger, readText } from "../columns/found.ts";
import { bind, type Engine } from "../engine/engine.ts";
import { composeRefusals } from "../engine/narrowing.ts";
import { composeSum, insertSql, joinNames, joinTuples, pruneSql } from "../engine/sql.ts";
import { deleteInParts } from "../engine/turns.ts";
import { USAGE, USAGE_SUMS } from "../schema/log-tables.ts";
import { table } from "../schema/tables.ts";
import { searchLog } from "./log-search.ts";

const MINUTE_MS = 60_000;
/** The rows of one statement. */
const ROWS_AT_ONCE = 50;
const ROWS_COUNTED = 1000;

const REFUSAL = table<RefusalCount>("refusal", ["account_id", "id"], {
  accountId: TEXT,
  id: TEXT,
  atMs: TIME,
  keyId: allowNull(TEXT),
  last4: allowNull(TEXT),
  shape: allowNull(TEXT),
  modelAsked: allowNull(TEXT),
  route: TEXT,
  address: allowNull(TEXT),
  code: TEXT,
  status: INTEGER,
  limit: nameColumn("refusing_limit", allowNull(makeJson(parseLimit))),
  resetAtMs: allowNull(INTEGER),
  count: nameColumn("requests", INTEGER),
});

function parseLimit(json: string): RefusingLimit {
  const { scope, name, kind, per, models, limit, used, reserved, resetsAtMs } = asObject(parseJson(json));
  const period = PERIODS.find((one) => one === per);
  return {
    scope: LIMIT_SCOPES.find((one) => one === scope) ?? "key",
    name: asString(name) ?? "",
    kind: asString(kind) ?? "",
    ...(period ? { per: period } : {}),
    ...(Array.isArray(models) ? { models: models.filter((one) => typeof one === "string") } : {}),
    limit: asNumber(limit) ?? 0,
    used: asNumber(used) ?? 0,
    ...(typeof reserved === "number" ? { reserved } : {}),
    ...(typeof resetsAtMs === "number" || resetsAtMs === null ? { resetsAtMs } : {}),
  };
}

const INSERT = `INSERT INTO ${REFUSAL.name} (${joinNames(REFUSAL.columns)}) VALUES`;
/** The row shows its latest refusal, from whichever process. */
const LATEST = REFUSAL.columns
  .filter((column) => !REFUSAL.key.includes(column) && column !== "requests" && column !== "at_ms")
  .map(
    (column) =>
      `${column} = CASE WHEN excluded.at_ms >= refusal.at_ms THEN excluded.${column} ELSE refusal.${column} END`,
  );
const ON_CONFLICT = `ON CONFLICT (${joinNames(REFUSAL.key)}) DO UPDATE SET ${[
  ...LATEST,
  "requests = refusal.requests + excluded.requests",
  "at_ms = CASE WHEN excluded.at_ms > refusal.at_ms THEN excluded.at_ms ELSE refusal.at_ms END",
].join(", ")}`;

export function refusalMethods(engine: Engine): RefusalStore {
  const { mark, run, runOnce } = engine;
  const countSince = `SELECT count(*) AS requests FROM refusal WHERE at_ms >= ${mark(1)}`;
  const prune = pruneSql("refusal", mark);
  const addUp = `${insertSql(USAGE, mark)} ${composeSum(USAGE, USAGE_SUMS)}`;
  const addRow = (rows: readonly RefusalCount[]) => {
    const tuples = joinTuples(rows.length, REFUSAL.columns.length, mark);
    return bind(`${INSERT} ${tuples} ${ON_CONFLICT}`, ...rows.flatMap(REFUSAL.valuesOf));
  };
  return {
    add: async ({ counts, sums }) => {
      const latestMs = counts.reduce((latest, { atMs }) => Math.max(latest, atMs), 0);
      const minuteMs = Math.floor(latestMs / MINUTE_MS) * MINUTE_MS;
      const [found] = counts.length > 0 ? await run(bind(countSince, minuteMs)) : [];
      const room = REFUSALS_A_MINUTE_MAX - (found ? readInteger(found, "requests") : 0);
      for (const rows of listChunks(boundCounts(counts, room))) await runOnce(addRow(rows));
      for (const sum of sums) await runOnce(bind(addUp, ...USAGE.valuesOf(sum)));
    },
    list: (filter, page, withinMs) =>
      searchLog(
        engine,
        {
          table: "refusal",
          lookup: (span, rest) => composeRefusals(REFUSAL, { ...filter, ...span }, rest, mark),
          rowOf: REFUSAL.rowOf,
          span: filter,
          isIndexed: isIndexed(filter),
          owner: null,
        },
        page,
        withinMs,
      ),
    prune: async (beforeMs, keptMax, rowsMax) => {
      const before = Math.max(beforeMs, await findKeptFrom(engine, keptMax));
      return deleteInParts(engine, rowsMax, async (most) => (await runOnce(bind(prune, before, most))).count);
    },
  };
}

/**
 * Returns the time from which on there are at most this many rows. They are counted in parts: on SQLite, a statement that
 * walks a million blocks the event loop.
 */
async function findKeptFrom({ mark, run }: Engine, keptMax: number): Promise<number> {
  const endMs = mark(1);
  const atMs = mark(2);
  const id = mark(3);
  const skipped = mark(4);
  const further = `SELECT at_ms, id FROM refusal WHERE at_ms < ${endMs} AND (at_ms, id) < (${atMs}, ${id})
    ORDER BY at_ms DESC, id DESC LIMIT 1 OFFSET ${skipped}`;
  let last = { atMs: Number.MAX_SAFE_INTEGER - 1, id: "" };
  for (let left = keptMax + 1; left > 0; ) {
    const counted = Math.min(left, ROWS_COUNTED);
    const [found] = await run(bind(further, last.atMs + 1, last.atMs, last.id, counted - 1));
    if (found === undefined) return 0;
    last = { atMs: readInteger(found, "at_ms"), id: readText(found, "id") };
    left -= counted;
  }
  return last.atMs + 1;
}

/** True if the order of an index is that of the answer: all rows, or all of a key. */
function isIndexed({ fromMs: _from, toMs: _to, scope, ...narrowed }: RefusalFilter): boolean {
  if ((scope?.accountIds ?? null) !== null) return false;
  return Object.entries(narrowed).every(([name, value]) => value === undefined || name === "keyId");
}

/** Counts what has no room in rows that all keys share, one for each code. */
function boundCounts(counts: readonly RefusalCount[], room: number): readonly RefusalCount[] {
  if (counts.length <= room) return counts;
  const kept = counts.slice(0, Math.max(0, room));
  const shared = new Map<string, RefusalCount>();
  for (const one of counts.slice(kept.length)) {
    const id = `${Math.floor(one.atMs / MINUTE_MS).toString(36)}-many-${one.code}`;
    const count = (shared.get(id)?.count ?? 0) + one.count;
    const nobody = { keyId: null, accountId: "", last4: null, shape: null, address: null, limit: null };
    shared.set(id, { ...one, ...nobody, id, modelAsked: MANY, resetAtMs: null, count });
  }
  return [...kept, ...shared.values()];
}

/** In the order of the key, so that processes that write at the same time never wait for each other in a circle. */
function* listChunks(counts: readonly RefusalCount[]): Generator<readonly RefusalCount[]> {
  const byAccount = Map.groupBy(counts, ({ accountId }) => accountId);
  for (const rows of byAccount.values()) {
    const sorted = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    for (let at = 0; at < sorted.length; at += ROWS_AT_ONCE) yield sorted.slice(at, at + ROWS_AT_ONCE);
  }
}
