// Requests the keys of a container's role from its agent (AWS SDKs, "Container credential provider").
import { asString } from "../../core/json/json.ts";
import type { AwsContainer, AwsProof } from "../../core/models/token-source.ts";
import {
  type FetchedToken,
  fetchJson,
  LIFETIME_SECONDS_MAX,
  makeCredentialFault,
  makeTokenFault,
  type TokenRequestPorts,
} from "./token-requests.ts";

export type AwsKeys = Pick<AwsProof, "accessKeyId" | "secretAccessKey" | "sessionToken">;

/** Keys are sent in headers. A session token has about a thousand characters. */
const KEY = /^[\x21-\x7e]{1,16384}$/;
const AUTHORIZATION = /^[\x20-\x7e]{1,16384}$/;
const MS = 1000;

/**
 * Fetches keys. Throws the Fault `upstream_auth` if the agent refuses, and `upstream_error` if they can't be obtained.
 */
export async function fetchKeys(
  source: AwsContainer,
  ports: TokenRequestPorts,
  signal: AbortSignal,
): Promise<FetchedToken<AwsKeys>> {
  const authorization = await readAuthorization(source, ports);
  const headers = { accept: "application/json", ...(authorization === null ? {} : { authorization }) };
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = await fetchJson(ports, source.url, {
    headers,
    signal,
  });
  const lifetimeMs = Date.parse(asString(Expiration) ?? "") - ports.clock.nowMs();
  const isWhole = isKey(AccessKeyId) && isKey(SecretAccessKey) && (Token === undefined || isKey(Token));
  if (!isWhole || !(lifetimeMs > 0)) throw makeTokenFault("the answer has no keys");
  return {
    value: { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: Token ?? null },
    lifetimeMs: Math.min(lifetimeMs, LIFETIME_SECONDS_MAX * MS),
  };
}

function isKey(value: unknown): value is string {
  return typeof value === "string" && KEY.test(value);
}

/** The platform replaces the file's content at run time. */
async function readAuthorization(
  { authorization }: AwsContainer,
  ports: TokenRequestPorts,
): Promise<string | null> {
  if (authorization === null) return null;
  if ("value" in authorization) return authorization.value;
  const text = (await ports.readFile(authorization.file).catch(() => "")).trim();
  if (!AUTHORIZATION.test(text)) throw makeCredentialFault("the token file has no token");
  return text;
}
