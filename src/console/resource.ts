// Data of the gateway for the pages: asked for when it is needed, kept so that a page seen before is there at once.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Listed } from "../admin/list.ts";
import { getText, type Query, readMessage, withQuery } from "./api.ts";
import { every } from "./browser.ts";

/** The last answers, as text: what is read from it is always a fresh value. */
const answers = new Map<string, string>();
const ANSWERS_MAX = 200;

function keep(path: string, text: string): void {
  answers.delete(path);
  answers.set(path, text);
  const [oldest] = answers.keys();
  if (answers.size > ANSWERS_MAX && oldest !== undefined) answers.delete(oldest);
}

/** Forgets what was seen, as on signing out. */
export function forgetAnswers(): void {
  answers.clear();
}

export interface Resource<Data> {
  /** undefined: not yet known. */
  readonly data: Data | undefined;
  readonly error: string | null;
  /** The first answer is awaited. */
  readonly isLoading: boolean;
  readonly reload: () => Promise<void>;
}

/** A route's answer; null asks for nothing. Asked again every `everyMs` when that is given. */
export function useResource<Data>(path: string | null, everyMs = 0): Resource<Data> {
  const [, draw] = useState(0);
  const failed = useRef<{ readonly path: string; readonly message: string } | null>(null);
  const current = useRef(path);
  current.current = path;
  const reload = useCallback(async () => {
    if (path === null) return;
    try {
      keep(path, await getText(path));
      failed.current = null;
    } catch (error) {
      failed.current = { path, message: readMessage(error) };
    }
    if (current.current === path) draw((count) => count + 1);
  }, [path]);
  useEffect(() => {
    void reload();
    return everyMs > 0 ? every(everyMs, () => void reload()) : undefined;
  }, [reload, everyMs]);
  const text = path === null ? undefined : answers.get(path);
  const parsed = useRef<{ readonly text: string; readonly data: Data } | null>(null);
  if (text !== undefined && parsed.current?.text !== text) parsed.current = { text, data: JSON.parse(text) };
  const error = failed.current?.path === path ? failed.current.message : null;
  const data = text === undefined ? undefined : parsed.current?.data;
  return { data, error, isLoading: data === undefined && error === null, reload };
}

export interface Pages<Row> extends Resource<readonly Row[]> {
  /** Asks for the next page; null: there is none. */
  readonly more: (() => Promise<void>) | null;
  readonly isAddingMore: boolean;
}

/** A list that grows page by page; its first page is asked again every so often. */
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
