// Writes a decision: statements take one list per column, for any number of rows.
import type { Decision } from "../../core/decision.ts";
import type { SqlType } from "../engine/columns.ts";
import { bind } from "../engine/engine.ts";
import type { Value } from "../engine/found.ts";
import { joinNames } from "../engine/sql.ts";
import type { Query } from "./connection.ts";
import { type Accounts, GROUPS, listIds, type Part, TOGETHER, type WriteStatement } from "./write-parts.ts";

/** The types of the lists that statements take. A list of bigint refuses fractions instead of rounding them. */
const LIST_TYPES: Readonly<Record<SqlType, string>> = {
  text: "text[]",
  integer: "bigint[]",
  real: "double precision[]",
  bytes: "bytea[]",
};

/**
 * A distributed engine deletes in a statement of its own, run first: it refuses to change a table twice in one. It has the
 * account as $1, too.
 */
const REMOVE = `
  WITH hold_gone AS (DELETE FROM hold WHERE account_id = $1 AND id = ANY($2::text[])),
       reply_gone AS (DELETE FROM reply WHERE account_id = $1 AND id = ANY($3::text[]))
  SELECT 1`;

const NONE: readonly Value[] = [];

/** The statements composed so far: for a combination of groups, and for a part. */
const together = new Map<string, string>();
const apart = new Map<Part, string>();

/** Returns the statements that write a decision on accounts that are locked: on a distributed engine, on one. */
export function composeWrites(
  accounts: Accounts,
  decision: Decision,
  isDistributed: boolean,
): readonly Query[] {
  return isDistributed ? writeApart(accounts, decision) : writeTogether(accounts, decision);
}

/** On a single server, one statement for all tables is cheapest. */
function writeTogether(accounts: Accounts, decision: Decision): readonly Query[] {
  const groups = TOGETHER.map((group) =>
    group.map((part) => ({ part, lists: part.listsOf(decision, accounts) })),
  );
  const isWritten = groups.map((group) => group.some(({ lists }) => lists !== null));
  const parts = groups.filter((_, at) => isWritten[at]).flat();
  if (parts.length === 0) return [];
  const text = together.getOrInsertComputed(isWritten.join(" "), () => composeTogether(isWritten));
  return [bind(text, ...parts.flatMap(({ part, lists }) => lists ?? part.columns.map(() => NONE)))];
}

/**
 * A distributed engine gets a statement per table: it would run the parts of a single WITH one by one, store their results,
 * and commit in two phases.
 */
function writeApart(accounts: Accounts, decision: Decision): readonly Query[] {
  const [accountId = ""] = accounts;
  const { holdsGone, repliesGone } = decision;
  const isRemoving = holdsGone.length + repliesGone.length > 0;
  const queries: Query[] = isRemoving
    ? [bind(REMOVE, accountId, listIds(holdsGone), listIds(repliesGone))]
    : [];
  for (const part of GROUPS.flat()) {
    const lists = part.apart.listsOf(decision, accounts);
    if (lists !== null)
      queries.push(bind(apart.getOrInsertComputed(part, composeApart), accountId, ...lists));
  }
  return queries;
}

/** Returns every statement that `composeWrites` may send, for tests of their text. */
export function listWriteTexts(isDistributed: boolean): readonly string[] {
  return isDistributed
    ? [REMOVE, ...GROUPS.flat().map(composeApart)]
    : [composeTogether(TOGETHER.map(() => true))];
}

/** Returns one statement that writes these groups. */
function composeTogether(isWritten: readonly boolean[]): string {
  let mark = 1;
  const parts = TOGETHER.filter((_, at) => isWritten[at]).flat();
  const written = parts.map((part, at) => {
    const text = composeWritten(part, mark);
    mark += part.columns.length;
    return `part_${at} AS (${text})`;
  });
  return `WITH ${written.join(", ")} SELECT 1`;
}

function composeApart(part: Part): string {
  return composeWritten(part.apart, 2);
}

/** Returns the statement whose rows are given as one list per column, the first of them as this parameter. */
function composeWritten({ columns, types, sql }: WriteStatement, mark: number): string {
  const lists = types.map((type, at) => `$${mark + at}::${LIST_TYPES[type]}`);
  return sql(`unnest(${lists.join(", ")}) AS given (${joinNames(columns)})`, lists);
}
