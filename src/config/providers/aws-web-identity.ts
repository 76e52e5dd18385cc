// The role of a workload that holds another issuer's token, as the variables of EKS name it (AWS SDKs, "Assume role").
import type { AwsWebIdentity } from "../../core/models/token-source.ts";
import { ROLE_ARN } from "./aws-names.ts";
import { findStsUrl, readSessionName } from "./aws-sts.ts";
import { type PlatformContext, readVariable } from "./platform.ts";

const TOKEN_FILE = "AWS_WEB_IDENTITY_TOKEN_FILE";
const ARN = "AWS_ROLE_ARN";

/** Null if the environment names no token. */
export function readWebIdentity(context: PlatformContext, region: string): AwsWebIdentity | null {
  const { env, issues } = context;
  const file = readVariable(env, TOKEN_FILE);
  if (file === "") return null;
  const roleArn = readVariable(env, ARN);
  if (!ROLE_ARN.test(roleArn))
    issues.atVariable(
      ARN,
      `expected a role's ARN, since ${TOKEN_FILE} is set: arn:aws:iam::123456789012:role/name`,
    );
  const sessionName = readSessionName(context);
  return {
    kind: "aws_web_identity",
    stsUrl: findStsUrl(context, region),
    roleArn,
    sessionName,
    file,
    region,
  };
}
