// Lists in pages: `limit` and `after` in, `data` and `next` out.
import { Fault } from "../core/fault.ts";
import type { JsonObject } from "../core/json.ts";
import type { Page, Position } from "../core/store.ts";
import { optional, type Read, readText, readWhole } from "./input.ts";

export const PAGE_FIELDS = ["limit", "after"] as const;
const LIMIT_MAX = 200;
const LIMIT = 50;
const CURSOR_SHAPE = /^(\d{1,15})\.([\w.-]{1,100})$/;

export interface Listed<View> {
  readonly data: readonly View[];
  /** The `after` of the next page; null: this was the last. */
  readonly next: string | null;
}

const readCursor: Read<Position> = (value, param) => {
  const [, atMs, id] = CURSOR_SHAPE.exec(readText(value, param)) ?? [];
  if (atMs !== undefined && id !== undefined) return { atMs: Number(atMs), id };
  throw new Fault("invalid_value", `Invalid '${param}': expected the 'next' of the page before.`, { param });
};

/** One page, newest first: `find` is asked for one row more, which tells whether there is a next page. */
export async function listPage<Row, View>(
  fields: JsonObject,
  find: (page: Page) => Promise<readonly Row[]>,
  positionOf: (row: Row) => Position,
  viewOf: (row: Row) => View,
): Promise<Listed<View>> {
  const limit = optional(fields, "limit", readWhole(1, LIMIT_MAX)) ?? LIMIT;
  const after = optional(fields, "after", readCursor) ?? null;
  const rows = await find({ limit: limit + 1, after });
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { data: shown.map(viewOf), next: last === undefined ? null : cursorOf(positionOf(last)) };
}

function cursorOf({ atMs, id }: Position): string {
  return `${atMs}.${id}`;
}
