// Amazon Bedrock as a provider: its address, from the region, and AWS keys instead of an API key.

import type { AwsProof } from "../../core/models/token-source.ts";
import type { Credential } from "../../core/settings.ts";
import { readContainer } from "./aws-container.ts";
import { type Cloud, makeCredential, type PlatformContext, readVariable } from "./platform.ts";

const REGION_DEFAULT = "us-east-1";
const REGION = /^[a-z]{2,5}(-[a-z]+){1,3}-\d{1,2}$/;
const REGION_VARIABLES = ["AWS_REGION", "AWS_DEFAULT_REGION"] as const;
/** `bedrock-runtime.eu-west-1.amazonaws.com`, with FIPS or without, or an endpoint of a private network. */
const HOST = /\bbedrock-runtime(?:-fips)?\.([a-z0-9-]+)\./;
const BEARER = "AWS_BEARER_TOKEN_BEDROCK";
const KEY_ID = "AWS_ACCESS_KEY_ID";
const KEY_SECRET = "AWS_SECRET_ACCESS_KEY";
const TOKEN = "AWS_SESSION_TOKEN";
const PRINTABLE = /^[\x21-\x7e]+$/;

export const BEDROCK: Cloud = {
  isInEnvironment: ({ env }) => readVariable(env, BEARER) !== "" || hasAwsKeys(env),
  build(context) {
    const { entry, address } = context;
    const region = findRegion(context);
    return {
      baseUrl: address ?? `https://bedrock-runtime.${region}.${findDomain(region)}`,
      credentials: readCredentials(context, region),
      unlistedPrefixes: listOthers(region),
      ...(entry.guardrail === undefined ? {} : { guardrail: entry.guardrail }),
    };
  },
};

/** The words that begin the ids of inference profiles, and the regions that may call those. */
const PROFILES: readonly (readonly [prefix: string, regions: RegExp])[] = [
  ["us.", /^(us|ca)-/],
  ["eu.", /^eu-/],
  ["jp.", /^ap-northeast-/],
  ["au.", /^ap-southeast-/],
  ["apac.", /^ap-/],
];

/** The profiles of other regions, if the region has some of its own. */
function listOthers(region: string): readonly string[] {
  const others = PROFILES.filter(([, regions]) => !regions.test(region)).map(([prefix]) => prefix);
  return others.length < PROFILES.length ? others : [];
}

/** Each of AWS's partitions has its own domain. */
function findDomain(region: string): string {
  if (region.startsWith("cn-")) return "amazonaws.com.cn";
  return region.startsWith("eusc-") ? "amazonaws.eu" : "amazonaws.com";
}

function findRegion({ entry, env, issues }: PlatformContext): string {
  const named = entry.region ?? HOST.exec(entry.base_url ?? "")?.[1];
  if (named !== undefined) return named;
  const variable = REGION_VARIABLES.find((name) => readVariable(env, name) !== "");
  if (variable === undefined) return REGION_DEFAULT;
  const found = readVariable(env, variable);
  if (REGION.test(found)) return found;
  issues.atVariable(variable, "expected a region like us-east-1");
  return REGION_DEFAULT;
}

function readCredentials(context: PlatformContext, region: string): readonly Credential[] {
  const { entry, env, readKeys } = context;
  const { aws, keys } = entry;
  if (aws !== undefined) {
    const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: token } = aws;
    return [
      makeCredential({ kind: "aws", accessKeyId, secretAccessKey, sessionToken: token ?? null, region }),
    ];
  }
  if (keys !== undefined || readVariable(env, BEARER) !== "") return readKeys();
  const proof = hasAwsKeys(env) ? readAwsKeys(context, region) : readContainer(context, region);
  return proof === null ? readKeys() : [makeCredential(proof)];
}

function readAwsKeys(context: PlatformContext, region: string): AwsProof {
  const [accessKeyId = "", secretAccessKey = "", token] = [KEY_ID, KEY_SECRET, TOKEN].map((name) =>
    read(context, name),
  );
  return { kind: "aws", accessKeyId, secretAccessKey, sessionToken: token || null, region };
}

function hasAwsKeys(env: PlatformContext["env"]): boolean {
  return readVariable(env, KEY_ID) !== "" && readVariable(env, KEY_SECRET) !== "";
}

function read({ env, issues }: PlatformContext, variable: string): string {
  const value = readVariable(env, variable);
  if (value !== "" && !PRINTABLE.test(value))
    issues.atVariable(variable, "expected printable characters without spaces");
  return value;
}
