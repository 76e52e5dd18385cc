// The agent of ECS and EKS that the environment names, which provides the keys of a container's role.
import type { AwsContainer } from "../../core/models/token-source.ts";
import { type PlatformContext, readVariable } from "./platform.ts";

const RELATIVE = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
const FULL = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
const TOKEN = "AWS_CONTAINER_AUTHORIZATION_TOKEN";
const TOKEN_FILE = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE";
/** The agent of ECS. */
const AGENT = "http://169.254.170.2";
/** AWS's SDKs use plain HTTP only for the machine itself and the agents of ECS and EKS. */
const PLAIN_HOST =
  /^(localhost|127(\.\d{1,3}){3}|\[::1\]|169\.254\.170\.2|169\.254\.170\.23|\[fd00:ec2::23\])$/;
/** A token may be two words, as `Basic …`. */
const PRINTABLE = /^[\x20-\x7e]+$/;

type ContainerContext = Pick<PlatformContext, "env" | "issues">;

/** AWS SDKs, "Container credential provider": the variables and their order. Null if the environment names no agent. */
export function readContainer({ env, issues }: ContainerContext, region: string): AwsContainer | null {
  const relative = readVariable(env, RELATIVE);
  const full = readVariable(env, FULL);
  if (relative === "" && full === "") return null;
  const url = relative === "" ? findUrl(full) : findAgentUrl(relative);
  if (url === null && relative !== "")
    issues.atVariable(RELATIVE, "expected a path that starts with a slash");
  else if (url === null)
    issues.atVariable(
      FULL,
      "expected an https:// URL, or an http:// URL of this machine or of AWS's own agents",
    );
  const value = readVariable(env, TOKEN);
  if (value !== "" && !PRINTABLE.test(value)) issues.atVariable(TOKEN, "expected printable characters");
  const file = readVariable(env, TOKEN_FILE);
  const given = value === "" ? null : { value };
  return { kind: "aws_container", url: url ?? "", authorization: file === "" ? given : { file }, region };
}

/** A path that doesn't start with a slash could name another host. */
function findAgentUrl(path: string): string | null {
  return path.startsWith("/") && URL.canParse(AGENT + path) ? AGENT + path : null;
}

function findUrl(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, username, password, href } = new URL(text);
  const isAllowed = protocol === "https:" || (protocol === "http:" && PLAIN_HOST.test(hostname));
  return isAllowed && username === "" && password === "" ? href : null;
}
