// The requests that a demo lets through: all that only read, and a closed list of the rest.

/** `call`: a model is asked with the printed key. `playground`: the same from the console. */
export type Passage =
  | "read"
  | "heavy"
  | "stream"
  | "call"
  | "playground"
  | "sign-in"
  | "sign-out"
  | "who"
  | "socket"
  | "closed";

const SESSION = "/admin/v1/session";
/** News for open pages, as long as they are open. */
const LIVE = "/admin/v1/requests/live";
const PLAYGROUND = "/admin/v1/playground";
/** Tells how people sign in. */
const PROVIDER = "/auth/oidc";
/** The one way to look that isn't open: its values are of the process. */
const PROCESS = /^\/metrics$/;
const TOOLS = /^\/mcp(\/|$)/;
/** A demo's people come by the sign-in page alone. */
const LEAVING = /^\/auth\/oidc\/|^\/device(\/|$)/;
/** Reads that take long: at most two of all visitors run at once. */
const HEAVY = /^\/admin\/v1\/(export|search|statements)(\/|$)|\.csv$/;

/** The paths at which visitors may ask models, each by its first name alone. */
const CALLS: ReadonlySet<string> = new Set([
  "/v1/chat/completions",
  "/v1/messages",
  "/v1/messages/count_tokens",
  "/v1/responses",
  "/v1/responses/input_tokens",
  "/v1/completions",
  "/v1/embeddings",
  "/v1/rerank",
  "/v1/moderations",
]);
const GEMINI_CALL =
  /^\/v1beta\/models\/([^/]+|[^/]+\/[^/]+):(generateContent|streamGenerateContent|countTokens)$/;

/** Returns how a request passes. */
export function findPassage(method: string, path: string, headers: Headers): Passage {
  if (headers.has("upgrade")) return "socket";
  if (CLOSED.some((paths) => paths.test(path))) return "closed";
  return method === "GET" || method === "HEAD" ? findReading(path) : findChange(method, path);
}

const CLOSED = [TOOLS, PROCESS, LEAVING];

function findReading(path: string): Passage {
  if (path === PROVIDER) return "who";
  if (path === LIVE) return "stream";
  return HEAVY.test(path) ? "heavy" : "read";
}

/** All that is let through of what may change something. */
function findChange(method: string, path: string): Passage {
  const listed = OTHERS[`${method} ${path}`];
  if (listed !== undefined) return listed;
  return method === "POST" && (CALLS.has(path) || GEMINI_CALL.test(path)) ? "call" : "closed";
}

const OTHERS: Readonly<Record<string, Passage>> = {
  [`POST ${SESSION}`]: "sign-in",
  [`DELETE ${SESSION}`]: "sign-out",
  [`POST ${PLAYGROUND}`]: "playground",
};

/** Returns the model that a path of Gemini's API names. Null for any other path. */
export function findPathModel(path: string): string | null {
  return GEMINI_CALL.exec(path)?.[1] ?? null;
}
