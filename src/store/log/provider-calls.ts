// Calls to providers: those that outlive their requests' rows, those that no request made, and sums by day.
import { asArray, asObject, parseJson } from "../../core/json/json.ts";
import {
  CALL_KINDS,
  type CalledRecord,
  type CallSum,
  CallTotals,
  listCalls,
  type ProviderCall,
  type ProviderCallStore,
} from "../../core/log/provider-call.ts";
import { USAGE_SOURCES } from "../../core/log/record.ts";
import { ATTEMPT_OUTCOMES, type ClaimedUsage, expandClaim, shortenClaim } from "../../core/log/trace.ts";
import { type Amounts, expandAmounts, shortenAmounts } from "../../core/money/units.ts";
import type { PruneBefore } from "../../core/store.ts";
import { allowNull, type Column, INTEGER, makeJson, makeWord, TEXT, TIME } from "../columns/columns.ts";
import { readInteger, readText } from "../columns/found.ts";
import { bind, type Engine, type Statement } from "../engine/engine.ts";
import { Narrowing, pageEnd } from "../engine/narrowing.ts";
import { composeSum, endPage, insertSql, joinNames, pruneSql, selectSql } from "../engine/sql.ts";
import { deleteInParts } from "../engine/turns.ts";
import { CALL_SUM, CALL_SUMS, listAmounts } from "../schema/log-tables.ts";
import { table } from "../schema/tables.ts";

const AMOUNTS: Column<Amounts> = {
  type: "text",
  write: (amounts) => JSON.stringify(shortenAmounts(amounts)),
  read: (found, column) => expandAmounts(asObject(parseJson(readText(found, column)))),
};

const CLAIM: Column<ClaimedUsage> = {
  type: "text",
  write: (claim) => JSON.stringify(shortenClaim(claim)),
  read: (found, column) => expandClaim(asObject(parseJson(readText(found, column)))),
};

const CALL = table<ProviderCall>("provider_call", ["account_id", "id"], {
  accountId: TEXT,
  id: TEXT,
  atMs: TIME,
  kind: makeWord(CALL_KINDS),
  model: TEXT,
  credential: TEXT,
  upstreamRequestIds: makeJson<readonly string[]>((json) =>
    asArray(parseJson(json)).filter((id) => typeof id === "string"),
  ),
  completionId: allowNull(TEXT),
  outcome: makeWord(ATTEMPT_OUTCOMES),
  faultCode: allowNull(TEXT),
  calls: INTEGER,
  claimed: allowNull(CLAIM),
  charged: AMOUNTS,
  usageSource: makeWord(USAGE_SOURCES),
  costNanoUsd: INTEGER,
});

const CALLED = table<CalledRecord>("request", ["account_id", "id"], {
  accountId: TEXT,
  id: TEXT,
  keyId: TEXT,
  atMs: TIME,
  trace: allowNull(TEXT),
  amounts: listAmounts(INTEGER),
  costNanoUsd: INTEGER,
  usageSource: makeWord(USAGE_SOURCES),
});

/** The rows of one statement. */
const ROWS_AT_ONCE = 50;

const DAY_MS = 86_400_000;

export function providerCallMethods(engine: Engine): ProviderCallStore {
  const { mark, run, runOnce, runSlowReads, change } = engine;
  const addUp = `${insertSql(CALL_SUM, mark)} ${composeSum(CALL_SUM, CALL_SUMS)}`;
  // Repeated while the first try's commit is still under way, the insertion waits for it, and finds its row.
  const addOne = (call: ProviderCall) =>
    change(composeAdd(mark, [call]), ([added]) => ({
      writes: added?.count === 1 ? sumCalls([call]).map(addSum) : [],
      toResult: () => undefined,
    }));
  const addSum = (sum: CallSum) => bind(addUp, ...CALL_SUM.valuesOf(sum));
  return {
    add: async (calls) => {
      for (const call of calls) await addOne(call);
    },
    kept: async ({ fromMs, toMs }, page) => {
      const by = new Narrowing(mark);
      by.add(`at_ms >= ${by.bind(fromMs)} AND at_ms < ${by.bind(endPage(toMs, page))}`);
      const text = `${selectSql(CALL)} ${pageEnd(by, "at_ms", page)}`;
      return (await run({ text, values: by.values })).map(CALL.rowOf);
    },
    sums: async ({ fromMs, toMs }) => {
      const grouped = CALL_SUM.key.slice(1);
      const sums = CALL_SUMS.map((one) => `sum(${one}) AS ${one}`);
      const text = `SELECT '' AS account_id, ${joinNames([...grouped, ...sums])}
        FROM provider_call_day WHERE day_ms > ${mark(1)} AND day_ms < ${mark(2)} GROUP BY ${joinNames(grouped)} ORDER BY ${joinNames(grouped)}`;
      const [found] = await runSlowReads([bind(text, fromMs - DAY_MS, toMs)]);
      return (found ?? []).map(CALL_SUM.rowOf);
    },
    prune: (beforeMs, rowsMax) =>
      deleteInParts(engine, rowsMax, async (most) => {
        const { count } = await runOnce(bind(pruneSql("provider_call", mark), beforeMs, most));
        return count;
      }),
  };
}

