// The port between the providers of the configuration and the clouds among them, and which fields belong to which cloud.
import type { DialectName, Guardrail } from "../core/dialect.ts";
import type { Credential, PlatformName } from "../core/settings.ts";
import type { Issue, Path } from "./errors.ts";
import type { Outside } from "./interpolate.ts";
import type { ProviderConfig } from "./provider-schema.ts";

export interface PlatformContext extends Outside {
  readonly name: string;
  /** The provider's place in the file; empty: the environment alone says that it is on. */
  readonly path: Path;
  readonly entry: ProviderConfig;
  readonly issues: Issue[];
  /** Returns the credentials that `keys`, or else the provider's variables, hold. */
  readonly readKeys: () => readonly Credential[];
}

/** The part of a provider's setup that its platform decides. */
export interface PlatformSetup {
  /** Empty: an issue says why there is none. */
  readonly baseUrl: string;
  readonly credentials: readonly Credential[];
  readonly apiVersion?: string;
  readonly unspoken?: readonly string[];
  readonly dialects?: readonly DialectName[];
  readonly listsOwnOnly?: boolean;
  readonly unlistedPrefixes?: readonly string[];
  readonly guardrail?: Guardrail;
}

const OWNERS = {
  resource: "azure",
  api: "azure",
  entra: "azure",
  region: "bedrock",
  aws: "bedrock",
  guardrail: "bedrock",
  project: "vertex",
  location: "vertex",
  service_account: "vertex",
} as const satisfies Readonly<Partial<Record<keyof ProviderConfig, PlatformName>>>;
const PLATFORM_FIELD_NAMES = [
  ...(["resource", "api", "entra"] as const),
  ...(["region", "aws", "guardrail"] as const),
  ...(["project", "location", "service_account"] as const),
];

/** Reports the fields that have no effect on this provider. */
export function checkPlatformFields(
  { name, path, entry, issues }: Pick<PlatformContext, "name" | "path" | "entry" | "issues">,
  platform: PlatformName | undefined,
): void {
  const wrong = (field: string, message: string) =>
    issues.push({ path: [...path, field], at: "key", message });
  for (const field of PLATFORM_FIELD_NAMES) {
    const owner = OWNERS[field];
    if (entry[field] === undefined || owner === platform) continue;
    wrong(field, `has no effect: it is a field of the platform ${owner}, and ${name} is not on it`);
  }
  // The dialect of a server with Bedrock's API is the platform itself.
  const isItself = platform === "bedrock" && entry.dialect === "bedrock";
  if (platform !== undefined && entry.dialect !== undefined && !isItself)
    wrong("dialect", `has no effect: ${name} serves models in several, so a model says its own`);
}

/** Returns a variable's value, or "" if it isn't set. */
export function readVariable(env: Outside["env"], name: string): string {
  return env(name)?.trim() ?? "";
}
