// The tables that decisions read, and the statements that find their rows: one for all tables, or one for each.
import type { Reads } from "../../core/demand.ts";
import { asArray, asObject, parseJson } from "../../core/json/json.ts";
import type { FoundRow, Value } from "../columns/found.ts";
import { bind } from "../engine/engine.ts";
import { selectSql } from "../engine/sql.ts";
import { RAISES } from "../limits/limit-requests.ts";
import { CHECKOUT } from "../money/checkouts.ts";
import { REQUEST, TAG_OF_DAY } from "../schema/log-tables.ts";
import { HOLD, KEY, METER, MOVEMENT, OWNER, REPLY, SPEND, type Table } from "../schema/tables.ts";
import { NOW_MS } from "./clock.ts";
import type { Query, Result } from "./connection.ts";

type PartName =
  | ("keys" | "members" | "raises" | "spends" | "meters" | "owners" | "holds")
  | ("requests" | "replies" | "movements" | "checkouts" | "tags");

/** The rows that are read of one table. */
interface ReadPart {
  readonly name: PartName;
  readonly select: string;
  /** The columns that find its rows, the account's first if they belong to one, and the types of their values. */
  readonly by: Readonly<Record<string, "text" | "bigint">>;
  /** True if ids are unique over all accounts, and found by an index of their own. */
  readonly isFoundById?: true;
  /** True if its rows may be large. On a single server they get a statement of their own: no value may have 1 GB. */
  readonly isLarge?: true;
  /** A further condition. */
  readonly where?: string;
  /** Returns the values of those columns for each row that a demand needs. */
  readonly list: (reads: Reads) => readonly ReadKey[];
}

type ReadKey = readonly Value[];
type FindId = (reads: Reads) => string | null | undefined;

const NONE: readonly never[] = [];

function byId(findId: FindId): Pick<ReadPart, "by" | "list"> {
  return {
    by: { id: "text" },
    list: (reads) => {
      const id = findId(reads) ?? null;
      return id === null ? NONE : [[id]];
    },
  };
}

/** For rows of an account. */
function byOwnId(column: string, findId: FindId): Pick<ReadPart, "by" | "list"> {
  return {
    by: { account_id: "text", [column]: "text" },
    list: (reads) => {
      const id = findId(reads) ?? null;
      return id === null ? NONE : [[reads.accountId, id]];
    },
  };
}

function ofAccount<Row>(name: PartName, table: Table<Row>, findId: FindId): ReadPart {
  return { name, select: selectSql(table), ...byOwnId("id", findId) };
}

const PARTS: readonly ReadPart[] = [
  { name: "keys", select: selectSql(KEY), ...byId(({ keyId }) => keyId) },
  { name: "members", select: "SELECT id, rule_limits FROM member", ...byId(({ memberId }) => memberId) },
  { name: "raises", ...RAISES, ...byOwnId("member_id", ({ memberId }) => memberId) },
  { name: "spends", select: selectSql(SPEND), ...byOwnId("key_id", ({ keyId }) => keyId) },
  {
    name: "meters",
    select: selectSql(METER),
    by: { account_id: "text", owner: "text", day: "text" },
    list: ({ accountId, owners, days }) =>
      owners.flatMap((owner) => days.map((day) => [accountId, owner, day])),
  },
  {
    name: "owners",
    select: selectSql(OWNER),
    by: { account_id: "text", owner: "text" },
    list: ({ accountId, owners }) => owners.map((owner) => [accountId, owner]),
  },
  ofAccount("holds", HOLD, ({ requestId }) => requestId),
  { ...ofAccount("requests", REQUEST, ({ requestId }) => requestId), isFoundById: true },
  { ...ofAccount("replies", REPLY, ({ replyId }) => replyId), isLarge: true },
  ofAccount("movements", MOVEMENT, ({ movementId }) => movementId),
  ofAccount("checkouts", CHECKOUT, ({ checkoutId }) => checkoutId),
  {
    name: "tags",
    select: selectSql(TAG_OF_DAY),
    by: { account_id: "text", day_ms: "bigint" },
    list: ({ accountId, tagDayMs }) => (tagDayMs === undefined ? NONE : [[accountId, tagDayMs]]),
  },
];

/** The rows by table. Those of a table that isn't read are missing. */
export type FoundRows = Partial<Record<PartName, readonly FoundRow[]>>;

interface WantedPart {
  readonly part: ReadPart;
  readonly keys: readonly ReadKey[];
}

interface PartsReading {
  readonly queries: readonly Query[];
  readonly foundIn: (results: readonly Result[]) => { readonly found: FoundRows; readonly clock: FoundRow };
}

