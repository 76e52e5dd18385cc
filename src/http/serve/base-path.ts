// Serves everything below a path, such as `/llm`, of an address that other programs share: whether the proxy in front strips
// the path or not, requests are answered, and pages, redirects and cookies lead back below it.
import { findPath } from "./paths.ts";

type BunHttpServer = Bun.Server<undefined>;
/** Undefined once the connection has become a WebSocket. */
type MaybeResponse = Response | undefined;
type BasePathHandler = (request: Request, server: BunHttpServer) => MaybeResponse | Promise<MaybeResponse>;
type BasePathRoutes = Readonly<Record<string, BasePathHandler | Readonly<Record<string, BasePathHandler>>>>;

const WELL_KNOWN = "/.well-known/";

/**
 * Returns the routes as they are and below `base`. `answer` answers the other methods of a path. Handlers see the path
 * without the base, so that no other code has to know of it.
 */
export function serveBelow(
  base: string,
  routes: BasePathRoutes,
  answer: BasePathHandler,
): Record<string, BasePathHandler> {
  const all: Record<string, BasePathHandler> = {};
  const handle = (route: BasePathRoutes[string]): BasePathHandler => {
    if (typeof route === "function") return route;
    return (request, server) => (route?.[request.method] ?? answer)(request, server);
  };
  for (const [path, route] of Object.entries(routes)) {
    const own = handle(route);
    const place: BasePathHandler = async (request, server) => {
      stripBase(request, base);
      return placeResponse(await own(request, server), base);
    };
    all[path] = place;
    all[base + path] = place;
  }
  const root: BasePathHandler = async (request, server) => {
    stripBase(request, base);
    return placeResponse(await answer(request, server), base);
  };
  all[base] = root;
  // RFC 8414 and RFC 9728 insert a path behind the name of the document.
  all[`${WELL_KNOWN}:segment1${base}`] = root;
  return all;
}

/** The server itself goes on knowing the request by this object, so it can't be replaced by another. */
function stripBase(request: Request, base: string): void {
  const path = findPath(request.url);
  const own = cutBase(path, base);
  if (own === path) return;
  const at = request.url.indexOf(path, request.url.indexOf("//") + 2);
  const url = request.url.slice(0, at) + own + request.url.slice(at + path.length);
  Object.defineProperty(request, "url", { value: url });
}

function cutBase(path: string, base: string): string {
  if (path === base) return "/";
  if (path.startsWith(`${base}/`)) return path.slice(base.length);
  return path.startsWith(WELL_KNOWN) && path.endsWith(base) ? path.slice(0, -base.length) : path;
}

/** Leads the answer's redirect, cookies and links below the base. */
async function placeResponse(response: MaybeResponse, base: string): Promise<MaybeResponse> {
  if (response === undefined) return undefined;
  const { headers, status } = response;
  const location = headers.get("location");
  if (location !== null) headers.set("location", placePath(location, base));
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) headers.delete("set-cookie");
  for (const cookie of cookies)
    headers.append(
      "set-cookie",
      // Browsers refuse one of that name with any other path than the root.
      cookie.startsWith("__Host-")
        ? cookie
        : cookie.replace(/(?<=; Path=)[^;]*/i, (path) => placePath(path, base)),
    );
  const isPage = headers.get("content-type")?.startsWith("text/html") && !headers.has("content-encoding");
  if (!isPage || response.body === null) return response;
  headers.delete("content-length");
  return new Response(placeHtml(await response.text(), base), { status, headers });
}

/** Idempotent: a path that lies below the base stays as it is. No path of the gateway's own begins like the base. */
function placePath(path: string, base: string): string {
  const isOwn = path.startsWith("/") && !path.startsWith("//");
  return !isOwn || cutBase(path, base) !== path ? path : base + path;
}

const LINK = /(?<=\b(?:href|src|action|data-document)="|content="0; url=)\/[^"]*/g;

export function placeHtml(html: string, base: string): string {
  return html.replace(LINK, (path) => {
    const at = path.search(/[?#]/);
    return at === -1 ? placePath(path, base) : placePath(path.slice(0, at), base) + path.slice(at);
  });
}
