// Calls to the admin routes: JSON in and out, errors in the house form, streams of events.
import { signal } from "@preact/signals";
import { remember, remembered, send } from "./browser.ts";

const ROOT = "/admin/v1";

/** Unknown until the first answer. */
export const signedIn = signal<boolean | null>(null);

export class ApiError extends Error {
  readonly status: number;
  /** The field of the request that it is about. */
  readonly param: string | null;

  constructor(status: number, message: string, param: string | null = null) {
    super(message);
    this.status = status;
    this.param = param;
  }
}

type Method = "GET" | "POST" | "PATCH" | "DELETE";
export type Query = Readonly<Record<string, string | number | null | undefined>>;

/** A path with the fields of a query that have a value. */
export function withQuery(path: string, query: Query): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== "") fields.set(name, String(value));
  }
  const text = fields.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** The answer to an admin route. Throws ApiError; a 401 also shows the sign-in. */
export async function call(
  method: Method,
  path: string,
  body?: unknown,
  init: { readonly signal?: AbortSignal; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  // A form brings its own type, which names its boundary.
  const isJson = body !== undefined && !(body instanceof FormData);
  const response = await send(ROOT + path, {
    method,
    headers: { ...init.headers, ...(isJson ? { "content-type": "application/json" } : {}) },
    ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : body }),
    ...(init.signal ? { signal: init.signal } : {}),
  }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, "The gateway can't be reached.");
  });
  if (response.ok) return response;
  if (response.status === 401 && path !== "/session") signedIn.value = false;
  throw await errorOf(response);
}

async function errorOf(response: Response): Promise<ApiError> {
  try {
    const { error } = await response.json();
    return new ApiError(response.status, String(error.message), error.param);
  } catch {
    return new ApiError(response.status, `The gateway answered ${response.status}.`);
  }
}

export async function getText(path: string): Promise<string> {
  return (await call("GET", path)).text();
}

/** The JSON that a route answers a change with. */
export async function change<Answer>(
  method: Method,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
): Promise<Answer> {
  const response = await call(method, path, body, headers ? { headers } : {});
  const answer: Answer = response.status === 204 ? null : await response.json();
  return answer;
}

/** The failure in words for the page's reader. */
export function readMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** That this browser was signed in: one that never was need not ask. */
const WAS_SIGNED_IN = "signed-in";

export async function checkSession(): Promise<void> {
  if (remembered(WAS_SIGNED_IN) !== "yes") {
    signedIn.value = false;
    return;
  }
  try {
    await call("GET", "/session");
    signedIn.value = true;
  } catch (error) {
    signedIn.value = false;
    if (!(error instanceof ApiError && error.status === 401)) throw error;
  }
}

export async function signIn(token: string): Promise<void> {
  await call("POST", "/session", { token });
  remember(WAS_SIGNED_IN, "yes");
  signedIn.value = true;
}

export async function signOut(): Promise<void> {
  await call("DELETE", "/session").catch(() => undefined);
  remember(WAS_SIGNED_IN, "no");
  signedIn.value = false;
}

/** Yields the data of each event as it comes, until the body ends. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      const blocks = rest.split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const data = dataOf(block);
        if (data !== "") yield data;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function dataOf(block: string): string {
  return block
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice("data:".length).replace(/^ /, ""))
    .join("\n");
}
