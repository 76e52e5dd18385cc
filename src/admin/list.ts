// Paginated lists: `limit` and `after` in, `data` and `next` out.
import { type Static, Type } from "@sinclair/typebox";
import { invalidValue } from "../core/schema-fault.ts";
import type { Page, Position } from "../core/store.ts";
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

export interface Listed<View> {
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
): Promise<Listed<View>> {
  const rows = await find({ limit: limit + 1, after: after === undefined ? null : readCursor(after) });
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { data: shown.map(viewOf), next: last === undefined ? null : formatCursor(positionOf(last)) };
}

function formatCursor({ atMs, id }: Position): string {
  return `${atMs}.${id}`;
}
