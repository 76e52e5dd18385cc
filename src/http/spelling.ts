// A path is served only as it is spelled: Bun resolves `..` and turns `\` into `/` before our code sees a URL, a proxy in front doesn't.
import { Fault } from "../core/fault.ts";
import { allowedMethods, isForOperators, pathOf, ROUTES } from "./paths.ts";

type Answer = (request: Request) => Response | Promise<Response>;

/** Requests whose raw target leads elsewhere than their URL says. */
const misspelled = new WeakSet<Request>();

/** The refusal of a target that is not spelled as the path it is resolved to. */
export function refuseSpelling(request: Request): Fault | null {
  if (!misspelled.has(request)) return null;
  const path = pathOf(request.url);
  const message = `Unknown request URL. Did you mean ${request.method} ${path}? Spell it without '..', '\\' or '//'.`;
  return new Fault("unknown_url", message);
}

/**
 * Routes for Bun's own router, which goes by the raw target. Elysia registers the plain paths there; these are the others:
 * paths with a rest, a trailing slash on key holders' routes, and all that is left. Without them `/x\..\admin/v1/keys`
 * would be served, though a proxy that denies `/admin` lets it through.
 */
export function rawRoutes(answer: Answer): Record<string, Answer> {
  const serve = (isSpelled: (path: string, request: Request) => boolean): Answer => {
    return (request) => {
      if (!isSpelled(pathOf(request.url), request)) misspelled.add(request);
      return answer(request);
    };
  };
  // What the table doesn't know leads nowhere, even if what it is resolved to is a path of ours.
  const routes: Record<string, Answer> = { "/*": serve((path, { method }) => !isServed(path, method)) };
  for (const { path } of ROUTES) {
    const isPlain = !path.includes("*");
    if (isPlain && (path.includes(":") || isForOperators(path) || path === "/")) continue;
    const prefix = isPlain ? `${path}/` : path.slice(0, -1);
    routes[`${prefix}*`] = serve((resolved) => resolved.startsWith(prefix));
  }
  return routes;
}

/** Elysia answers HEAD by the routes for GET. */
function isServed(path: string, method: string): boolean {
  const methods = allowedMethods(path);
  return methods.includes(method) || (method === "HEAD" && isForOperators(path) && methods.includes("GET"));
}

/** The path that was probably meant: without doubled slashes, with one `/v1`; null: none of ours. */
export function nearestPath(path: string): string | null {
  const tidy = path.replace(/[\\/]+/g, "/").replace(/(?<=.)\/$/, "");
  const bare = tidy.replace(/^(\/v1)+(?=\/|$)/, "");
  return [tidy, `/v1${bare}`, bare].find((one) => one !== path && allowedMethods(one).length > 0) ?? null;
}
