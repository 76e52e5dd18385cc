// One request to a server that gives out tokens or keys, and the faults of those that fail.
import { Fault } from "../../core/faults/fault.ts";
import { asNumber, asObject, asString, type JsonObject, parseJson } from "../../core/json/json.ts";
import { DIRECT, type NetworkRules } from "../../core/world/network.ts";
import type { Clock, Deadlines, Fetch } from "../../core/world/world.ts";
import { readShortText } from "../short-text.ts";

export interface TokenRequestPorts {
  readonly clock: Pick<Clock, "nowMs">;
  readonly deadlines: Deadlines;
  readonly fetch: Fetch;
  /** Rejects with the file system's errors. */
  readonly readFile: (path: string) => Promise<string>;
}

/** The requests that lead to one token. */
export interface TokenExchange {
  readonly ports: TokenRequestPorts;
  readonly signal: AbortSignal;
  readonly network?: NetworkRules | undefined;
  /** For a server on the machine's own link, why it may not answer. */
  readonly whySilent?: string;
}

/** The token or keys returned by a request. */
export interface FetchedToken<Value> {
  readonly value: Value;
  /** The time for which it is valid from now. */
  readonly lifetimeMs: number;
}

const ANSWER_BYTES_MAX = 64 * 1024;
/** Tokens are sent in headers. The longest, Entra's, have several thousand characters. */
const TOKEN = /^[\x21-\x7e]{1,16384}$/;
/** Servers may omit `expires_in` (RFC 6749). */
const LIFETIME_SECONDS = 300;
const LIFETIME_SECONDS_MAX = 86_400;
const MS = 1000;
/** Where there is no metadata service, nothing answers at its address. Deadlines are noticed up to 250 ms late. */
const LOCAL_MS = 1700;
/** The code of a refusal, such as `invalid_client` (RFC 6749), `PERMISSION_DENIED` or `AccessDenied`. */
const CODE = /^[A-Za-z][A-Za-z_.]{2,63}$/;
/** Entra's number of a refusal, which its documentation explains. */
const ENTRA_CODE = /^AADSTS\d{1,9}\b/;

interface TokenAnswer {
  readonly status: number;
  readonly text: string;
}

/** Sends a request. Throws `upstream_error` if no answer comes. */
export async function fetchAnswer(
  { ports, signal, network, whySilent }: TokenExchange,
  url: string,
  init: RequestInit,
): Promise<TokenAnswer> {
  const connection = whySilent === undefined ? network : DIRECT;
  const sent = { ...init, signal, redirect: "manual", network: connection } as const;
  const response = await ports.fetch(url, sent).catch(() => {
    throw makeTokenFault(whySilent ?? "no connection");
  });
  const text = await readShortText(response, ANSWER_BYTES_MAX).catch(() => {
    throw makeTokenFault("broken off");
  });
  return { status: response.status, text: text ?? "" };
}

/** Returns the answer's JSON. Throws `upstream_auth` if it is refused, and `upstream_error` if it can't be obtained. */
export async function fetchJson(
  exchange: TokenExchange,
  url: string,
  init: RequestInit,
): Promise<JsonObject> {
  const { status, text } = await fetchAnswer(exchange, url, init);
  if (isSuccess(status)) return asObject(parseJson(text));
  throw makeRefusal(status, listCodes(asObject(parseJson(text))));
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** RFC 6749 uses 400 for rejected grants and clients. 408 and 429 say nothing about the credential. */
export function makeRefusal(status: number, codes: readonly string[]): Fault {
  const isRefusal = status >= 400 && status < 500 && status !== 408 && status !== 429;
  const cause = codes.length === 0 ? `status ${status}` : `status ${status} (${codes.join(", ")})`;
  return isRefusal ? makeCredentialFault(cause) : makeTokenFault(cause);
}

/** Returns what an error answer names its reason by. Its sentences aren't read, since they may quote what was sent. */
function listCodes({ error, error_description: description }: JsonObject): readonly string[] {
  const code = asString(error) ?? asString(asObject(error).status) ?? "";
  const [number = ""] = ENTRA_CODE.exec(asString(description) ?? "") ?? [];
  return [code, number].filter((one) => CODE.test(one) || one === number).filter((one) => one !== "");
}

/**
 * Runs requests to a server on the machine's own link, which are never sent by a proxy. `whySilent` is the reason to show
 * if it doesn't answer: most often, the gateway runs somewhere else than its configuration says.
 */
export async function askLocally<Result>(
  exchange: TokenExchange,
  whySilent: string,
  ask: (local: TokenExchange) => Promise<Result>,
): Promise<Result> {
  const { deadlines } = exchange.ports;
  const abort = new AbortController();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const deadline = deadlines.watch(deadlines.nowMs() + LOCAL_MS, {
    late() {
      reject(makeTokenFault(whySilent));
      abort.abort();
    },
  });
  const signal = AbortSignal.any([exchange.signal, abort.signal]);
  try {
    return await Promise.race([ask({ ...exchange, signal, whySilent }), late]);
  } finally {
    deadline.clear();
  }
}

/** Reads a token that the platform keeps in a file. Throws `upstream_auth` if there is none. */
export async function readTokenFile(ports: TokenRequestPorts, path: string): Promise<string> {
  const text = (await ports.readFile(path).catch(() => "")).trim();
  if (!TOKEN.test(text)) throw makeCredentialFault("the token file has no token");
  return text;
}

/** Reads an answer of RFC 6749. */
export function readToken({ access_token: value, expires_in: lifetime }: JsonObject): FetchedToken<string> {
  const seconds = asNumber(typeof lifetime === "string" ? Number(lifetime) : lifetime) ?? LIFETIME_SECONDS;
  if (typeof value !== "string" || !TOKEN.test(value) || !(seconds > 0))
    throw makeTokenFault("the answer has no token");
  return { value, lifetimeMs: cutLifetime(seconds * MS) };
}

/** No token is kept longer than a day, whatever its server says. */
export function cutLifetime(lifetimeMs: number): number {
  return Math.min(lifetimeMs, LIFETIME_SECONDS_MAX * MS);
}

export function makeCredentialFault(cause: string): Fault {
  const message = "The provider refused the gateway's key, or its quota is used up.";
  return new Fault("upstream_auth", message, { cause: `token: ${cause}` });
}

export function makeTokenFault(cause: string): Fault {
  return new Fault("upstream_error", "The provider failed to answer.", { cause: `token: ${cause}` });
}
