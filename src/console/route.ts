// The current page: the part of the address after the #, as a path and a query.
import { signal } from "@preact/signals";
import { type Query, withQuery } from "./api.ts";

interface Place {
  /** Starts with a slash: `/settings/router`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

function placeOf(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#/, "").split("?", 2);
  return { path: path.startsWith("/") ? path : "/", query: new URLSearchParams(query) };
}

export const place = signal<Place>(placeOf(location.hash));

window.addEventListener("hashchange", () => {
  const before = place.value.path;
  place.value = placeOf(location.hash);
  if (before !== place.value.path) window.scrollTo(0, 0);
});

/** Returns the address of a page of the console. */
export function makeAddress(path: string, fields: Query = {}): string {
  return withQuery(`#${path}`, fields);
}

export function go(path: string): void {
  location.hash = makeAddress(path);
}

/** Changes query fields in place, without a new entry in the browser's history. */
export function setFields(fields: Query): void {
  const query = { ...Object.fromEntries(place.value.query), ...fields };
  history.replaceState(null, "", makeAddress(place.value.path, query));
  place.value = placeOf(location.hash);
}
