// The port between the providers of the configuration and the clouds among them, and which fields belong to which cloud.
import type { Credential, PlatformName, Proof, ProviderSetup } from "../../core/settings.ts";
import type { Issues, Path } from "../errors.ts";
import type { Environment } from "../interpolate.ts";
import type { ProviderConfig } from "./provider-schema.ts";

export interface PlatformContext extends Environment {
  readonly name: string;
  /** The provider's place in the file. Empty if only the environment enables it. */
  readonly path: Path;
  readonly entry: ProviderConfig;
  /** The address in the file. Null if there is none. */
  readonly address: string | null;
  readonly issues: Issues;
  /** Returns the credentials that `keys`, or else the provider's variables, hold. */
  readonly readKeys: () => readonly Credential[];
  /** True if one of the provider's variables holds a key. */
  readonly hasKey: () => boolean;
}

type PlatformField =
  | "baseUrl"
  | "credentials"
  | "apiVersion"
  | "redactedWords"
  | "dialects"
  | "listsConfiguredOnly";

/** The part of a provider's setup that its platform decides. If there is no base URL, it is empty and an issue says why. */
export type PlatformSetup = Pick<ProviderSetup, PlatformField | "unlistedPrefixes" | "guardrail">;

/** A cloud: a provider whose address and credentials are a customer's own. */
export interface Cloud {
  /** True if the environment is enough to call it. `hasKey` is true if one of the provider's key variables is set. */
  isInEnvironment(environment: Environment, hasKey: boolean): boolean;
  build(context: PlatformContext): PlatformSetup;
}

const FIELDS: Readonly<Record<PlatformName, readonly (keyof ProviderConfig)[]>> = {
  azure: ["resource", "api", "entra"],
  bedrock: ["region", "aws", "guardrail"],
  vertex: ["project", "location", "service_account", "workload_identity"],
};
/** The fields that prove who calls otherwise than by keys. */
const PROOFS = {
  azure: ["entra"],
  bedrock: ["aws"],
  vertex: ["service_account", "workload_identity"],
} as const satisfies Readonly<Record<PlatformName, readonly (keyof ProviderConfig)[]>>;

/** Reports the fields that have no effect on this provider, or none beside its others. */
export function checkPlatformFields(
  { name, path, entry, issues }: Pick<PlatformContext, "name" | "path" | "entry" | "issues">,
  platform: PlatformName | undefined,
): void {
  for (const [owner, fields] of Object.entries(FIELDS)) {
    for (const field of owner === platform ? [] : fields.filter((one) => entry[one] !== undefined)) {
      const message = `has no effect: it only applies to the platform ${owner}, which ${name} is not on`;
      issues.atKey([...path, field], message);
    }
  }
  const proofs = platform === undefined ? [] : PROOFS[platform].filter((one) => entry[one] !== undefined);
  for (const proof of entry.keys === undefined ? proofs.slice(1) : proofs) {
    const other = entry.keys === undefined ? proofs[0] : "keys";
    issues.atKey([...path, proof], `can't be combined with ${other}: remove one of the two`);
  }
  // The dialect of a server with Bedrock's API is the platform itself.
  const isItself = platform === "bedrock" && entry.dialect === "bedrock";
  if (platform === undefined || entry.dialect === undefined || isItself) return;
  const message = `has no effect: ${name} serves models in several dialects, so set it for each model`;
  issues.atKey([...path, "dialect"], message);
}

/** Makes a credential that isn't a plain secret. */
export function makeCredential(proof: Proof): Credential {
  return { secret: null, proof, weight: 1 };
}

/** Returns a variable's value, or "" if it isn't set. */
export function readVariable(env: Environment["env"], name: string): string {
  return env(name)?.trim() ?? "";
}
