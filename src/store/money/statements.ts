// Statements, summed from the hourly sums and the movements: the rows of the log may have been deleted.
import { MOVEMENT_KINDS } from "../../core/books/movement.ts";
import type {
  StatementMonth,
  StatementMovement,
  StatementStore,
  StatementTag,
  StatementUse,
  StoredStatement,
} from "../../core/books/statement.ts";
import { makeWord, SUM, TEXT, TIME } from "../columns/columns.ts";
import { readSum } from "../columns/found.ts";
import { bind, type Engine, readFirst } from "../engine/engine.ts";
import { insertSql, selectSql } from "../engine/sql.ts";
import { table } from "../schema/tables.ts";

const STATEMENT = table<StoredStatement>("statement", ["account_id", "month"], {
  accountId: TEXT,
  month: TEXT,
  closedAtMs: TIME,
  data: TEXT,
});

const USE = table<StatementUse>("hourly_usage", [], {
  model: TEXT,
  keyId: TEXT,
  member: TEXT,
  costNanoUsd: SUM,
  chargedNanoUsd: SUM,
});
const TAGGED_USE = table<StatementTag>("hourly_tag", [], {
  tag: TEXT,
  costNanoUsd: SUM,
  chargedNanoUsd: SUM,
});
const MOVED = table<StatementMovement>("movement", [], {
  kind: makeWord(MOVEMENT_KINDS),
  balanceNanoUsd: SUM,
});

export function statementMethods(engine: Engine) {
  const { mark, run, runOnce, runSlowReads } = engine;
  const byMonth = `${selectSql(STATEMENT)} WHERE account_id = ${mark(1)} AND month = ${mark(2)}`;
  const keep = `${insertSql(STATEMENT, mark)} ON CONFLICT (account_id, month) DO NOTHING`;
  const find = async (accountId: string, month: string) =>
    readFirst(STATEMENT, await run(bind(byMonth, accountId, month)));
  const questions = composeQuestions(engine);
  return {
    sumStatement: async (accountId, month) => {
      const [account, uses, tagged, untagged, movements, later] = await runSlowReads(
        questions(accountId, month),
      );
      const [total] = account ?? [];
      const [after] = later ?? [];
      if (total === undefined || after === undefined) return null;
      return {
        uses: (uses ?? []).map(USE.rowOf),
        tags: [...(tagged ?? []), ...(untagged ?? [])].map(TAGGED_USE.rowOf),
        movements: (movements ?? []).map(MOVED.rowOf),
        closingNanoUsd: readSum(total, "whole") - readSum(after, "moved") + readSum(after, "charged"),
      };
    },
    statement: find,
    keepStatement: async (statement) => {
      await runOnce(bind(keep, ...STATEMENT.valuesOf(statement)));
      const kept = await find(statement.accountId, statement.month);
      if (kept === null) throw new Error("A statement that was kept is missing.");
      return kept;
    },
  } satisfies StatementStore;
}

/** Every statement takes the account as its first value, and is complete without values of another. */
function composeQuestions({ mark }: Engine) {
  const at = (...positions: readonly number[]) =>
    positions.map((position) => `CAST(${mark(position)} AS BIGINT)`);
  const owner = `account_id = ${mark(1)}`;
  const [before, from, to, after] = at(2, 3, 4, 5);
  const whole = `SELECT balance_nano + held_nano AS whole FROM account WHERE id = ${mark(1)}`;
  const edges = "(edge_cost_nano <> 0 OR edge_charged_nano <> 0)";
  const composeSums = (columns: string, sums: string, also = "") => `
    SELECT ${columns}, sum(cost) AS cost_nano, sum(charged) AS charged_nano FROM (
      SELECT ${columns}, cost_nano - edge_cost_nano AS cost, charged_nano - edge_charged_nano AS charged
      FROM ${sums} WHERE ${owner} AND hour_ms >= ${from} AND hour_ms < ${to} ${also}
      UNION ALL
      SELECT ${columns}, edge_cost_nano AS cost, edge_charged_nano AS charged
      FROM ${sums} WHERE ${owner} AND hour_ms >= ${before} AND hour_ms < ${after} AND ${edges}
        AND NOT (hour_ms >= ${from} AND hour_ms < ${to}) ${also}
    ) AS used GROUP BY ${columns}`;
  const uses = composeSums("model, key_id, member", "hourly_usage");
  const tagged = composeSums("tag", "hourly_tag");
  const untagged = composeSums("tag", "hourly_usage", "AND tag = ''");
  const [fromMs, toMs] = at(3, 4);
  const movements = `SELECT kind, sum(balance_nano) AS balance_nano FROM movement
    WHERE ${owner} AND (month = ${mark(2)} OR (month IS NULL AND at_ms >= ${fromMs} AND at_ms < ${toMs})) GROUP BY kind`;
  const [mid, hoursTo, hoursAfter, endMs] = at(2, 3, 4, 6);
  const later = `SELECT
      coalesce((SELECT sum(balance_nano) FROM movement
        WHERE ${owner} AND (month > ${mark(5)} OR (month IS NULL AND at_ms >= ${endMs}))), 0) AS moved,
      coalesce((SELECT sum(
          CASE WHEN hour_ms < ${hoursTo} THEN edge_charged_nano
            WHEN hour_ms < ${hoursAfter} THEN charged_nano - edge_charged_nano ELSE charged_nano END)
        FROM hourly_usage WHERE ${owner} AND hour_ms >= ${mid}), 0) AS charged`;
  return (accountId: string, { month, fromMs, toMs, hours }: StatementMonth) => [
    bind(whole, accountId),
    ...[uses, tagged, untagged].map((sums) =>
      bind(sums, accountId, hours.beforeMs, hours.fromMs, hours.toMs, hours.afterMs),
    ),
    bind(movements, accountId, month, fromMs, toMs),
    bind(later, accountId, hours.halfMs, hours.toMs, hours.afterMs, month, toMs),
  ];
}
