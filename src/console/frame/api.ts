// Calls to the admin routes: JSON in and out, the gateway's errors, event streams.
import { signal } from "@preact/signals";
import { createParser } from "eventsource-parser";
import { fetchPath } from "../browser.ts";
import { noteDemo } from "./demo.ts";

const ROOT = "/admin/v1";
/** The description of all routes, the only one beside ROOT. */
export const ROUTES = "/openapi.json";
/** The company's identity provider, with which people sign in. Public, like the page. */
export const PROVIDER = "/auth/oidc";

/** Null until the first answer. */
export const signedIn = signal<boolean | null>(null);

export class ApiError extends Error {
  readonly status: number;
  /** The request field that caused the error. Null if unknown. */
  readonly param: string | null;
  /** The error's code. Null if the answer has none. */
  readonly code: string | null;

  constructor(status: number, message: string, { param = null, code = null }: ErrorCause = {}) {
    super(message);
    this.status = status;
    this.param = param;
    this.code = code;
  }
}

type ErrorCause = Partial<Pick<ApiError, "param" | "code">>;

/** Asks whether a change is to be made although nodes of an older program stop by it. Given the gateway's refusal. */
type AskStopping = (refusal: string) => Promise<boolean>;

let askStopping: AskStopping | null = null;

/** Sets what asks. Null for nothing: such changes then fail. */
export function setAskStopping(ask: AskStopping | null): void {
  askStopping = ask;
}

type Method = "GET" | "POST" | "PATCH" | "DELETE";
export type Query = Readonly<Record<string, string | number | null | undefined>>;

/** The look of a whole secret. */
const SECRET = /^[\w-]*(sk|pk)-[\w-]{20,}$/;
const LAST = 4;

/** An address is kept in logs and histories. So of a secret that somebody pastes, only the last four characters go there. */
function hideSecret(text: string): string {
  return SECRET.test(text.trim()) ? text.trim().slice(-LAST) : text;
}

/** Returns a path with the query fields that have a value. */
export function withQuery(path: string, query: Query): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== "") fields.set(name, hideSecret(String(value)));
  }
  const text = fields.toString();
  return text === "" ? path : `${path}?${text}`;
}

let changes = 0;

/** Returns how many changes the gateway has answered. An answer to an earlier request may lack the latest one. */
export function countChanges(): number {
  return changes;
}

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Calls an admin route. Throws an ApiError; a 401 also shows the sign-in page. A change that would stop nodes of an older
 * program is sent once more if the sender lets it through.
 */
export async function callAdmin(
  method: Method,
  path: string,
  body?: unknown,
  init: CallOptions = {},
): Promise<Response> {
  try {
    return await callRoute(method, path, body, init);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === OLDER_NODES)) throw error;
    if (!(await askStopping?.(error.message))) throw error;
    return await callRoute(method, withStop(path), body, init);
  } finally {
    if (method !== "GET") changes++;
  }
}

const OLDER_NODES = "older_nodes";

function withStop(path: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}stop_older=true`;
}

async function callRoute(method: Method, path: string, body: unknown, init: CallOptions): Promise<Response> {
  // A form sets its own content type, which includes its boundary.
  const isJson = body !== undefined && !(body instanceof FormData);
  const response = await fetchPath(path === ROUTES || path === PROVIDER ? path : ROOT + path, {
    method,
    headers: { ...init.headers, ...(isJson ? { "content-type": "application/json" } : {}) },
    ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : body }),
    ...(init.signal ? { signal: init.signal } : {}),
  }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, "Can't reach the gateway.");
  });
  noteDemo(response);
  if (response.ok) return response;
  if (response.status === 401 && path !== "/session") signedIn.value = false;
  throw await readApiError(response);
}

async function readApiError(response: Response): Promise<ApiError> {
  try {
    const { error } = await response.json();
    return new ApiError(response.status, String(error.message), error);
  } catch {
    return new ApiError(response.status, `The gateway answered with status ${response.status}.`);
  }
}

/** Asks with a body, for what may not stand in an address. It changes nothing, so no page asks again after it. */
export async function sendQuestion<Answer>(path: string, body: object, signal: AbortSignal): Promise<Answer> {
  return (await callRoute("POST", path, body, { signal })).json();
}

export async function getText(path: string): Promise<string> {
  return (await callAdmin("GET", path)).text();
}

/** Sends a change and returns the JSON answer. */
export async function sendChange<Answer>(
  method: Method,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
): Promise<Answer> {
  const response = await callAdmin(method, path, body, headers ? { headers } : {});
  const answer: Answer = response.status === 204 ? null : await response.json();
  return answer;
}

/** Returns an error's message for display. */
export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Yields each event's data as it arrives, until the body ends. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const arrived: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => arrived.push(data) });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* arrived.splice(0);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
