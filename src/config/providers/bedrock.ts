// Amazon Bedrock as a provider: its address, from the region, and AWS keys instead of an API key.

import { hasAwsIdentity, readAwsCredentials } from "./aws-identity.ts";
import { findAwsDomain } from "./aws-sts.ts";
import { type Cloud, type PlatformContext, readVariable } from "./platform.ts";

const REGION_DEFAULT = "us-east-1";
const REGION = /^[a-z]{2,5}(-[a-z]+){1,3}-\d{1,2}$/;
const REGION_VARIABLES = ["AWS_REGION", "AWS_DEFAULT_REGION"] as const;
/** `bedrock-runtime.eu-west-1.amazonaws.com`, with FIPS or without, or an endpoint of a private network. */
const HOST = /\bbedrock-runtime(?:-fips)?\.([a-z0-9-]+)\./;

export const BEDROCK: Cloud = {
  isInEnvironment: ({ env }) => hasAwsIdentity(env),
  build(context) {
    const { entry, address } = context;
    const region = findRegion(context);
    return {
      baseUrl: address ?? `https://bedrock-runtime.${region}.${findAwsDomain(region)}`,
      credentials: readAwsCredentials(context, region),
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
