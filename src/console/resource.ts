// Data from the gateway, fetched on demand and cached so that a page seen before appears at once.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Listed } from "../admin/list.ts";
import { describeError, getText, type Query, withQuery } from "./api.ts";
import { runEvery } from "./browser.ts";

/** The latest answers as text, parsed by each reader into a value of its own. */
const answers = new Map<string, string>();
const ANSWERS_MAX = 200;

function cacheAnswer(path: string, text: string): void {
  answers.delete(path);
  answers.set(path, text);
  const [oldest] = answers.keys();
  if (answers.size > ANSWERS_MAX && oldest !== undefined) answers.delete(oldest);
}

/** Clears the cache when the operator signs out. */
export function clearCache(): void {
  answers.clear();
}

export interface Resource<Data> {
  /** Undefined until known. */
  readonly data: Data | undefined;
  readonly error: string | null;
  /** True while waiting for the first answer. */
  readonly isLoading: boolean;
  readonly reload: () => Promise<void>;
}

/** Fetches a route's answer, again every `everyMs` if that is positive. */
export function useResource<Data>(path: string, everyMs = 0): Resource<Data> {
  const [, draw] = useState(0);
  const failed = useRef<{ readonly path: string; readonly message: string } | null>(null);
  const current = useRef(path);
  current.current = path;
  const reload = useCallback(async () => {
    try {
      cacheAnswer(path, await getText(path));
      failed.current = null;
    } catch (error) {
      failed.current = { path, message: describeError(error) };
    }
    if (current.current === path) draw((count) => count + 1);
  }, [path]);
  useEffect(() => {
    void reload();
    return everyMs > 0 ? runEvery(everyMs, () => void reload()) : undefined;
  }, [reload, everyMs]);
  const text = answers.get(path);
  const parsed = useRef<{ readonly text: string; readonly data: Data } | null>(null);
  if (text !== undefined && parsed.current?.text !== text) parsed.current = { text, data: JSON.parse(text) };
  const error = failed.current?.path === path ? failed.current.message : null;
  const data = text === undefined ? undefined : parsed.current?.data;
  return { data, error, isLoading: data === undefined && error === null, reload };
}

export interface Pages<Row> extends Resource<readonly Row[]> {
  /** Fetches the next page. Null if there is none. */
  readonly more: (() => Promise<void>) | null;
  readonly isAddingMore: boolean;
}

/** Fetches a list page by page; the first page is refreshed every `everyMs`. */
export function usePages<Row>(path: string, query: Query = {}, everyMs = 0): Pages<Row> {
  const first = withQuery(path, query);
  const resource = useResource<Listed<Row>>(first, everyMs);
  const [added, setAdded] = useState<{ readonly of: string; readonly pages: readonly Listed<Row>[] }>({
    of: first,
    pages: [],
  });
  const [isAddingMore, setAdding] = useState(false);
  const pages = added.of === first ? added.pages : [];
  const next = (pages.at(-1) ?? resource.data)?.next ?? null;
  const more = async () => {
    if (next === null || isAddingMore) return;
    setAdding(true);
    try {
      const page: Listed<Row> = JSON.parse(await getText(withQuery(path, { ...query, after: next })));
      setAdded({ of: first, pages: [...pages, page] });
    } finally {
      setAdding(false);
    }
  };
  const data = resource.data && [...resource.data.data, ...pages.flatMap((page) => page.data)];
  return { ...resource, data, more: next === null ? null : more, isAddingMore };
}