/** Returns the keys of the rows that the demands need, each once, by table. */
function listWanted(reads: readonly Reads[]): readonly WantedPart[] {
  return PARTS.flatMap((part) => {
    const keys = new Map<string, ReadKey>();
    for (const read of reads) for (const key of part.list(read)) keys.set(key.join("\n"), key);
    return keys.size > 0 ? [{ part, keys: [...keys.values()] }] : [];
  });
}

/** Read after the account's lock, so that the decisions of all nodes on an account are in the order of time. */
const CLOCK = `${NOW_MS} AS now_ms`;

/** The statements composed so far, by the tables that they read. */
const together = new Map<string, string>();

/** Returns one statement that reads the clock and all tables, and one for each table with large rows. */
export function composeTogether(reads: readonly Reads[]): PartsReading {
  const all = listWanted(reads);
  const large = all.filter(({ part }) => part.isLarge);
  const wanted = all.filter(({ part }) => !part.isLarge);
  const parts = wanted.map(({ part }) => part);
  const names = parts.map(({ name }) => name).join(" ");
  const text = together.getOrInsertComputed(names, () => joinParts(parts));
  const foundIn = ([result = [], ...results]: readonly (readonly FoundRow[])[]) => {
    const [row = {}] = result;
    const found = Object.fromEntries([
      ...parts.map(({ name }) => [name, readRows(row[name])]),
      ...large.map(({ part }, at) => [part.name, results[at] ?? NONE]),
    ]);
    return { found, clock: row };
  };
  const apart = large.map((one) =>
    bind(`SELECT found.* FROM ${composeFound(one.part, 1)}`, ...listKeys(one)),
  );
  return { queries: [bind(text, ...wanted.flatMap(listKeys)), ...apart], foundIn };
}

/** Returns one list per column that finds the rows. */
function listKeys({ part, keys }: WantedPart): readonly ReadKey[] {
  return Object.keys(part.by).map((_, at) => keys.map((key) => key[at] ?? null));
}

function readRows(json: unknown): readonly FoundRow[] {
  return typeof json === "string" ? asArray(parseJson(json)).map(asObject) : NONE;
}

function joinParts(parts: readonly ReadPart[]): string {
  let mark = 1;
  const columns = parts.map((part) => {
    const found = composeFound(part, mark);
    mark += Object.keys(part.by).length;
    return `(SELECT json_agg(found)::text FROM ${found}) AS ${part.name}`;
  });
  return `SELECT ${[CLOCK, ...columns].join(",\n")}`;
}

/** Returns what stands after FROM to read a table's rows, which it calls `found`. Their keys are lists, the first as this parameter. */
function composeFound({ select, by, where, isFoundById }: ReadPart, mark: number): string {
  const lists = Object.values(by).map((type, at) => `$${mark + at}::${type}[]`);
  const keys = lists.map((_, at) => `key_${at}`);
  // A table without statistics would be searched by another index that begins with the account: all of its requests.
  const nameColumn = (column: string) =>
    isFoundById && column === "account_id" ? "account_id || ''" : column;
  const named = Object.keys(by).map((column, at) => `${nameColumn(column)} = ${keys[at]}`);
  const conditions = where === undefined ? named : [...named, where];
  // OFFSET keeps it a lookup by index for each key: a join would be planned as a scan while the table is small.
  return `unnest(${lists.join(", ")}) AS asked (${keys.join(", ")})
      CROSS JOIN LATERAL (${select} WHERE ${conditions.join(" AND ")} OFFSET 0) AS found`;
}

/**
 * Returns a statement for the clock and one for each table, on one account: a distributed engine sends each to the machine
 * that has the account.
 */
export function composeApart(accountId: string, reads: readonly Reads[]): PartsReading {
  const wanted = listWanted(reads);
  const queries = wanted.map(({ part, keys }) => {
    const isOwn = "account_id" in part.by;
    const columns = Object.entries(part.by).slice(isOwn ? 1 : 0);
    const lists = columns.map((_, at) => [...new Set(keys.map((key) => key[at + (isOwn ? 1 : 0)] ?? null))]);
    const own = isOwn ? ["account_id = $1"] : NONE;
    const listed = columns.map(([column, type], at) => `${column} = ANY($${own.length + at + 1}::${type}[])`);
    const conditions = [...own, ...listed, ...(part.where === undefined ? NONE : [part.where])];
    return bind(
      `${part.select} WHERE ${conditions.join(" AND ")}`,
      ...(isOwn ? [accountId] : NONE),
      ...lists,
    );
  });
  const foundIn = ([clock = [], ...results]: readonly (readonly FoundRow[])[]) => ({
    found: Object.fromEntries(wanted.map(({ part }, at) => [part.name, results[at] ?? NONE])),
    clock: clock[0] ?? {},
  });
  return { queries: [bind(`SELECT ${CLOCK}`), ...queries], foundIn };
}
