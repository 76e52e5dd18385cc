// Paginated lists: `limit` and `after` in, `data` and `next` out.
import { type Static, Type } from "@sinclair/typebox";
import { invalidValue } from "../core/json/schema-fault.ts";
import type { SearchPage } from "../core/log/log-query.ts";
import type { Page, Position, SortedPage, SortedPosition, SortedRow } from "../core/world/page.ts";
import { formatInstant } from "./format.ts";
import { allowWords, closeObject } from "./schema.ts";

const LIMIT_MAX = 200;
const LIMIT = 50;
const CURSOR_SHAPE = /^(\d{1,15})\.([\w.-]{1,100})$/;

/** The query fields of every list. */
export const pageFields = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: LIMIT })),
  after: Type.Optional(
    Type.String({ pattern: CURSOR_SHAPE.source, expected: "the 'next' of the previous page" }),
  ),
};
export const pageQuery = closeObject(pageFields);
export type PageQuery = Static<typeof pageQuery>;

export interface ListPage<View> {
  readonly data: readonly View[];
  /** The `after` of the next page. Null on the last page. */
  readonly next: string | null;
}

const ORDERS = ["asc", "desc"] as const;
/** The sort and its order, the value in base64, and the id. */
const SORTED_CURSOR = /^([a-z]{1,20})\.(asc|desc)~([\w-]{0,2000})~([\w.-]{1,100})$/;

/** The query fields of a list that can be sorted by one of the words. */
export function sortedFields<const By extends string>(words: readonly By[]) {
  return {
    limit: pageFields.limit,
    after: Type.Optional(
      Type.String({
        pattern: `${CURSOR_SHAPE.source}|${SORTED_CURSOR.source}`,
        expected: "the 'next' of the previous page",
      }),
    ),
    sort: Type.Optional(allowWords(words, `What to sort by; \`${words[0]}\` if missing.`)),
    order: Type.Optional(allowWords(ORDERS, "`desc` if missing, but `asc` for names and states.")),
  };
}

interface SortedQuery<By extends string> extends PageQuery {
  readonly sort?: By;
  readonly order?: (typeof ORDERS)[number];
}

/** True if neither a sort nor an order is asked for. */
export function isUnsorted({ sort, order }: SortedQuery<string>): boolean {
  return sort === undefined && order === undefined;
}

const UPWARDS: ReadonlySet<string> = new Set(["name", "state"]);

/**
 * Returns one page in the order that the query names, or that of `fallback`. A row whose value changes between two pages
 * may be in both or in none; all others are in one.
 */
export async function listSorted<By extends string, Row extends { readonly id: string }>(
  query: SortedQuery<By>,
  fallback: By,
  find: (page: SortedPage<By>) => Promise<readonly SortedRow<Row>[]>,
): Promise<ListPage<Row>> {
  const { limit = LIMIT, after, sort: by = fallback } = query;
  const { order = UPWARDS.has(by) ? "asc" : "desc" } = query;
  const from = after === undefined ? null : readSortedCursor(after, by, order);
  const rows = await find({ by, isDown: order === "desc", limit: limit + 1, after: from });
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    data: shown.map(({ row }) => row),
    next: last ? formatSortedCursor(`${by}.${order}`, last) : null,
  };
}

function formatSortedCursor(sort: string, last: SortedRow<{ readonly id: string }>): string {
  return [sort, Buffer.from(String(last.value)).toString("base64url"), last.row.id].join("~");
}

function readSortedCursor(text: string, by: string, order: string): SortedPosition {
  const [, ofSort, ofOrder, encoded = "", id = ""] = SORTED_CURSOR.exec(text) ?? [];
  const decoded = Buffer.from(encoded, "base64url").toString();
  const value = by === "name" ? decoded : Number(decoded || "none");
  // No text of a store has the character NUL, which PostgreSQL doesn't take.
  const isValue = typeof value === "number" ? Number.isSafeInteger(value) : !value.includes("\0");
  if (ofSort === by && ofOrder === order && isValue) return { value, id };
  throw invalidValue("after", "expected the 'next' of the previous page, of the same `sort` and `order`");
}

function readCursor(text: string): Position {
  const [, atMs, id] = CURSOR_SHAPE.exec(text) ?? [];
  if (atMs !== undefined && id !== undefined) return { atMs: Number(atMs), id };
  throw invalidValue("after", "expected the 'next' of the previous page");
}

/** Returns one page, newest first. `find` is asked for one extra row, which shows if there is a next page. */
export async function listPage<Row, View>(
  { limit = LIMIT, after }: PageQuery,
  find: (page: Page) => Promise<readonly Row[]>,
  positionOf: (row: Row) => Position,
  viewOf: (row: Row) => View,
): Promise<ListPage<View>> {
  const rows = await find({ limit: limit + 1, after: after === undefined ? null : readCursor(after) });
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { data: shown.map(viewOf), next: last === undefined ? null : formatCursor(positionOf(last)) };
}

/** A list that may have been searched in part only. */
export interface SearchedList<View> extends ListPage<View> {
  /** The time down to which all rows were looked at, if the search stopped before the page was full. */
  readonly scanned_until?: string;
}

/** The longest that a list without an index is searched for one page. */
export const SEARCH_MS = 200;
/** Sorts before every id, so that a page after it begins with the times before. */
const NO_ID = "-";

/** Returns one page of a log that is searched for a limited time. `next` goes on where the search stopped. */
export async function listSearched<Row, View>(
  query: PageQuery,
  search: (page: Page) => Promise<SearchPage<Row>>,
  positionOf: (row: Row) => Position,
  viewOf: (row: Row) => View,
): Promise<SearchedList<View>> {
  let scannedUntilMs: number | null = null;
  const find = async (page: Page) => {
    const { rows, ...searched } = await search(page);
    ({ scannedUntilMs } = searched);
    return rows;
  };
  const listed = await listPage(query, find, positionOf, viewOf);
  if (scannedUntilMs === null || listed.next !== null) return listed;
  const next = formatCursor({ atMs: scannedUntilMs, id: NO_ID });
  return { ...listed, next, scanned_until: formatInstant(scannedUntilMs) };
}

function formatCursor({ atMs, id }: Position): string {
  return `${atMs}.${id}`;
}
