// The server of one of LiteLLM's deployments: its address, cloud and region.
import { asString } from "../../core/json/json.ts";
import { type AwsKeys, type CloudPlace, placeAzure, placeBedrock, placeVertex } from "../clouds.ts";
import type { Report } from "../report.ts";
import { findServerDialect, isProviderAddress, OPERATOR_SERVERS, splitAddress } from "../servers.ts";
import { findReference, readReference, readSecret } from "./references.ts";
import type { ModelRoute } from "./routes.ts";
import type { DeploymentSource } from "./source.ts";

interface DeploymentRoute {
  readonly provider: string;
  readonly routed: ModelRoute;
  /** True if the address is LiteLLM's for all models of a Foundry resource. */
  readonly isFoundry: boolean;
}

interface DeploymentServer {
  readonly placed: CloudPlace;
  /** Undefined for the provider's own address. */
  readonly address: string | undefined;
  /** Azure's deployment, if the address names it. */
  readonly deployment?: string | undefined;
}

/** Returns where the server is: at the provider's own address, or at another, with the fields that say so. */
export function placeServer(
  source: DeploymentSource,
  { provider, routed, isFoundry }: DeploymentRoute,
  report: Report,
): DeploymentServer {
  const read = (name: string) =>
    readReference(source.params.take(name), `${name} of ${source.label}`, report);
  if (provider === "Vertex") {
    const location = read("vertex_location");
    const project = read("vertex_project");
    const service_account = readAccount(source, report);
    return { address: undefined, placed: placeVertex({ location, project, service_account }) };
  }
  const found = readAddress(source, { provider, isFoundry }, report);
  const { address } = found;
  if (provider === "Azure") return placeAtAzure(source, found, isFoundry, report);
  if (provider === "Bedrock") {
    const base_url = address ?? read("aws_bedrock_runtime_endpoint");
    const region = read("aws_region_name") ?? routed.region;
    return { address, placed: placeBedrock({ base_url, region, aws: readAws(source, report) }) };
  }
  if (address === undefined || isProviderAddress(provider, address))
    return { address: undefined, placed: { place: null, isOwn: false, fields: {} } };
  const dialect = findServerDialect(provider);
  const place = address.replace(/\/v1$/, "");
  // The same server in another dialect is another provider.
  const isOther = routed.isResponses && dialect === "openai";
  const isOwn = !isOther && OPERATOR_SERVERS.includes(provider);
  const fields = { base_url: address, dialect: isOther ? "responses" : dialect };
  return { address, placed: { place: isOther ? `${place} responses` : place, isOwn, fields } };
}

function placeAtAzure(
  source: DeploymentSource,
  { address, deployment, version }: DeploymentAddress,
  isFoundry: boolean,
  report: Report,
): DeploymentServer {
  const read = (name: string) =>
    readReference(source.params.take(name), `${name} of ${source.label}`, report);
  // With a Foundry resource, LiteLLM's version is that of another API than the one that is called here.
  const api = version ?? (isFoundry ? undefined : read("api_version"));
  const parts = { base_url: address, api, entra: readEntra(source, read, report) };
  const variable = isFoundry ? "AZURE_AI_API_BASE" : "AZURE_API_BASE";
  const use = `the address of ${source.label}, which is LiteLLM's ${variable}`;
  return { address, deployment, placed: placeAzure(parts, use, report) };
}

interface DeploymentAddress {
  readonly address: string | undefined;
  readonly deployment?: string;
  readonly version?: string;
}

function readAddress(
  { params, label, line }: DeploymentSource,
  { provider, isFoundry }: Pick<DeploymentRoute, "provider" | "isFoundry">,
  report: Report,
): DeploymentAddress {
  const given = params.take("api_base") ?? params.take("base_url");
  const example = isFoundry ? ", as https://NAME.services.ai.azure.com" : "";
  const base = readReference(given, `the address of ${label}${example}`, report);
  if (base === undefined || findReference(given) !== undefined) return { address: base };
  const { address, hasQuery, ...more } = splitAddress(base, provider === "Azure");
  if (hasQuery) report.leave(line, `${label}: api_base`, "an address has no query");
  // LiteLLM appends the version itself for these.
  const isBare = (provider === "Anthropic" || provider === "Ollama") && !/\/v1$/.test(address);
  return { address: isBare ? `${address}/v1` : address, ...more };
}

type ReadParameter = (name: string) => string | undefined;

/** LiteLLM takes a key first. */
function readEntra({ params, label }: DeploymentSource, read: ReadParameter, report: Report) {
  const isWhole = ["tenant_id", "client_id", "client_secret"].every((name) => params.has(name));
  if (!isWhole || params.has("api_key")) return undefined;
  const secret = { variable: "AZURE_CLIENT_SECRET", use: `client_secret of ${label}` };
  return {
    tenant: read("tenant_id"),
    client_id: read("client_id"),
    client_secret: readSecret(params.take("client_secret"), secret, report),
    scope: read("azure_scope"),
  };
}

function readAws({ params, label }: DeploymentSource, report: Report): AwsKeys | undefined {
  const isWhole = params.has("aws_access_key_id") && params.has("aws_secret_access_key");
  if (!isWhole || params.has("api_key")) return undefined;
  const secret = (name: string) =>
    readSecret(params.take(name), { variable: name.toUpperCase(), use: `${name} of ${label}` }, report);
  return {
    access_key_id: secret("aws_access_key_id"),
    secret_access_key: secret("aws_secret_access_key"),
    session_token: params.has("aws_session_token") ? secret("aws_session_token") : undefined,
  };
}

/**
 * A file's path or a variable stays; the content of a key file is a secret. The variable that all of Google's programs read holds
 * a path, and the gateway reads it by itself.
 */
function readAccount({ params, label }: DeploymentSource, report: Report): string | undefined {
  const given = params.take("vertex_credentials");
  const text = asString(given);
  const name = findReference(text);
  if (given === undefined || name === "GOOGLE_APPLICATION_CREDENTIALS") return undefined;
  if (name !== undefined) return report.need(name, `the content of the key file of ${label}, not its path`);
  if (text !== undefined && !text.trim().startsWith("{")) return `\${file:${text}}`;
  return report.needSecret(
    "VERTEX_CREDENTIALS",
    text ?? JSON.stringify(given),
    `the key file's content of ${label}`,
  );
}
