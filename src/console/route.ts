// The visitor's place: the part of the address behind the #, as a path and a query.
import { signal } from "@preact/signals";
import { type Query, withQuery } from "./api.ts";

interface Place {
  /** Begins with a slash, as `/settings/router`. */
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

/** The address of a page of the console. */
export function makeAddress(path: string, fields: Query = {}): string {
  return withQuery(`#${path}`, fields);
}

export function go(path: string): void {
  location.hash = makeAddress(path);
}

/** Changes fields of the query where one is; the way back stays what it was. */
export function setFields(fields: Query): void {
  const query = { ...Object.fromEntries(place.value.query), ...fields };
  history.replaceState(null, "", makeAddress(place.value.path, query));
  place.value = placeOf(location.hash);
}
