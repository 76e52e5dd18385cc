// Writes a decision: statements take one list per column, for any number of rows, or the JSON of a few rows.
import type { Decision } from "../../core/decision.ts";
import type { SqlType } from "../columns/columns.ts";
import type { Value } from "../columns/found.ts";
import { bind } from "../engine/engine.ts";
import { joinNames } from "../engine/sql.ts";
import type { Query } from "./connection.ts";
import {
  type Accounts,
  GROUPS,
  type Lists,
  listIds,
  type Part,
  TOGETHER,
  type WriteStatement,
} from "./write-parts.ts";

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

/** The types of columns that are read from JSON. */
const JSON_TYPES: Readonly<Record<SqlType, string>> = {
  text: "text",
  integer: "bigint",
  real: "double precision",
  bytes: "bytea",
};

/**
 * Each list costs the server a function call of its own: lists of 60 columns take it eight times as long as JSON for one row,
 * and three quarters as long for 32.
 */
const FEW_ROWS = 4;

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

interface WriteList {
  readonly part: WriteStatement;
  /** Null if there are no rows. */
  readonly lists: Lists | null;
}

/** On a single server, one statement for all tables is cheapest. */
function writeTogether(accounts: Accounts, decision: Decision): readonly Query[] {
  const groups = TOGETHER.map((group) =>
    group.map((part): WriteList => ({ part, lists: part.listsOf(decision, accounts) })),
  );
  const isWritten = groups.map((group) => group.some(({ lists }) => lists !== null));
  const parts = groups.filter((_, at) => isWritten[at]).flat();
  if (parts.length === 0) return [];
  // Stored replies may be large, and reading a text from JSON takes longer.
  const isFew = decision.replies.length === 0 && parts.every(({ lists }) => countRows(lists) <= FEW_ROWS);
  const compose = isFew ? composeFew : composeList;
  const name = `${isFew} ${isWritten.join(" ")}`;
  const text = together.getOrInsertComputed(name, () => composeTogether(isWritten, compose));
  return [bind(text, ...(isFew ? parts.map(writeJson) : parts.flatMap(writeLists)))];
}

function countRows(lists: Lists | null): number {
  return lists?.[0]?.length ?? 0;
}

function writeLists({ part, lists }: WriteList): Lists {
  return lists ?? part.columns.map(() => NONE);
}

function writeJson({ part, lists }: WriteList): string {
  const rows = Array.from({ length: countRows(lists) }, (_, at) =>
    Object.fromEntries(part.columns.map((column, of) => [column, toJsonValue(lists?.[of]?.[at] ?? null)])),
  );
  return JSON.stringify(rows);
}

/** JSON would make null of a number that isn't finite, and PostgreSQL refuses half of a pair of surrogates in it. */
function toJsonValue(value: Value): Value {
  if (typeof value === "string") return value.toWellFormed();
  if (value === null || Number.isFinite(value)) return value;
  throw new Error("A number that is to be written isn't finite.");
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
  const isWritten = TOGETHER.map(() => true);
  return isDistributed
    ? [REMOVE, ...GROUPS.flat().map(composeApart)]
    : [composeList, composeFew].map((compose) => composeTogether(isWritten, compose));
}

/** Returns one statement that writes these groups. */
function composeTogether(isWritten: readonly boolean[], compose: Compose): string {
  let mark = 1;
  const parts = TOGETHER.filter((_, at) => isWritten[at]).flat();
  const written = parts.map((part, at) => {
    const { text, marks } = compose(part, mark);
    mark += marks;
    return `part_${at} AS (${text})`;
  });
  return `WITH ${written.join(", ")} SELECT 1`;
}

/** Returns a part's statement, and how many parameters it takes from this one on. */
type Compose = (part: WriteStatement, mark: number) => { readonly text: string; readonly marks: number };

/** Its rows are given as one list per column. */
const composeList: Compose = ({ columns, types, sql }, mark) => {
  const lists = types.map((type, at) => `$${mark + at}::${LIST_TYPES[type]}`);
  return {
    text: sql(`unnest(${lists.join(", ")}) AS given (${joinNames(columns)})`, lists),
    marks: columns.length,
  };
};

/** Its rows are given as JSON. */
const composeFew: Compose = ({ columns, types, sql }, mark) => {
  const typed = columns.map((column, at) => `${column} ${JSON_TYPES[types[at] ?? "text"]}`);
  const source = `json_to_recordset($${mark}::text::json) AS given (${joinNames(typed)})`;
  const lists = columns.map((column) => `ARRAY(SELECT given.${column} FROM ${source})`);
  return { text: sql(source, lists), marks: 1 };
};

function composeApart(part: Part): string {
  return composeList(part.apart, 2).text;
}
