// The address of AWS's Security Token Service, and the name under which the gateway takes a role.
import { parseBaseUrl } from "../units.ts";
import { SESSION_NAME } from "./aws-names.ts";
import { type PlatformContext, readVariable } from "./platform.ts";

const SESSION_VARIABLE = "AWS_ROLE_SESSION_NAME";
const SESSION = "poundkey";
/** The variables by which AWS's SDKs are led elsewhere (AWS SDKs, "Service-specific endpoints"). */
const URL_VARIABLES = ["AWS_ENDPOINT_URL_STS", "AWS_ENDPOINT_URL"] as const;

type StsContext = Pick<PlatformContext, "env" | "issues">;

export function findStsUrl({ env, issues }: StsContext, region: string): string {
  const variable = URL_VARIABLES.find((name) => readVariable(env, name) !== "");
  if (variable === undefined) return `https://sts.${region}.${findAwsDomain(region)}/`;
  const url = parseBaseUrl(readVariable(env, variable));
  if (url === null) issues.atVariable(variable, "expected a URL like https://sts.eu-west-1.amazonaws.com");
  return `${url ?? ""}/`;
}

export function readSessionName({ env, issues }: StsContext): string {
  const name = readVariable(env, SESSION_VARIABLE);
  if (name === "" || SESSION_NAME.test(name)) return name || SESSION;
  issues.atVariable(SESSION_VARIABLE, "expected 2 to 64 letters, digits or characters of _+=,.@-");
  return SESSION;
}

/** Each of AWS's partitions has its own domain. */
export function findAwsDomain(region: string): string {
  if (region.startsWith("cn-")) return "amazonaws.com.cn";
  return region.startsWith("eusc-") ? "amazonaws.eu" : "amazonaws.com";
}
