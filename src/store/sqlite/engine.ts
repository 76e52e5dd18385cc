// The SQLite engine behind the methods that both engines share.
import type { Engine, Result } from "../engine.ts";
import type { Lifeline } from "./lifeline.ts";
import { oneATurn } from "./turns.ts";

const NOTHING: Result = Object.assign([], { count: 0 });

/** `onChange` is called after each change of rows that may be cached. */
export function engineOn(lifeline: Lifeline, onChange: () => void = () => {}): Engine {
  const inTurn = oneATurn();
  const run: Engine["run"] = (statement) => lifeline.run(({ sql }) => sql.run(statement));
  const change: Engine["change"] = (firsts, then) =>
    lifeline.run((connection) => {
      const { run } = connection.sql;
      const result = connection.write(() => {
        const { writes, gives } = then(firsts.map(run));
        return gives(writes.map(run));
      });
      onChange();
      return result;
    });
  return {
    mark: (position) => `?${position}`,
    // A change excludes all other writers from its start.
    forUpdate: "",
    otherMarks: `(SELECT json_group_array(json(value)) FROM json_each(lesson.marks)
      WHERE json_extract(value, '$[0]') <> json_extract(?1, '$.model'))`,
    contains: (column, part) => `instr(${column}, ${part}) > 0`,
    run,
    once: (statement) =>
      change([], () => ({ writes: [statement], gives: ([written]) => written ?? NOTHING })),
    runAll: (statements) =>
      lifeline.run((connection) => connection.write(() => statements.forEach(connection.sql.run))),
    lookLong: (statements) =>
      inTurn(() => lifeline.run(({ look, sql }) => look(() => statements.map(sql.run)))),
    change,
  };
}
