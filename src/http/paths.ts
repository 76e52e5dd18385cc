// Every path and its methods, registered once: for 404, for 405 with `Allow`, and for the manual's lists of routes.

export const ROUTES: readonly { readonly path: string; readonly methods: readonly string[] }[] = [
  { path: "/v1/models", methods: ["GET"] },
  { path: "/models", methods: ["GET"] },
  { path: "/v1/models/*", methods: ["GET", "POST"] },
  { path: "/models/*", methods: ["GET"] },
  { path: "/v1/chat/completions", methods: ["POST"] },
  { path: "/chat/completions", methods: ["POST"] },
  { path: "/v1/messages", methods: ["POST"] },
  { path: "/v1/v1/messages", methods: ["POST"] },
  { path: "/messages", methods: ["POST"] },
  { path: "/v1/messages/count_tokens", methods: ["POST"] },
  { path: "/v1/responses", methods: ["POST"] },
  { path: "/responses", methods: ["POST"] },
  { path: "/v1/responses/input_tokens", methods: ["POST"] },
  { path: "/v1/completions", methods: ["POST"] },
  { path: "/v1/embeddings", methods: ["POST"] },
  { path: "/embeddings", methods: ["POST"] },
  { path: "/v1/rerank", methods: ["POST"] },
  { path: "/v2/rerank", methods: ["POST"] },
  { path: "/rerank", methods: ["POST"] },
  { path: "/v1/moderations", methods: ["POST"] },
  { path: "/v1/images/generations", methods: ["POST"] },
  { path: "/v1/images/edits", methods: ["POST"] },
  { path: "/v1/audio/speech", methods: ["POST"] },
  { path: "/v1/audio/transcriptions", methods: ["POST"] },
  { path: "/v1/audio/translations", methods: ["POST"] },
  { path: "/v1/responses/:id", methods: ["GET", "DELETE"] },
  { path: "/v1/responses/:id/input_items", methods: ["GET"] },
  { path: "/v1beta/models", methods: ["GET"] },
  { path: "/v1beta/models/*", methods: ["GET", "POST"] },
  { path: "/v1/key", methods: ["GET"] },
  { path: "/v1/route", methods: ["POST"] },
  { path: "/v1/feedback", methods: ["POST"] },
  { path: "/healthz", methods: ["GET"] },
  { path: "/readyz", methods: ["GET"] },
  { path: "/metrics", methods: ["GET"] },
  { path: "/config.schema.json", methods: ["GET"] },
  { path: "/openapi.json", methods: ["GET"] },
  { path: "/docs", methods: ["GET"] },
  { path: "/docs/*", methods: ["GET"] },
  { path: "/llms.txt", methods: ["GET"] },
  { path: "/", methods: ["GET", "HEAD"] },
  { path: "/console/*", methods: ["GET"] },
  { path: "/admin/v1/session", methods: ["POST", "GET", "DELETE"] },
  { path: "/admin/v1/accounts", methods: ["GET", "POST"] },
  { path: "/admin/v1/accounts/:id", methods: ["GET", "PATCH"] },
  { path: "/admin/v1/accounts/:id/topups", methods: ["POST"] },
  { path: "/admin/v1/accounts/:id/journal", methods: ["GET"] },
  { path: "/admin/v1/keys", methods: ["GET", "POST"] },
  { path: "/admin/v1/keys/:id", methods: ["GET", "PATCH", "DELETE"] },
  { path: "/admin/v1/requests", methods: ["GET"] },
  { path: "/admin/v1/requests/live", methods: ["GET"] },
  { path: "/admin/v1/requests/:id", methods: ["GET"] },
  { path: "/admin/v1/overview", methods: ["GET"] },
  { path: "/admin/v1/usage", methods: ["GET"] },
  { path: "/admin/v1/savings", methods: ["GET"] },
  { path: "/admin/v1/playground", methods: ["POST"] },
  { path: "/admin/v1/playground/*", methods: ["POST"] },
  { path: "/admin/v1/models", methods: ["GET"] },
  { path: "/admin/v1/settings", methods: ["GET"] },
  { path: "/admin/v1/learned", methods: ["GET", "DELETE"] },
  { path: "/admin/v1/providers", methods: ["GET"] },
  { path: "/admin/v1/providers/:name", methods: ["POST", "PATCH", "DELETE"] },
  { path: "/admin/v1/providers/:name/test", methods: ["POST"] },
  { path: "/admin/v1/aliases", methods: ["GET", "POST", "PATCH", "DELETE"] },
  { path: "/admin/v1/aliases/:name", methods: ["PATCH", "DELETE"] },
];

const PATTERNS = ROUTES.map(({ path, methods }) => {
  const pattern = path
    .replace(/[.]/g, "\\.")
    .replace(/:[a-z]+/g, "[^/]+")
    .replace(/\*/g, ".+");
  return { pattern: new RegExp(`^${pattern}/?$`), methods };
});

/** The methods that a path takes; none: there is no such path. */
export function allowedMethods(path: string): readonly string[] {
  return PATTERNS.find(({ pattern }) => pattern.test(path))?.methods ?? [];
}

/** The path of a request's URL as it stands there, cut out of the text: a strange Host header can't break it. */
export function findPath(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  if (start === -1) return "/";
  const end = url.indexOf("?", start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}

/** True if the path is the operator's, which a proxy in front may deny to others. */
export function isForOperators(path: string): boolean {
  return /^\/(admin|console|metrics)(\/|$)/.test(path);
}
