// `--follow`: rows as they come, below those that are there.
import type { Io } from "../../app/terminal.ts";
import { fitColumns, formatRows, measureColumns, type Narrowing, prepareRows } from "../table.ts";

const LOOK_MS = 1000;
/** A request's row has the time of its beginning, and stands in the log at its end. */
const LOOK_BACK_MS = 600_000;
const PAGE = "200";
const SEEN_MAX = 5000;

interface FollowedPage {
  /** Newest first. Each has an id. */
  readonly rows: readonly { readonly id: string }[];
  /** The head, then a line for each row. */
  readonly cells: readonly (readonly string[])[];
  readonly hasMore: boolean;
}

type FollowFilters = Readonly<Record<string, string>>;

/** Prints a page of rows, oldest first, then every second those that have come, until the process ends. As JSON without a table. */
export async function followRows(
  io: Io,
  table: Narrowing | null,
  given: FollowFilters,
  read: (filters: FollowFilters) => Promise<FollowedPage>,
): Promise<void> {
  const seen = new Set<string>();
  const print = table === null ? printJson : makeTablePrinter(table);
  let isFirst = true;
  let filters = given;
  for (;;) {
    const page = await read(filters);
    const fresh = listFresh(page, seen);
    if (!isFirst && page.hasMore && fresh.length === page.rows.length) io.err(MISSED);
    print(io, page.cells[0] ?? [], fresh);
    isFirst = false;
    await Bun.sleep(LOOK_MS);
    filters = { ...given, limit: PAGE, from: findStart(given.from) };
  }
}

const MISSED = "More requests ended at once than a page has; the oldest of them aren't shown.";

/** Returns the later of what was asked for and how far it is looked back. */
function findStart(from: string | undefined): string {
  const since = new Date(Date.now() - LOOK_BACK_MS).toISOString();
  return from === undefined || Date.parse(from) < Date.parse(since) ? since : from;
}

interface FreshRow {
  readonly row: FollowedPage["rows"][number];
  readonly line: readonly string[];
}

/** Returns the rows that weren't seen, oldest first, and remembers them. */
function listFresh({ rows, cells }: FollowedPage, seen: Set<string>): readonly FreshRow[] {
  const fresh = rows.flatMap((row, at) => (seen.has(row.id) ? [] : [{ row, line: cells[at + 1] ?? [] }]));
  for (const { row } of fresh) {
    seen.add(row.id);
    const [oldest] = seen;
    if (seen.size > SEEN_MAX && oldest !== undefined) seen.delete(oldest);
  }
  return fresh.reverse();
}

function printJson(io: Io, _: readonly string[], fresh: readonly FreshRow[]): void {
  for (const { row } of fresh) io.out(JSON.stringify(row));
}

/** Its columns only grow, so that most rows stand below each other. The head is printed once. */
function makeTablePrinter(narrowing: Narrowing) {
  let before: readonly number[] | null = null;
  return (io: Io, head: readonly string[], fresh: readonly FreshRow[]): void => {
    const all = prepareRows([head, ...fresh.map(({ line }) => line)], io);
    const widths = measureColumns(all).map((width, at) => Math.max(width, before?.[at] ?? 0));
    const shown = before === null ? all : all.slice(1);
    before = widths;
    if (shown.length === 0) return;
    io.out(formatRows(shown, fitColumns(widths, all, io.width, narrowing), undefined, all));
  };
}
