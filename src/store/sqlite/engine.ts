// The SQLite engine behind the methods that both engines share.
import type { Engine, Result } from "../engine.ts";
import { makePacing, makeSerialQueue } from "../turns.ts";
import type { Connector } from "./connector.ts";

const NOTHING: Result = Object.assign([], { count: 0 });

/** `onWrite` is called after each transaction, and `onChange` after each change of rows that may be cached. */
export function makeEngine(
  connector: Connector,
  onWrite: () => void,
  onChange: () => void = () => {},
): Engine {
  const inTurn = makeSerialQueue();
  const pace = makePacing();
  const run: Engine["run"] = async (statement) => {
    await pace();
    return connector.run(({ sql }) => sql.run(statement));
  };
  const change: Engine["change"] = (firsts, then) =>
    connector.run((connection) => {
      const { run } = connection.sql;
      const result = connection.write(() => {
        const { writes, toResult } = then(firsts.map(run));
        return toResult(writes.map(run));
      });
      onChange();
      onWrite();
      return result;
    });
  return {
    hasOwnersInOrder: false,
    blocksLoop: true,
    mark: (position) => `?${position}`,
    // A change excludes all other writers from its start.
    forUpdate: "",
    otherMarks: `(SELECT json_group_array(json(value)) FROM json_each(lesson.marks)
      WHERE json_extract(value, '$[0]') <> json_extract(?1, '$.model'))`,
    contains: (column, part) => `instr(${column}, ${part}) > 0`,
    run,
    runOnce: (statement, ...others) =>
      change([], () => ({ writes: [statement, ...others], toResult: ([written]) => written ?? NOTHING })),
    runAll: (statements) =>
      connector.run((connection) => {
        connection.write(() => statements.forEach(connection.sql.run));
        onWrite();
      }),
    runSlowReads: (statements) =>
      inTurn(() => connector.run(({ readSnapshot, sql }) => readSnapshot(() => statements.map(sql.run)))),
    change,
  };
}
