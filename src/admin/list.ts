// Paginated lists: `limit` and `after` in, `data` and `next` out.
import { type Static, Type } from "@sinclair/typebox";
import { invalidValue } from "../core/json/schema-fault.ts";
import type { SearchPage } from "../core/log/log-query.ts";
import { isUpwards, type ListName, SORTS, type SortOf, sortRows } from "../core/things/sorts.ts";
import type { Page, Position, SortedPage, SortedPosition, SortedRow } from "../core/world/page.ts";
import { formatInstant } from "./format.ts";
import { allowWords, closeObject } from "./schema.ts";

const LIMIT_MAX = 200;
export const LIMIT = 50;
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
const SORTED_CURSOR = /^([a-z]{1,20})\.(asc|desc)~([\w-]{0,2000})~([\w.-]{1,200})$/;

/** The query fields with which a list is sorted. `otherwise` says what its order is without them. */
export function sortFields<List extends ListName>(list: List, otherwise: string) {
  const words: readonly SortOf<List>[] = SORTS[list];
  const upwards = words.filter(isUpwards);
  return {
    sort: Type.Optional(allowWords(words, `What to sort by. ${otherwise} if it is missing.`)),
    order: Type.Optional(
      allowWords(ORDERS, `\`desc\` if it is missing, but \`asc\` by ${upwards.join(", ")}.`),
    ),
  };
}

/** The query fields of a paged list that can be sorted. */
export function sortedFields<List extends ListName>(list: List, otherwise = "Newest first") {
  return {
    limit: pageFields.limit,
    after: Type.Optional(
      Type.String({
        pattern: `${CURSOR_SHAPE.source}|${SORTED_CURSOR.source}`,
        expected: "the 'next' of the previous page",
      }),
    ),
    ...sortFields(list, otherwise),
  };
}

interface SortQuery<By extends string> {
  readonly sort?: By;
  readonly order?: (typeof ORDERS)[number];
}

/** True if neither a sort nor an order is asked for. */
export function isUnsorted({ sort, order }: SortQuery<string>): boolean {
  return sort === undefined && order === undefined;
}

/** Returns the order that the query names, for a list that is sorted by the first of its columns if the query names none. */
function chooseOrder<List extends ListName>(list: List, query: SortQuery<SortOf<List>>) {
  const [first]: readonly SortOf<List>[] = SORTS[list];
  const by = query.sort ?? first;
  if (by === undefined) throw new Error(`The list ${list} can't be sorted.`);
  return { by, order: query.order ?? (isUpwards(by) ? "asc" : "desc") } as const;
}

/** Returns all rows of a list that has no pages, in the order that the query names, if it names one. */
export function sortAll<List extends ListName, Row>(
  list: List,
  query: SortQuery<SortOf<List>>,
  rows: readonly Row[],
  values: Parameters<typeof sortRows<SortOf<List>, Row>>[1],
): readonly Row[] {
  if (isUnsorted(query)) return rows;
  const { by, order } = chooseOrder(list, query);
  return sortRows(rows, values, { by, isDown: order === "desc" });
}

/**
 * Returns one page in the order that the query names. A row whose value changes between two pages may be in both or in
 * none; all others are in one.
 */
export async function listSorted<List extends ListName, Row extends { readonly id: string }>(
  list: List,
  query: SortQuery<SortOf<List>> & PageQuery,
  find: (page: SortedPage<SortOf<List>>) => Promise<readonly SortedRow<Row>[]>,
): Promise<ListPage<Row>> {
  const { limit = LIMIT, after } = query;
  const { by, order } = chooseOrder(list, query);
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
