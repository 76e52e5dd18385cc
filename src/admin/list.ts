// Paginated lists: `limit` and `after` in, `data` and `next` out.
import { type Static, Type } from "@sinclair/typebox";
import { invalidValue } from "../core/json/schema-fault.ts";
import type { SearchPage } from "../core/log/log-query.ts";
import type { Page, Position } from "../core/world/page.ts";
import { formatInstant } from "./format.ts";
import { closeObject } from "./schema.ts";

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
