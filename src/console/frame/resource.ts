// Data from the gateway, fetched on demand and cached so that a page seen before appears at once.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { ListPage } from "../../admin/list.ts";
import { isReturning, runEvery } from "../browser.ts";
import { clearSources, findSource } from "./answers.ts";
import { getText, type Query, withQuery } from "./api.ts";

/** The pages of each list that had more than one, as text, for those who come back to it. */
const added = new Map<string, string>();
const ADDED_MAX = 20;

/** Clears the cache when the operator signs out. */
export function clearCache(): void {
  clearSources();
  added.clear();
}

export interface Resource<Data> {
  /** Undefined until known. */
  readonly data: Data | undefined;
  readonly error: string | null;
  /** True while waiting for the first answer. */
  readonly isLoading: boolean;
  readonly reload: () => Promise<void>;
}

/** Shows a route's answer, asked for again every `everyMs` if that is positive. Nothing is fetched without a path. */
export function useResource<Data>(path: string | null, everyMs = 0): Resource<Data> {
  const [, draw] = useState(0);
  const source = path === null ? null : findSource(path);
  const shown = source?.version;
  useEffect(() => {
    if (source === null) return;
    const redraw = () => draw((count) => count + 1);
    const leave = source.join(redraw);
    // It may have been answered between the drawing and now.
    if (source.version !== shown) redraw();
    // Several parts that show the same path ask once per interval.
    const stop = everyMs > 0 ? runEvery(everyMs, () => void source.refresh(everyMs / 2)) : undefined;
    return () => {
      stop?.();
      leave();
    };
  }, [source, everyMs]);
  const reload = useCallback(async () => source?.reload(), [source]);
  const text = source?.text;
  const parsed = useRef<{ readonly text: string; readonly data: Data } | null>(null);
  if (text !== undefined && parsed.current?.text !== text) parsed.current = { text, data: JSON.parse(text) };
  const error = source?.error ?? null;
  const data = text === undefined ? undefined : parsed.current?.data;
  return { data, error, isLoading: path !== null && data === undefined && error === null, reload };
}

export interface Pages<Row> extends Resource<readonly Row[]> {
  /** Fetches the next page. Null if there is none. */
  readonly more: (() => Promise<void>) | null;
  readonly isAddingMore: boolean;
  /** Fetches all rows again, at most 10,000, as the gateway sends them. */
  readonly readAll: () => Promise<readonly object[]>;
}

const ROWS_MAX = 10_000;
const ROWS_AT_ONCE = 200;

/** Only lists with further pages know a limit. */
async function readAllPages(path: string, query: Query): Promise<readonly object[]> {
  const read = async (asked: Query): Promise<ListPage<object>> =>
    JSON.parse(await getText(withQuery(path, asked)));
  let page = await read(query);
  const rows = [...page.data];
  while (page.next !== null && rows.length < ROWS_MAX) {
    page = await read({ ...query, limit: ROWS_AT_ONCE, after: page.next });
    rows.push(...page.data);
  }
  return rows;
}

interface FurtherPages<Row> {
  readonly of: string;
  /** The first page as it was when more was asked for, and the pages after it. */
  readonly pages: readonly ListPage<Row>[];
}

/** Returns the pages that the list had when it was left, if the browser went back to it. */
function findAdded<Row>(of: string): FurtherPages<Row> {
  const text = isReturning() ? added.get(of) : undefined;
  return { of, pages: text === undefined ? [] : JSON.parse(text) };
}

function keepAdded<Row>({ of, pages }: FurtherPages<Row>): void {
  added.delete(of);
  added.set(of, JSON.stringify(pages));
  const [oldest] = added.keys();
  if (added.size > ADDED_MAX && oldest !== undefined) added.delete(oldest);
}

/** Fetches a list page by page; the first page is refreshed every `everyMs`. Nothing is fetched without a path. */
export function usePages<Row extends object>(
  path: string | null,
  query: Query = {},
  everyMs = 0,
): Pages<Row> {
  const first = withQuery(path ?? "", query);
  const resource = useResource<ListPage<Row>>(path === null ? null : first, everyMs);
  const [kept, setKept] = useState(() => findAdded<Row>(first));
  const [isAddingMore, setAdding] = useState(false);
  const pages = kept.of === first ? kept.pages : [];
  const next = (pages.at(-1) ?? resource.data)?.next ?? null;
  const more = async () => {
    if (path === null || next === null || isAddingMore || !resource.data) return;
    setAdding(true);
    try {
      const page: ListPage<Row> = JSON.parse(await getText(withQuery(path, { ...query, after: next })));
      const now = { of: first, pages: pages.length === 0 ? [resource.data, page] : [...pages, page] };
      keepAdded(now);
      setKept(now);
    } finally {
      setAdding(false);
    }
  };
  const isSearching = next !== null && isEmpty(resource.data) && pages.every(isEmpty);
  useEffect(() => {
    // The gateway looks for rare rows only for a while: then it goes on where it stopped.
    if (isSearching && !isAddingMore) void more().catch(() => undefined);
  }, [isSearching, next]);
  const data = resource.data && mergeRows([resource.data, ...pages].flatMap((page) => page.data));
  return {
    ...resource,
    data: isSearching ? undefined : data,
    more: next === null ? null : more,
    isAddingMore,
    readAll: () => readAllPages(path ?? "", query),
  };
}

function isEmpty(page: ListPage<unknown> | undefined): boolean {
  return page !== undefined && page.data.length === 0;
}

/** Rows that arrived since more were asked for stand in the first page twice, or have moved out of it. */
function mergeRows<Row extends object>(rows: readonly Row[]): readonly Row[] {
  const known = new Set<unknown>();
  return rows.filter((row) => {
    const id = "id" in row ? row.id : row;
    return !known.has(id) && known.add(id);
  });
}
