// Requests an access token, from each kind of source, and turns failures into faults.
import { createSign } from "node:crypto";
import { Fault } from "../../core/fault.ts";
import { asNumber, asObject, asString, type JsonObject, parseJson } from "../../core/json/json.ts";
import type { ServiceAccount, TokenSource, WorkloadIdentity } from "../../core/models/token-source.ts";
import type { Clock, Fetch } from "../../core/world/world.ts";
import { readShortText } from "../short-text.ts";

export interface TokenRequestPorts {
  readonly clock: Pick<Clock, "nowMs">;
  readonly fetch: Fetch;
  /** Rejects with the file system's errors. */
  readonly readFile: (path: string) => Promise<string>;
}

/** The token or keys returned by a request. */
export interface FetchedToken<Value> {
  readonly value: Value;
  /** The time for which it is valid from now. */
  readonly lifetimeMs: number;
}

const GOOGLE_SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const JWT_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const EXCHANGE_GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:access_token";
const JWT_SECONDS = 3600;
const ANSWER_BYTES_MAX = 64 * 1024;
/** Tokens are sent in headers. The longest, Entra's, have several thousand characters. */
const TOKEN = /^[\x21-\x7e]{1,16384}$/;
/** Servers may omit `expires_in` (RFC 6749). */
const LIFETIME_SECONDS = 300;
export const LIFETIME_SECONDS_MAX = 86_400;
const MS = 1000;

/**
 * Fetches a token. Throws the Fault `upstream_auth` if the credential is rejected, and `upstream_error` if no token can
 * be obtained. Neither contains an address or anything that was sent.
 */
export async function fetchToken(
  source: TokenSource,
  ports: TokenRequestPorts,
  signal: AbortSignal,
): Promise<FetchedToken<string>> {
  switch (source.kind) {
    case "client_credentials":
      return requestToken(ports, signal, source.tokenUrl, {
        grant_type: "client_credentials",
        client_id: source.clientId,
        client_secret: source.clientSecret,
        scope: source.scope,
      });
    case "service_account":
      return requestToken(ports, signal, source.tokenUrl, {
        grant_type: JWT_GRANT,
        assertion: signAssertion(source, ports.clock.nowMs()),
      });
    case "refresh_token":
      return requestToken(ports, signal, source.tokenUrl, {
        grant_type: "refresh_token",
        client_id: source.clientId,
        client_secret: source.clientSecret,
        refresh_token: source.refreshToken,
      });
    case "metadata":
      return readToken(
        await fetchJson(ports, source.url, { headers: { "metadata-flavor": "Google" }, signal }),
      );
    case "workload_identity":
      return exchangeToken(source, ports, signal);
  }
}

async function requestToken(
  ports: TokenRequestPorts,
  signal: AbortSignal,
  url: string,
  fields: Readonly<Record<string, string>>,
): Promise<FetchedToken<string>> {
  return readToken(
    await fetchJson(ports, url, { method: "POST", body: new URLSearchParams(fields), signal }),
  );
}

/** A service account's signed claim of its identity, valid for an hour (RFC 7523; Google's guide names the claims). */
function signAssertion({ email, keyId, privateKey, tokenUrl }: ServiceAccount, nowMs: number): string {
  const issuedAt = Math.floor(nowMs / MS);
  const header = { alg: "RS256", typ: "JWT", ...(keyId === null ? {} : { kid: keyId }) };
  const times = { iat: issuedAt, exp: issuedAt + JWT_SECONDS };
  const claims = { iss: email, scope: GOOGLE_SCOPE, aud: tokenUrl, ...times };
  const signed = `${encodePart(header)}.${encodePart(claims)}`;
  try {
    const signature = createSign("RSA-SHA256").update(signed).sign(privateKey, "base64url");
    return `${signed}.${signature}`;
  } catch {
    // An error about an unreadable key may quote it.
    throw makeCredentialFault("the private key can't sign");
  }
}

function encodePart(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}

/** Exchanges the workload's own token for Google's, and that for the service account's if one is named (RFC 8693). */
async function exchangeToken(
  source: WorkloadIdentity,
  ports: TokenRequestPorts,
  signal: AbortSignal,
): Promise<FetchedToken<string>> {
  const token = await requestToken(ports, signal, source.tokenUrl, {
    grant_type: EXCHANGE_GRANT,
    audience: source.audience,
    scope: GOOGLE_SCOPE,
    requested_token_type: ACCESS_TOKEN_TYPE,
    subject_token_type: source.subjectTokenType,
    subject_token: await readSubjectToken(source, ports),
  });
  if (source.impersonationUrl === null) return token;
  const headers = { authorization: `Bearer ${token.value}`, "content-type": "application/json" };
  const body = JSON.stringify({ scope: [GOOGLE_SCOPE] });
  const answer = await fetchJson(ports, source.impersonationUrl, { method: "POST", headers, body, signal });
  const until = Date.parse(asString(answer.expireTime) ?? "");
  const seconds = (until - ports.clock.nowMs()) / MS;
  return readToken({ access_token: answer.accessToken, expires_in: seconds });
}

async function readSubjectToken(
  { file, field }: WorkloadIdentity,
  ports: TokenRequestPorts,
): Promise<string> {
  const text = await ports.readFile(file).catch(() => "");
  const token = field === null ? text.trim() : asString(asObject(parseJson(text))[field]);
  if (token === undefined || token === "") throw makeCredentialFault("the token file has no token");
  return token;
}

/** Returns the answer's JSON. Throws the same Faults as `fetchToken`. */
export async function fetchJson(
  ports: TokenRequestPorts,
  url: string,
  init: RequestInit,
): Promise<JsonObject> {
  const response = await ports.fetch(url, { ...init, redirect: "manual" }).catch(() => {
    throw makeTokenFault("no connection");
  });
  const text = await readShortText(response, ANSWER_BYTES_MAX).catch(() => {
    throw makeTokenFault("broken off");
  });
  if (response.ok) return asObject(parseJson(text ?? ""));
  // RFC 6749 uses 400 for rejected grants and clients. 408 and 429 say nothing about the credential.
  const { status } = response;
  const isRefusal = status >= 400 && status < 500 && status !== 408 && status !== 429;
  throw isRefusal ? makeCredentialFault(`status ${status}`) : makeTokenFault(`status ${status}`);
}

function readToken({ access_token: value, expires_in: lifetime }: JsonObject): FetchedToken<string> {
  const seconds = asNumber(typeof lifetime === "string" ? Number(lifetime) : lifetime) ?? LIFETIME_SECONDS;
  if (typeof value !== "string" || !TOKEN.test(value) || !(seconds > 0))
    throw makeTokenFault("the answer has no token");
  return { value, lifetimeMs: Math.min(seconds, LIFETIME_SECONDS_MAX) * MS };
}

export function makeCredentialFault(cause: string): Fault {
  const message = "The provider refused the gateway's key, or its quota is used up.";
  return new Fault("upstream_auth", message, { cause: `token: ${cause}` });
}

export function makeTokenFault(cause: string): Fault {
  return new Fault("upstream_error", "The provider failed to answer.", { cause: `token: ${cause}` });
}
