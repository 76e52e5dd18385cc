// Takes another role, often in another account, with the keys of the one that the gateway has.
import type { AwsAssumedRole } from "../../core/models/token-source.ts";
import type { AwsKeys } from "./aws-key-answer.ts";
import { signRequest } from "./sigv4.ts";
import { callSts } from "./sts.ts";
import type { FetchedToken, TokenExchange } from "./token-http.ts";

const SERVICE = "sts";

/** The keys are good for an hour, STS's default and the most for a role that is taken with another's keys. */
export async function assumeRole(
  { stsUrl, roleArn, sessionName, externalId, region }: AwsAssumedRole,
  own: AwsKeys,
  exchange: TokenExchange,
): Promise<FetchedToken<AwsKeys>> {
  const { host, pathname } = new URL(stsUrl);
  const { accessKeyId, secretAccessKey, sessionToken } = own;
  const proof = { kind: "aws", accessKeyId, secretAccessKey, sessionToken, region } as const;
  const fields = {
    RoleArn: roleArn,
    RoleSessionName: sessionName,
    ...(externalId === null ? {} : { ExternalId: externalId }),
  };
  const sign = (body: string, headers: Readonly<Record<string, string>>) =>
    signRequest(
      { method: "POST", host, path: pathname, query: "", headers, body },
      { proof, service: SERVICE, nowMs: exchange.ports.clock.nowMs() },
    );
  return callSts({ url: stsUrl, action: "AssumeRole", fields, sign }, exchange);
}
