// Providers on Azure, Bedrock and Vertex AI, of the parts that other gateways know them by.
import { omitUndefined } from "../core/json/json.ts";
import type { ImportedDeployment } from "./providers.ts";
import type { Report } from "./report.ts";

/** Where a deployment is, and the fields of its provider. */
export type CloudPlace = Pick<ImportedDeployment, "place" | "isOwn" | "fields">;

/** The fields of clouds that prove who calls. */
const PROOFS = ["aws", "entra", "service_account"];

/** True if calls to the provider need no key besides. */
export function hasProof(fields: CloudPlace["fields"]): boolean {
  return PROOFS.some((proof) => fields[proof] !== undefined);
}

/** The first provider found on a cloud has the cloud's name. Its parts tell it from the others. */
function place(
  parts: readonly (string | undefined)[],
  fields: Readonly<Record<string, unknown>>,
): CloudPlace {
  const known = parts.filter((part) => part !== undefined);
  return { place: known.join(" ") || null, isOwn: true, fields: omitUndefined(fields) };
}

interface AzureParts {
  readonly base_url?: string | undefined;
  readonly resource?: string | undefined;
  readonly api?: string | undefined;
  readonly entra?: Readonly<Record<string, string | undefined>> | undefined;
}

/** `use` is for the report, if the address is that in the environment. */
export function placeAzure(parts: AzureParts, use: string, report: Report): CloudPlace {
  const { base_url, resource, api, entra } = parts;
  if ((base_url ?? resource) === undefined) report.need("AZURE_OPENAI_ENDPOINT", use);
  const dated = isDated(api) ? api : undefined;
  const client = entra && omitUndefined(entra);
  const fields = { platform: "azure", base_url, resource, api: dated, entra: client };
  return place([base_url ?? resource, dated, entra?.client_id], fields);
}

/** Azure's API without a version has several names elsewhere. */
function isDated(api: string | undefined): boolean {
  return api !== undefined && !/^(v1|preview|latest)$/.test(api);
}

export interface AwsKeys {
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token?: string | undefined;
}

interface BedrockParts {
  readonly base_url?: string | undefined;
  readonly region?: string | undefined;
  readonly aws?: AwsKeys | undefined;
}

export function placeBedrock({ base_url, region, aws }: BedrockParts): CloudPlace {
  const keys = aws && omitUndefined(aws);
  return place([base_url, region, aws?.access_key_id], { platform: "bedrock", base_url, region, aws: keys });
}

interface VertexParts {
  readonly project?: string | undefined;
  readonly location?: string | undefined;
  readonly service_account?: string | undefined;
}

export function placeVertex(parts: VertexParts): CloudPlace {
  return place([parts.location, parts.project, parts.service_account], { platform: "vertex", ...parts });
}
