// Deletes old rows of tables that have no index of their times: every request would have to write it.
import { readText, type Value } from "../columns/found.ts";
import { bind, type Engine } from "../engine/engine.ts";
import { joinMarks, joinNames } from "../engine/sql.ts";
import type { Table } from "../schema/tables.ts";

const ROWS_AT_ONCE = 500;

/**
 * Goes along the key, which must be of texts, a few hundred rows at a time, with as long a rest between: to look at
 * millions at once would block the event loop. `old` is a condition on a row, with the time as its first value.
 */
export async function sweepRows(
  { mark, run, runOnce }: Pick<Engine, "mark" | "run" | "runOnce">,
  { name, key }: Pick<Table<never>, "name" | "key">,
  old: string,
  beforeMs: number,
): Promise<void> {
  /** Value 1 is the time. */
  const position = (before: number) => `(${joinMarks(key.length, (at) => mark(1 + before + at))})`;
  const further = `FROM ${name} WHERE (${joinNames(key)}) > ${position(0)}`;
  const end = `SELECT ${joinNames(key)} ${further} ORDER BY ${joinNames(key)} LIMIT 1 OFFSET ${ROWS_AT_ONCE - 1}`;
  for (let after: readonly Value[] | null = key.map(() => ""); after !== null; ) {
    const beganMs = performance.now();
    const [last] = await run(bind(end, null, ...after));
    const until: readonly Value[] | null = last ? key.map((column) => readText(last, column)) : null;
    const part = `${further} AND ${old} ${until ? `AND (${joinNames(key)}) <= ${position(key.length)}` : ""}`;
    const values = [beforeMs, ...after, ...(until ?? [])];
    const [found] = await run(bind(`SELECT 1 ${part} LIMIT 1`, ...values));
    if (found) await runOnce(bind(`DELETE ${part}`, ...values));
    after = until;
    if (after !== null) await Bun.sleep(performance.now() - beganMs);
  }
}
