// The SQLite engine behind the methods that both engines share.
import { bind, type Engine, type Programs, type Result } from "../engine/engine.ts";
import { makePacing, makeSerialQueue } from "../engine/turns.ts";
import { UNTIMED } from "../schema/request-ids.ts";
import type { Connection } from "./connection.ts";
import type { Connector } from "./connector.ts";
import { OVERWRITTEN } from "./overwrite.ts";
import type { SlowReads } from "./slow-reads.ts";

const NOTHING: Result = Object.assign([], { count: 0 });

const CHANGES = bind("SELECT total_changes() AS changes");

/** Returns how many rows the connection has changed since it was opened. */
const countChanges = ({ sql }: Connection) => sql.run(CHANGES)[0]?.changes;

interface EngineParts {
  readonly programs: Programs;
  /** Null for a database in memory, which no other thread can read. */
  readonly slowReads: SlowReads | null;
  /** Called after each transaction. */
  readonly onWrite: () => void;
  /** Empties the write-ahead log. Returns false if somebody still read it. */
  readonly truncateLog: () => Promise<boolean>;
  /** Called after each change of rows, whichever method of the engine makes it. */
  readonly onChange?: () => void;
}

/** Runs work on the connection. All that the engine does, but for slow reads, passes here. */
function makeWork(connector: Connector, onChange: EngineParts["onChange"]) {
  return <T>(does: (connection: Connection) => T): Promise<T> =>
    connector.run((connection) => {
      if (onChange === undefined) return does(connection);
      const before = countChanges(connection);
      const result = does(connection);
      if (countChanges(connection) !== before) onChange();
      return result;
    });
}

const WORDS = {
  hasOwnersInOrder: false,
  blocksLoop: true,
  mark: (position) => `?${position}`,
  byIndexes: [],
  // A change excludes all other writers from its start.
  forUpdate: "",
  otherMarks: `(SELECT json_group_array(json(value)) FROM json_each(lesson.marks)
    WHERE json_extract(value, '$[0]') <> json_extract(?1, '$.model'))`,
  asJson: (column) => column,
  itemsOf: (list) => `json_each(${list}) AS item`,
  untimed: UNTIMED.sqlite,
  byBytes: "COLLATE BINARY",
  nowMs: "NULL",
  contains: (column, part) => `instr(${column}, ${part}) > 0`,
  isListed: (column, list) => `${column} IN (SELECT value FROM json_each(${list}))`,
  isAmong: (column, query) => `${column} IN (${query})`,
  // A join would compare each row with each of the others.
  omit: (from, column, omitted) => ({
    from,
    condition: `${column} NOT IN (SELECT ${omitted.column} FROM ${omitted.table})`,
  }),
} satisfies Partial<Engine>;

export function makeEngine(
  connector: Connector,
  { programs, slowReads, onWrite, onChange, truncateLog }: EngineParts,
): Engine {
  const work = makeWork(connector, onChange);
  const inTurn = makeSerialQueue();
  const pace = makePacing();
  const run: Engine["run"] = (statement) => pace(() => work(({ sql }) => sql.run(statement)));
  const change: Engine["change"] = (firsts, then) =>
    work((connection) => {
      const { run } = connection.sql;
      const result = connection.write(() => {
        const { writes, toResult } = then(firsts.map(run));
        return toResult(writes.map(run));
      });
      onWrite();
      return result;
    });
  return {
    ...WORDS,
    programs,
    run,
    runOnce: (statement, ...others) =>
      change([], () => ({ writes: [statement, ...others], toResult: ([written]) => written ?? NOTHING })),
    runAll: (statements) =>
      work((connection) => {
        connection.write(() => statements.forEach(connection.sql.run));
        onWrite();
      }),
    runSlowReads: (statements) =>
      inTurn(async () => {
        // A store that is out of order says so, whatever the thread could still read.
        await connector.run(() => undefined);
        const results = (await slowReads?.run(statements)) ?? null;
        return (
          results ?? connector.run(({ readSnapshot, sql }) => readSnapshot(() => statements.map(sql.run)))
        );
      }),
    change,
    dropFreed: () => dropFreed(truncateLog, run),
  };
}

/** Deleted cells are overwritten as they are freed, since the file was once made clean of those from before. */
async function dropFreed(truncateLog: EngineParts["truncateLog"], run: Engine["run"]): Promise<boolean> {
  const isTruncated = await truncateLog();
  const [clean] = await run(bind("SELECT 1 AS clean FROM setting WHERE name = ?1", OVERWRITTEN));
  return isTruncated && clean !== undefined;
}
