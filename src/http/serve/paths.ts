// The registered paths and their methods, for 404 and for 405 with `Allow`; and the path of a URL.
import { asObject } from "../../core/json/json.ts";

/** The parts of an Elysia route that are used. */
export interface RegisteredRoute {
  readonly method: string;
  readonly path: string;
  readonly hooks: unknown;
}

/** False for routes that only refuse requests. */
export function isShown({ hooks }: RegisteredRoute): boolean {
  return asObject(asObject(hooks).detail).hide !== true;
}

export interface KnownPaths {
  /** Returns the methods of a path. Empty if there is no such path. */
  findMethods(path: string): readonly string[];
  /** The clients' paths that have no parameters. */
  readonly plain: readonly string[];
  /** The same of the operator's paths. */
  readonly operators: readonly string[];
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

export function indexPaths(routes: readonly RegisteredRoute[]): KnownPaths {
  // As in the router, a path with a wildcard serves what no other does.
  const ordered = routes.filter(isShown).toSorted((one, other) => rankPath(one) - rankPath(other));
  const byPath = Map.groupBy(ordered, ({ path }) => path);
  const patterns = [...byPath].map(([path, own]) => {
    const methods = METHODS.filter((method) => own.some((route) => route.method === method));
    return { pattern: toPattern(path), methods };
  });
  const plain = [...byPath.keys()].filter((path) => !/[:*]/.test(path));
  return {
    findMethods: (path) => patterns.find(({ pattern }) => pattern.test(path))?.methods ?? [],
    plain: plain.filter((path) => !isForOperators(path)),
    operators: plain.filter(isForOperators),
  };
}

function rankPath({ path }: RegisteredRoute): number {
  return path.includes("*") ? 1 : 0;
}

function toPattern(path: string): RegExp {
  const pattern = path
    .replace(/[.]/g, "\\.")
    .replace(/:[a-z]+/g, "[^/]+")
    .replace(/\*/g, ".+");
  return new RegExp(`^${pattern}/?$`);
}

/** True if a route's path, perhaps with parameters and a wildcard, is that of a request. */
export function matchesPath(route: string, path: string): boolean {
  return toPattern(route).test(path);
}

/** Returns the path of a request's URL, unchanged. It is cut from the text, so that no odd Host header can break it. */
export function findPath(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  if (start === -1) return "/";
  const end = url.indexOf("?", start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}

/** True if only the operator uses the path, so that a proxy in front may block it. */
export function isForOperators(path: string): boolean {
  return /^\/(admin|console|metrics)(\/|$)/.test(path);
}
