// Authenticates calls to providers that take no plain secret, by a signature or a token.

import type { AwsKeySource, AwsProof, TokenSource } from "../../core/models/token-source.ts";
import type { Credential, Proof } from "../../core/settings.ts";
import type { AwsKeys } from "./aws-key-answer.ts";
import { fetchKeys } from "./aws-keys.ts";
import { signRequest } from "./sigv4.ts";
import type { TokenRequestPorts } from "./token-http.ts";
import { fetchToken } from "./token-requests.ts";
import { Tokens } from "./tokens.ts";

/** A call with the exact text that is sent, because signatures cover it. */
interface UnauthenticatedCall {
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for a form. */
  readonly body: string | Uint8Array;
}

interface Authentication {
  /** The headers to add to the call. */
  readonly headers: Readonly<Record<string, string>>;
  /** Words that must not appear in messages to clients and are not in the configuration. Missing if there are none. */
  readonly secrets?: readonly string[];
  /**
   * Discards a proof that the provider rejected with 401, so that the next call gets another. Missing if there is no
   * other.
   */
  readonly refuse?: () => void;
}

/** Returns the proof for a call. Throws a Fault if it can't be obtained. */
export type Authorize = (
  proof: Proof,
  call: UnauthenticatedCall,
  nowMs: number,
) => Authentication | Promise<Authentication>;

export function createAuthorize(ports: TokenRequestPorts): Authorize {
  const tokens = new Tokens(fetchToken, ports);
  const keys = new Tokens(fetchKeys, ports);
  return (proof, call, nowMs) => {
    switch (proof.kind) {
      case "aws":
        return { headers: signAws(proof, call, nowMs) };
      case "aws_container":
      case "aws_instance":
      case "aws_web_identity":
      case "aws_assumed_role":
        return signByRole(keys, proof, call, nowMs);
      default:
        return authenticateByToken(tokens, proof);
    }
  };
}

async function authenticateByToken(
  tokens: Tokens<TokenSource, string>,
  source: TokenSource,
): Promise<Authentication> {
  const secret = await tokens.get(source);
  const headers = { authorization: `Bearer ${secret}` };
  return { headers, secrets: [secret], refuse: () => tokens.refuse(source, secret) };
}

async function signByRole(
  keys: Tokens<AwsKeySource, AwsKeys>,
  source: AwsKeySource,
  call: UnauthenticatedCall,
  nowMs: number,
): Promise<Authentication> {
  const own = await keys.get(source);
  const proof: AwsProof = { kind: "aws", ...own, region: source.region };
  return { headers: signAws(proof, call, nowMs), secrets: listProofSecrets(proof) };
}

/** The service name of Bedrock's runtime in signatures. */
const SERVICE = "bedrock";

export function signAws(proof: AwsProof, call: UnauthenticatedCall, nowMs: number): Record<string, string> {
  const { host, pathname, search } = new URL(call.url);
  const { headers, body } = call;
  const request = { method: "POST", host, path: pathname, query: search.slice(1), headers, body };
  return signRequest(request, { proof, service: SERVICE, nowMs });
}

/** The words of a credential that must not appear in messages to clients. */
export function listSecrets({ secret, proof }: Credential): readonly string[] {
  const own = secret === null ? [] : [secret];
  return proof === undefined ? own : [...own, ...listProofSecrets(proof)];
}

function listProofSecrets(proof: Proof): readonly string[] {
  switch (proof.kind) {
    case "aws":
      return [proof.accessKeyId, proof.secretAccessKey, proof.sessionToken ?? ""];
    case "client_credentials":
      return [proof.clientSecret];
    case "refresh_token":
      return [proof.clientSecret, proof.refreshToken];
    case "service_account":
      return [proof.privateKey];
    case "aws_container":
      return proof.authorization !== null && "value" in proof.authorization
        ? [proof.authorization.value]
        : [];
    case "aws_assumed_role":
      return [...listProofSecrets(proof.base), proof.externalId ?? ""];
    case "managed_identity":
      return [proof.header ?? ""];
    case "aws_instance":
    case "aws_web_identity":
    case "federated_application":
    case "metadata":
    case "workload_identity":
      return [];
  }
}
