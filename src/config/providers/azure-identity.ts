// The identity that calls Azure instead of a key: an application in Entra, by its secret or a cluster's token, or a managed identity.
import type { Credential, Proof } from "../../core/settings.ts";
import { parseBaseUrl } from "../units.ts";
import { makeCredential, type PlatformContext, readVariable } from "./platform.ts";
import type { ProviderConfig } from "./provider-schema.ts";

const AUTHORITY = "https://login.microsoftonline.com";
/** Azure OpenAI, "Authenticate with Microsoft Entra ID". */
const SCOPE = "https://cognitiveservices.azure.com/.default";
/** The variables of AKS's webhook (Azure Workload Identity, "Mutating admission webhook"). */
const TOKEN_FILE = "AZURE_FEDERATED_TOKEN_FILE";
const TENANT = "AZURE_TENANT_ID";
const CLIENT = "AZURE_CLIENT_ID";
const AUTHORITY_HOST = "AZURE_AUTHORITY_HOST";
/** App Service and Container Apps. */
const ENDPOINT = "IDENTITY_ENDPOINT";
const HEADER = "IDENTITY_HEADER";
/** Azure Arc sets it beside `IDENTITY_ENDPOINT`, and asks for a file that only its own users may read. */
const ARC = "IMDS_ENDPOINT";
const POD_HOST = "AZURE_POD_IDENTITY_AUTHORITY_HOST";
const METADATA = "http://169.254.169.254";
const APP_VERSION = "2019-08-01";
const METADATA_VERSION = "2018-02-01";

type Entra = NonNullable<ProviderConfig["entra"]>;
const NAMES = ["client_secret", "federated_token_file", "managed_identity"] as const;
const OF_APPLICATIONS = ["tenant", "client_id", "authority"] as const;

/** Null if keys are to be used. */
export function readEntra(context: PlatformContext): readonly Credential[] | null {
  const { entry, path, env } = context;
  const { entra, keys } = entry;
  if (entra !== undefined) return [makeCredential(readProof(context, entra))];
  const isFederated = path.length > 0 && keys === undefined && readVariable(env, TOKEN_FILE) !== "";
  return isFederated && !context.hasKey() ? [makeCredential(readApplication(context, {}))] : null;
}

function readProof(context: PlatformContext, entra: Entra): Proof {
  const { path, issues } = context;
  const [name, ...others] = NAMES.filter((one) => entra[one] !== undefined);
  for (const other of others)
    issues.atKey([...path, "entra", other], `can't be combined with ${name}: remove one of the two`);
  if (name === "managed_identity") return readManaged(context, entra);
  return readApplication(context, entra);
}

function readApplication(context: PlatformContext, entra: Entra): Proof {
  const { path, issues, env } = context;
  const { client_secret: clientSecret, scope = SCOPE } = entra;
  const file = entra.federated_token_file ?? readVariable(env, TOKEN_FILE);
  // The variables describe the cluster's application, which may not be the one with a secret.
  const isFederated = clientSecret === undefined;
  const find = (name: "tenant" | "client_id", variable: string): string => {
    const value = entra[name] ?? (isFederated ? readVariable(env, variable) : "");
    const hint = isFederated ? `, and the environment variable ${variable} is not set` : "";
    if (value === "") issues.atValue([...path, "entra"], `has no ${name}${hint}`);
    return value;
  };
  const tenant = find("tenant", TENANT);
  const clientId = find("client_id", CLIENT);
  const named = entra.authority ?? (isFederated ? readVariable(env, AUTHORITY_HOST) : "");
  const tokenUrl = `${parseBaseUrl(named || AUTHORITY) ?? AUTHORITY}/${tenant}/oauth2/v2.0/token`;
  if (clientSecret !== undefined)
    return { kind: "client_credentials", tokenUrl, clientId, clientSecret, scope };
  if (file === "") issues.atValue([...path, "entra"], `expected one of ${NAMES.join(", ")}`);
  return { kind: "federated_application", tokenUrl, clientId, file, scope };
}

function readManaged(context: PlatformContext, entra: Entra): Proof {
  const { env, path, issues } = context;
  for (const field of OF_APPLICATIONS.filter((one) => entra[one] !== undefined))
    issues.atKey([...path, "entra", field], "has no effect beside managed_identity");
  const resource = (entra.scope ?? SCOPE).replace(/\/\.default$/, "");
  const one: Readonly<Record<string, string>> =
    typeof entra.managed_identity === "object" ? { client_id: entra.managed_identity.client_id } : {};
  const endpoint = readVariable(env, ENDPOINT);
  if (endpoint !== "" && readVariable(env, ARC) !== "")
    issues.atKey([...path, "entra", "managed_identity"], "Azure Arc isn't supported: use client_secret");
  if (endpoint === "") {
    const host = parseBaseUrl(readVariable(env, POD_HOST) || METADATA);
    if (host === null) issues.atVariable(POD_HOST, `expected a URL like ${METADATA}`);
    const query = new URLSearchParams({ "api-version": METADATA_VERSION, resource, ...one });
    return {
      kind: "managed_identity",
      url: `${host ?? ""}/metadata/identity/oauth2/token?${query}`,
      header: null,
    };
  }
  const url = parseBaseUrl(endpoint);
  if (url === null) issues.atVariable(ENDPOINT, "expected a URL like http://127.0.0.1:41741/msi/token");
  const header = readVariable(env, HEADER);
  if (!/^[\x21-\x7e]+$/.test(header))
    issues.atVariable(HEADER, `expected the secret that Azure sets beside ${ENDPOINT}`);
  const query = new URLSearchParams({ "api-version": APP_VERSION, resource, ...one });
  return { kind: "managed_identity", url: `${url ?? ""}?${query}`, header };
}
