// Proves the gateway to providers that take no plain secret: a call's own signature, or a token.
import type { AwsProof, Credential, Proof } from "../../core/settings.ts";
import { signRequest } from "./sigv4.ts";

/** A call as it leaves: with the very text that is sent, since signatures cover it. */
export interface ProvenCall {
  readonly url: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for a form. */
  readonly body: string;
}

/** Returns the headers that prove the call, to be added to it. Throws a Fault where there is no proof to be had. */
export type Authorize = (
  proof: Proof,
  call: ProvenCall,
  nowMs: number,
) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;

export function createAuthorize(): Authorize {
  return (proof, call, nowMs) => {
    switch (proof.kind) {
      case "aws":
        return signAws(proof, call, nowMs);
    }
  };
}

/** The name of Bedrock's runtime in signatures. */
const SERVICE = "bedrock";

export function signAws(proof: AwsProof, call: ProvenCall, nowMs: number): Record<string, string> {
  const { host, pathname, search } = new URL(call.url);
  const { headers, body } = call;
  const request = { method: "POST", host, path: pathname, query: search.slice(1), headers, body };
  return signRequest(request, { proof, service: SERVICE, nowMs });
}

/** The words of a credential that no message to a client may hold. */
export function listSecrets({ secret, proof }: Credential): readonly string[] {
  const own = secret === null ? [] : [secret];
  return proof === undefined ? own : [...own, ...listProofSecrets(proof)];
}

function listProofSecrets(proof: Proof): readonly string[] {
  switch (proof.kind) {
    case "aws":
      return [proof.accessKeyId, proof.secretAccessKey, proof.sessionToken ?? ""];
  }
}
