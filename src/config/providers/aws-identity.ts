// The keys that sign the calls to Bedrock: the first of those that the configuration or the environment has.
import type { AwsProof, AwsRoleSource } from "../../core/models/token-source.ts";
import type { Credential } from "../../core/settings.ts";
import { readContainer } from "./aws-container.ts";
import { readInstance } from "./aws-instance.ts";
import { findStsUrl, readSessionName } from "./aws-sts.ts";
import { readWebIdentity } from "./aws-web-identity.ts";
import { makeCredential, type PlatformContext, readVariable } from "./platform.ts";
import type { ProviderConfig } from "./provider-schema.ts";

const BEARER = "AWS_BEARER_TOKEN_BEDROCK";
const KEY_ID = "AWS_ACCESS_KEY_ID";
const KEY_SECRET = "AWS_SECRET_ACCESS_KEY";
const TOKEN = "AWS_SESSION_TOKEN";
const PRINTABLE = /^[\x21-\x7e]+$/;

type AwsConfig = NonNullable<ProviderConfig["aws"]>;
type Base = AwsProof | AwsRoleSource;

/** The sources that the configuration may name, with why the environment may have none. */
const NAMED = {
  web_identity: { read: readWebIdentity, needs: "AWS_WEB_IDENTITY_TOKEN_FILE is not set" },
  container: {
    read: readContainer,
    needs: "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI and AWS_CONTAINER_CREDENTIALS_FULL_URI are not set",
  },
  instance: { read: readInstance, needs: "AWS_EC2_METADATA_DISABLED is true" },
} as const;
const NAMES = ["web_identity", "container", "instance"] as const;

export function hasAwsIdentity(env: PlatformContext["env"]): boolean {
  return readVariable(env, BEARER) !== "" || hasKeys(env);
}

export function readAwsCredentials(context: PlatformContext, region: string): readonly Credential[] {
  const { aws, keys } = context.entry;
  if (aws === undefined && (keys !== undefined || readVariable(context.env, BEARER) !== ""))
    return context.readKeys();
  const base = readBase(context, aws ?? {}, region);
  if (base === null) return context.readKeys();
  const role = aws?.assume_role;
  if (role === undefined) return [makeCredential(base)];
  return [
    makeCredential({
      kind: "aws_assumed_role",
      stsUrl: findStsUrl(context, region),
      roleArn: role.arn,
      sessionName: role.session ?? readSessionName(context),
      externalId: role.external_id ?? null,
      base,
      region,
    }),
  ];
}

/** Returns null if there is none, of which the caller says that keys are missing. */
function readBase(context: PlatformContext, aws: AwsConfig, region: string): Base | null {
  const { path, issues, env } = context;
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: token } = aws;
  const named = NAMES.filter((name) => aws[name] === true);
  const hasOwn = accessKeyId !== undefined || secretAccessKey !== undefined || token !== undefined;
  if (named.length + Number(hasOwn) > 1)
    issues.atValue([...path, "aws"], `expected keys or one of ${NAMES.join(", ")}: remove all but one`);
  if (hasOwn) {
    if (accessKeyId === undefined || secretAccessKey === undefined)
      issues.atValue([...path, "aws"], "expected both access_key_id and secret_access_key");
    const own = { accessKeyId: accessKeyId ?? "", secretAccessKey: secretAccessKey ?? "" };
    return { kind: "aws", ...own, sessionToken: token ?? null, region };
  }
  const [name] = named;
  if (name === undefined) return hasKeys(env) ? readKeys(context, region) : findRole(context, region);
  const { read, needs } = NAMED[name];
  const source = read(context, region);
  if (source === null)
    issues.atValue([...path, "aws", name], `there is none here: the environment variable ${needs}`);
  return source ?? { kind: "aws_instance", origin: "", region };
}

/** The order of AWS's SDKs, without programs, sign-in files and their configuration. */
function findRole(context: PlatformContext, region: string): AwsRoleSource | null {
  const { env, issues, path } = context;
  const isHalf = readVariable(env, KEY_ID) !== "" || readVariable(env, KEY_SECRET) !== "";
  // Only a provider that the file names asks the machine who it is.
  if (path.length === 0) return null;
  if (isHalf) {
    const missing = readVariable(env, KEY_ID) === "" ? KEY_ID : KEY_SECRET;
    issues.atVariable(missing, `is not set, though the other of ${KEY_ID} and ${KEY_SECRET} is`);
  }
  return readWebIdentity(context, region) ?? readContainer(context, region) ?? readInstance(context, region);
}

function readKeys(context: PlatformContext, region: string): AwsProof {
  const read = (variable: string) => readPrintable(context, variable);
  return {
    kind: "aws",
    accessKeyId: read(KEY_ID),
    secretAccessKey: read(KEY_SECRET),
    sessionToken: read(TOKEN) || null,
    region,
  };
}

function hasKeys(env: PlatformContext["env"]): boolean {
  return readVariable(env, KEY_ID) !== "" && readVariable(env, KEY_SECRET) !== "";
}

function readPrintable({ env, issues }: PlatformContext, variable: string): string {
  const value = readVariable(env, variable);
  if (value !== "" && !PRINTABLE.test(value))
    issues.atVariable(variable, "expected printable characters without spaces");
  return value;
}
