// The rows that accounts' limits are counted in, read of many accounts together.
import type { Rows } from "../../core/decision.ts";
import type { Account } from "../../core/keys/key.ts";
import { type ModelSum, makeOpeningId, type Opening } from "../../core/limits/opening.ts";
import { Cell, Pages } from "../../core/pages.ts";
import type { Store } from "../../core/store.ts";
import { type FoundRow, readInteger, readText } from "../columns/found.ts";
import { bind, type Engine } from "../engine/engine.ts";
import { joinNames, selectSql } from "../engine/sql.ts";
import { ACCOUNT, OWNER } from "../schema/tables.ts";
import { composeAccountSums, listTimes, readModelSum } from "./openings.ts";

const NO_ROWS: ReadonlyMap<string, never> = new Map<string, never>();

export function accountRowMethods(engine: Engine) {
  const { mark, isListed, nowMs, runSlowReads } = engine;
  const listed = mark(1);
  const accounts = `SELECT ${joinNames(ACCOUNT.columns)}, ${nowMs} AS now_ms FROM ${ACCOUNT.name}
    WHERE ${isListed("id", listed)}`;
  const states = `${selectSql(OWNER)} WHERE ${isListed("account_id", listed)} AND owner = account_id`;
  const sums = composeAccountSums(engine);
  return {
    readAccounts: async (accountIds, openings = []) => {
      const ids = JSON.stringify(accountIds);
      // The accounts of a time zone have the same windows.
      const windows = [...Map.groupBy(openings, ({ fromMs }) => fromMs)].map(([fromMs, some]) => ({
        some,
        statement: bind(sums, JSON.stringify(some.map(({ owner }) => owner)), ...listTimes(fromMs)),
      }));
      const statements = windows.map(({ statement }) => statement);
      const results = await runSlowReads([bind(accounts, ids), bind(states, ids), ...statements]);
      const [found = [], owners = [], ...summed] = results;
      return {
        nowMs: readClock(found[0]),
        accounts: new Map(found.map(ACCOUNT.rowOf).map((row) => [row.id, new Cell<Account>().fill(row)])),
        page: readPages(owners),
        sums: new Map(windows.flatMap(({ some }, at) => readSums(some, summed[at] ?? []))),
        keys: NO_ROWS,
        holds: new Map(),
        requests: NO_ROWS,
        replies: NO_ROWS,
        movements: NO_ROWS,
      };
    },
  } satisfies Partial<Store>;
}

function readClock(found: FoundRow = {}): number | null {
  return (found.now_ms ?? null) === null ? null : readInteger(found, "now_ms");
}

function readPages(owners: readonly FoundRow[]): Rows["page"] {
  const { find } = new Pages(new Map());
  for (const state of owners.map(OWNER.rowOf)) find(state.accountId, state.owner).state.fill(state);
  return find;
}

/** Returns the sums of each opening. An account that used nothing has no row. */
function readSums(
  openings: readonly Opening[],
  found: readonly FoundRow[],
): readonly (readonly [id: string, sums: readonly ModelSum[]])[] {
  const byAccount = Map.groupBy(found, (row) => readText(row, "account_id"));
  return openings.map((opening) => {
    const { owner } = opening;
    return [makeOpeningId(owner, opening), (byAccount.get(owner) ?? []).map(readModelSum)];
  });
}
