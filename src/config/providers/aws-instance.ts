// The metadata service of an EC2 instance, as the variables of AWS's SDKs lead to it (AWS SDKs, "IMDS credential provider").
import type { AwsInstance } from "../../core/models/token-source.ts";
import { parseBaseUrl } from "../units.ts";
import { type PlatformContext, readVariable } from "./platform.ts";

const DISABLED = "AWS_EC2_METADATA_DISABLED";
const ENDPOINT = "AWS_EC2_METADATA_SERVICE_ENDPOINT";
const MODE = "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE";
const IPV4 = "http://169.254.169.254";
const IPV6 = "http://[fd00:ec2::254]";

/** Null if the environment forbids it. */
export function readInstance(
  { env, issues }: Pick<PlatformContext, "env" | "issues">,
  region: string,
): AwsInstance | null {
  if (readVariable(env, DISABLED).toLowerCase() === "true") return null;
  const named = readVariable(env, ENDPOINT);
  const origin = named === "" ? chooseOrigin(readVariable(env, MODE)) : parseBaseUrl(named);
  if (origin === null) issues.atVariable(ENDPOINT, `expected a URL like ${IPV4}`);
  return { kind: "aws_instance", origin: origin ?? "", region };
}

function chooseOrigin(mode: string): string {
  return mode.toLowerCase() === "ipv6" ? IPV6 : IPV4;
}
