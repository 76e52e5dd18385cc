// Exchanges the token that a cluster gives its workload for a role's keys, as on EKS with roles for service accounts.
import type { AwsWebIdentity } from "../../core/models/token-source.ts";
import type { AwsKeys } from "./aws-key-answer.ts";
import { callSts } from "./sts.ts";
import { type FetchedToken, readTokenFile, type TokenExchange } from "./token-http.ts";

export async function fetchWebIdentityKeys(
  { stsUrl, roleArn, sessionName, file }: AwsWebIdentity,
  exchange: TokenExchange,
): Promise<FetchedToken<AwsKeys>> {
  const fields = {
    RoleArn: roleArn,
    RoleSessionName: sessionName,
    WebIdentityToken: await readTokenFile(exchange.ports, file),
  };
  return callSts({ url: stsUrl, action: "AssumeRoleWithWebIdentity", fields }, exchange);
}
