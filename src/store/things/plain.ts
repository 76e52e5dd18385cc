// Plain things: their tables, and what is read and written of them.
import type { Changes } from "../../core/changes.ts";
import type { PlainEntity, PlainFilter, PlainStore, PlainThing } from "../../core/things/plain.ts";
import { allowNull, TEXT, TIME } from "../columns/columns.ts";
import { readInteger } from "../columns/found.ts";
import { bind, type Engine, readFirst } from "../engine/engine.ts";
import { Narrowing, pageEnd } from "../engine/narrowing.ts";
import type { Recorder } from "../engine/recording.ts";
import type { ScopedRows } from "../engine/scope.ts";
import { type Mark, selectSql, upsertSql } from "../engine/sql.ts";
import { joinColumns } from "../schema/field-columns.ts";
import { type Table, table } from "../schema/tables.ts";

const ROWS: ScopedRows = { account: "account_id", personal: null };

const tables = new WeakMap<PlainThing, Table<PlainEntity>>();

function findTable(thing: PlainThing): Table<PlainEntity> {
  return tables.getOrInsertComputed(thing, ({ name, fields }) =>
    table<PlainEntity>(name, ["account_id", "id"], {
      accountId: TEXT,
      id: TEXT,
      createdAtMs: TIME,
      endedAtMs: allowNull(TIME),
      values: joinColumns(fields),
    }),
  );
}

function narrow({ accountId, hasEnded, scope }: PlainFilter, mark: Mark): Narrowing {
  const by = new Narrowing(mark);
  by.within(scope, ROWS);
  by.equal({ account_id: accountId });
  if (hasEnded !== undefined) by.add(`ended_at_ms IS ${hasEnded ? "NOT " : ""}NULL`);
  return by;
}

export function plainMethods({ mark, run }: Engine): PlainStore {
  return {
    list: async (thing, page, filter = {}) => {
      const rows = findTable(thing);
      const by = narrow(filter, mark);
      const text = `${selectSql(rows)} ${pageEnd(by, "created_at_ms", page)}`;
      return (await run({ text, values: by.values })).map(rows.rowOf);
    },
    find: async (thing, id, scope) => {
      const rows = findTable(thing);
      const by = narrow({ scope }, mark);
      by.equal({ id });
      return readFirst(rows, await run(bind(`${selectSql(rows)} WHERE ${by.where}`, ...by.values)));
    },
  };
}

export function plainChanges({ mark, forUpdate, change: changeRows }: Engine, record: Recorder) {
  const lock = `SELECT id FROM account WHERE id = ${mark(1)} ${forUpdate}`;
  return {
    changeThing: (thing, { accountId, id }, change) => {
      const rows = findTable(thing);
      const byId = `${selectSql(rows)} WHERE account_id = ${mark(1)} AND id = ${mark(2)} ${forUpdate}`;
      const count = `SELECT count(*) AS lasting FROM ${thing.name} WHERE account_id = ${mark(1)} AND ended_at_ms IS NULL`;
      const reads = [bind(lock, accountId), bind(byId, accountId, id), bind(count, accountId)];
      return changeRows(reads, ([, found, counted]) => {
        const before = readFirst(rows, found);
        const after = change(before, readInteger(counted?.[0] ?? {}, "lasting"));
        if (after === null) return { writes: [], toResult: () => null };
        const recorded = record({ kind: "thing", thing, before, after });
        return {
          writes: [bind(upsertSql(rows, mark), ...rows.valuesOf(after)), ...recorded],
          toResult: () => after,
        };
      });
    },
  } satisfies Partial<Changes>;
}
