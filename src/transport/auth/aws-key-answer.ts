// The keys of a role in an answer of a container's agent, an instance's metadata or STS.
import { asString, type JsonObject } from "../../core/json/json.ts";
import type { AwsProof } from "../../core/models/token-source.ts";
import { cutLifetime, type FetchedToken, makeTokenFault } from "./token-http.ts";

export type AwsKeys = Pick<AwsProof, "accessKeyId" | "secretAccessKey" | "sessionToken">;

/** Keys are sent in headers. A session token has about a thousand characters. */
const KEY = /^[\x21-\x7e]{1,16384}$/;

/** All three name the fields alike, but for STS's session token. */
export function readKeys(answer: JsonObject, nowMs: number): FetchedToken<AwsKeys> {
  const { AccessKeyId, SecretAccessKey, Expiration } = answer;
  const token = answer.Token ?? answer.SessionToken;
  const lifetimeMs = Date.parse(asString(Expiration) ?? "") - nowMs;
  const isWhole = isKey(AccessKeyId) && isKey(SecretAccessKey) && (token === undefined || isKey(token));
  if (!isWhole || !(lifetimeMs > 0)) throw makeTokenFault("the answer has no keys");
  return {
    value: { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: token ?? null },
    lifetimeMs: cutLifetime(lifetimeMs),
  };
}

function isKey(value: unknown): value is string {
  return typeof value === "string" && KEY.test(value);
}
