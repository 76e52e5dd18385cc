// The current page: the part of the address after the #, as a path and a query.
import { signal } from "@preact/signals";
import { isLink, isReturning, reloadPage, setAddress, watchAddress } from "../browser.ts";
import { type Query, withQuery } from "./api.ts";

interface PageRoute {
  /** Starts with a slash: `/settings/router`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

function parseRoute(hash: string): PageRoute {
  const [path = "", query = ""] = hash.replace(/^#/, "").split("?", 2);
  return { path: path.startsWith("/") ? path : "/", query: new URLSearchParams(query) };
}

export const route = signal<PageRoute>(parseRoute(""));

let visits = 0;

/** Returns how many pages have been opened. A page asks again for what the one before has shown. */
export function countVisits(): number {
  return visits;
}

/** Shows the page of the address from now on. */
export function followAddress(): void {
  route.value = parseRoute(location.hash);
  watchAddress(() => {
    // Opened in a page of the console, which reads it at its start.
    if (isLink()) return reloadPage();
    const next = parseRoute(location.hash);
    const isOther = next.path !== route.value.path;
    if (isOther) visits++;
    route.value = next;
    if (isOther && !isReturning()) window.scrollTo(0, 0);
  });
}

/** Returns the address of a page of the console. */
export function makeHref(path: string, fields: Query = {}): string {
  return withQuery(`#${path}`, fields);
}

export function navigate(path: string, fields: Query = {}): void {
  location.hash = makeHref(path, fields);
}

/** Changes query fields, so that Back undoes the change. `isTyping`: in place, since each key would be a step back. */
export function setQuery(fields: Query, { isTyping = false } = {}): void {
  const query = { ...Object.fromEntries(route.value.query), ...fields };
  setAddress(makeHref(route.value.path, query), !isTyping);
  route.value = parseRoute(location.hash);
}
