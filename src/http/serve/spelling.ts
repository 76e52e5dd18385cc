// Serves a path only as spelled, since proxies match the raw path, but Bun resolves `..` and turns `\` into `/`.
import { Fault } from "../../core/faults/fault.ts";
import { asObject } from "../../core/json/json.ts";
import { findPath, isForOperators, type KnownPaths } from "./paths.ts";
import { suggestPath } from "./unknown-url.ts";

type RequestHandler = (request: Request) => Response | Promise<Response>;

/** The longest paths are those of model ids with slashes. A longer target matches no route. */
const SEGMENTS_MAX = 16;

/** Requests whose raw target differs from the path in their URL, although no single segment shows it. */
const misspelled = new WeakSet<Request>();

/** Returns the Fault for a target that isn't spelled like the path it resolves to. Null if it is. */
export function refuseSpelling(request: Request, listPaths: () => KnownPaths): Fault | null {
  if (!misspelled.has(request) && listSegments(request).every(isPlain)) return null;
  const path = findPath(request.url);
  if (isForOperators(path)) return new Fault("unknown_url", "Unknown request URL.");
  const message = `Unknown request URL.${suggestPath(path, listPaths())} Spell it without '.', '..', '\\' or '//'.`;
  return new Fault("unknown_url", message);
}

/** Returns the decoded segments of the raw target, as Bun's router matched them with its pattern. */
function listSegments(request: Request): readonly unknown[] {
  return "params" in request ? Object.values(asObject(request.params)) : [];
}

function isPlain(segment: unknown): boolean {
  return typeof segment === "string" && segment !== "." && segment !== ".." && !segment.includes("\\");
}

/**
 * Routes for Bun's own router, which matches the raw target and is the only place that shows it. Elysia registers its
 * plain paths there; all other targets match these patterns of bare segments. So `/x\..\admin/v1/keys` is judged by its
 * raw segments and not by the path in its URL, which a proxy that blocks `/admin` would not have seen.
 */
export function rawRoutes(answer: RequestHandler): Record<string, RequestHandler> {
  const routes: Record<string, RequestHandler> = { "/*": answerIf(answer, ({ path }) => path === "/") };
  let pattern = "";
  for (let count = 1; count <= SEGMENTS_MAX; count++) {
    pattern += `/:segment${count}`;
    routes[pattern] = answerIf(answer, ({ resolved }) => resolved.length === count);
    // Segments can't be empty, so these match a trailing slash. Anything else they match resolves to another length.
    routes[`${pattern}/*`] = answerIf(
      answer,
      ({ path, resolved }) =>
        resolved.length === count + 1 && resolved[count] === "" && !isForOperators(path),
    );
  }
  return routes;
}

interface RouteTarget {
  readonly path: string;
  /** The segments of `path`. */
  readonly resolved: readonly string[];
}

function answerIf(answer: RequestHandler, isSpelled: (target: RouteTarget) => boolean): RequestHandler {
  return (request) => {
    const path = findPath(request.url);
    if (!isSpelled({ path, resolved: path.slice(1).split("/") })) misspelled.add(request);
    return answer(request);
  };
}