function sumCalls(calls: readonly ProviderCall[]): readonly CallSum[] {
  const totals = new CallTotals();
  for (const call of calls) totals.add(call);
  return totals.sums;
}

function composeAdd(mark: Engine["mark"], calls: readonly ProviderCall[]): readonly Statement[] {
  const statements: Statement[] = [];
  for (let from = 0; from < calls.length; from += ROWS_AT_ONCE) {
    const some = calls.slice(from, from + ROWS_AT_ONCE);
    const text = `${insertSql(CALL, mark, some.length)} ON CONFLICT (${joinNames(CALL.key)}) DO NOTHING`;
    statements.push(bind(text, ...some.flatMap(CALL.valuesOf)));
  }
  return statements;
}

interface Leaving extends Required<Pick<PruneBefore, "requestsMs" | "callsMs">> {
  readonly rowsMax: number;
  /** True if no transaction may span two accounts. */
  readonly isByAccount: boolean;
}

/** Deletes the oldest rows of requests, but keeps their calls. Returns how many. */
export function pruneCalled(engine: Engine, leaving: Leaving): Promise<number> {
  return deleteInParts(engine, leaving.rowsMax, (rowsMax) => pruneSome(engine, { ...leaving, rowsMax }));
}

async function pruneSome(engine: Engine, leaving: Leaving): Promise<number> {
  const { mark, run } = engine;
  const oldest = `SELECT account_id, id FROM request WHERE at_ms < ${mark(1)} ORDER BY at_ms LIMIT ${mark(2)}`;
  const found = await run(bind(oldest, leaving.requestsMs, leaving.rowsMax));
  const rows = found.map((row) => ({ accountId: readText(row, "account_id"), id: readText(row, "id") }));
  const groups = leaving.isByAccount ? [...Map.groupBy(rows, ({ accountId }) => accountId).values()] : [rows];
  let gone = 0;
  for (const group of groups) {
    for (let from = 0; from < group.length; from += ROWS_AT_ONCE) {
      gone += await moveCalls(engine, group.slice(from, from + ROWS_AT_ONCE), leaving);
    }
  }
  return gone;
}

/** Their rows are read under a lock: one that was given up as lost may be replaced meanwhile. */
function moveCalls(
  { mark, forUpdate, change }: Engine,
  rows: readonly Pick<CalledRecord, "accountId" | "id">[],
  { callsMs, isByAccount }: Leaving,
): Promise<number> {
  const ids = rows.map((_, at) => `(${mark(2 * at + 1)}, ${mark(2 * at + 2)})`);
  const owned = isByAccount ? `account_id = ${mark(1)} AND` : "";
  const where = `WHERE ${owned} (account_id, id) IN (VALUES ${ids.join(", ")})`;
  const values = rows.flatMap(({ accountId, id }) => [accountId, id]);
  return change([bind(`${selectSql(CALLED)} ${where} ${forUpdate}`, ...values)], ([found = []]) => {
    const calls = found.flatMap((row) =>
      readInteger(row, "at_ms") < callsMs ? [] : listCalls(CALLED.rowOf(row)),
    );
    const adds = composeAdd(mark, calls);
    return {
      writes: [...adds, bind(`DELETE FROM request ${where}`, ...values)],
      toResult: (written) => written[adds.length]?.count ?? 0,
    };
  });
}
