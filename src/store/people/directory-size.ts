// The number of a directory's users, which each change of them keeps in the directory's row. Counting them for a page of a
// list would read the index of all of them.
import { bind, type Engine, type Statement } from "../engine/engine.ts";
import type { Mark } from "../engine/sql.ts";

export const SIZE = "SELECT users FROM directory WHERE id = 'directory'";

/** A user comes last in the order of the list, unless a node with a faster clock has added another. */
export function countAdded(
  { mark }: Pick<Engine, "mark">,
  { id, createdAtMs }: { readonly id: string; readonly createdAtMs: number },
): Statement {
  const behind = `SELECT id FROM directory_user WHERE (created_at_ms, id) > (CAST(${mark(1)} AS BIGINT), ${mark(2)})`;
  return bind(
    `UPDATE directory SET users = users + 1, moves = moves + CASE WHEN EXISTS (${behind}) THEN 1 ELSE 0 END
     WHERE id = 'directory'`,
    createdAtMs,
    id,
  );
}

/** Counts the users whom the next statement deletes, in a transaction that has the directory's lock. */
export function countRemoved(mark: Mark, column: "id" | "member_id", value: string): Statement {
  const gone = `SELECT count(*) FROM directory_user WHERE ${column} = ${mark(1)}`;
  return bind(
    `UPDATE directory SET users = users - (${gone}), moves = moves + 1 WHERE id = 'directory'`,
    value,
  );
}
