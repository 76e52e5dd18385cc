// Requests an access token, from each kind of source, and turns failures into faults.
import { createSign } from "node:crypto";
import { asObject, asString, parseJson } from "../../core/json/json.ts";
import type {
  MetadataServer,
  ServiceAccount,
  TokenSource,
  WorkloadIdentity,
} from "../../core/models/token-source.ts";
import { fetchFederated } from "./entra-federated.ts";
import { fetchManaged } from "./managed-identity.ts";
import {
  askLocally,
  type FetchedToken,
  fetchJson,
  makeCredentialFault,
  readToken,
  type TokenExchange,
  type TokenRequestPorts,
} from "./token-http.ts";

const GOOGLE_SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const JWT_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const EXCHANGE_GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:access_token";
const JWT_SECONDS = 3600;
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
  const network = "network" in source ? source.network : undefined;
  const exchange = { ports, signal, network };
  switch (source.kind) {
    case "client_credentials":
      return requestToken(exchange, source.tokenUrl, {
        grant_type: "client_credentials",
        client_id: source.clientId,
        client_secret: source.clientSecret,
        ...(source.scope === undefined ? {} : { scope: source.scope }),
        ...(source.resource === undefined ? {} : { resource: source.resource }),
      });
    case "service_account":
      return requestToken(exchange, source.tokenUrl, {
        grant_type: JWT_GRANT,
        assertion: signAssertion(source, ports.clock.nowMs()),
      });
    case "refresh_token":
      return requestToken(exchange, source.tokenUrl, {
        grant_type: "refresh_token",
        client_id: source.clientId,
        client_secret: source.clientSecret,
        refresh_token: source.refreshToken,
      });
    case "metadata":
      return readMetadata(source, exchange);
    case "workload_identity":
      return exchangeToken(source, exchange);
    case "federated_application":
      return fetchFederated(source, exchange);
    case "managed_identity":
      return fetchManaged(source, exchange);
  }
}

async function requestToken(
  exchange: TokenExchange,
  url: string,
  fields: Readonly<Record<string, string>>,
): Promise<FetchedToken<string>> {
  return readToken(await fetchJson(exchange, url, { method: "POST", body: new URLSearchParams(fields) }));
}

const WHY_SILENT =
  "Google's metadata server doesn't answer: does the gateway run in Google's cloud, with a service account?";

async function readMetadata({ url }: MetadataServer, exchange: TokenExchange): Promise<FetchedToken<string>> {
  const headers = { "metadata-flavor": "Google" };
  return readToken(await askLocally(exchange, WHY_SILENT, (local) => fetchJson(local, url, { headers })));
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
  exchange: TokenExchange,
): Promise<FetchedToken<string>> {
  const { ports } = exchange;
  const token = await requestToken(exchange, source.tokenUrl, {
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
  const answer = await fetchJson(exchange, source.impersonationUrl, { method: "POST", headers, body });
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
