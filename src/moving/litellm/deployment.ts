// One entry of LiteLLM's `model_list` as a deployment here.
import { OPERATIONS } from "../../core/card.ts";
import { asNumber, asObject, asString, isObject, type JsonObject, omitUndefined } from "../../core/json.ts";
import type { Deployment, PlannedCredential } from "../providers.ts";
import type { Report } from "../report.ts";
import { findProvider, findServerDialect, nameKeyVariable } from "../servers.ts";
import { PREFIXES, splitModel } from "./prefixes.ts";
import { type Routed, stripRoutes } from "./routes.ts";

const REFERENCE = /^os\.environ\/(\w+)$/;
const TOKENS_PER_PRICE = 1_000_000;
const PRICE_DECIMALS = 6;
const NEEDS_BASE_MODEL =
  "a model that is served only at /responses is called there, but nothing says which this is: set providers.<name>.models[].like";

/** A deployment's parameters, with those of the credential that it names. */
interface DeploymentSource {
  readonly params: JsonObject;
  readonly info: JsonObject;
  /** Limits that stand beside the parameters. */
  readonly beside: JsonObject;
  /** For the report. */
  readonly line: number;
  readonly label: string;
}

/** Returns the deployment, or the reason why there is none. */
export function readDeployment(source: DeploymentSource, report: Report): Deployment | string {
  const { params, info } = source;
  const asked = asString(params.model) ?? "";
  const split = splitModel(asked, asString(params.custom_llm_provider));
  if (split === null)
    return `no vendor is known for the model '${asked}': give it a prefix, as in openai/${asked}`;
  const provider = findProvider(split.prefix, PREFIXES);
  if (provider === undefined) return `LiteLLM's provider '${split.prefix}' has none here`;
  const routed = stripRoutes(provider, split.name);
  if (typeof routed === "string") return routed;
  if (/\s/.test(routed.name)) return "a model's name can't contain spaces";
  const isPattern = routed.name.includes("*");
  if (isPattern && routed.name !== "*")
    return `the pattern '${asked}' covers only some of the provider's models`;
  const address = readAddress(source, provider, report);
  if (provider === "Azure" && routed.isResponses && findLike(info) === undefined)
    report.leave(source.line, `${source.label}: responses`, NEEDS_BASE_MODEL);
  return {
    provider,
    ...placeServer(source, { provider, address, routed }, report),
    name: isPattern ? null : routed.name,
    model: describeModel(provider, { params, info }),
    credential: readCredential(source, { provider, address }, report),
    line: source.line,
  };
}

/** Reserves the variables that the file names, so that no secret of another kind gets one of them. */
export function reserveReferences(value: unknown, report: Report): void {
  if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) reserveReferences(part, report);
  }
  const name = REFERENCE.exec(asString(value) ?? "")?.[1];
  if (name !== undefined) report.reserve(name);
}

/** Returns the value, with a variable of the environment in the configuration's notation. */
function readReference(value: unknown, use: string, report: Report): string | undefined {
  const text = asString(value);
  const name = REFERENCE.exec(text ?? "")?.[1];
  return name === undefined ? text : report.need(name, use);
}

function readAddress(
  { params, label }: DeploymentSource,
  provider: string,
  report: Report,
): string | undefined {
  const base = readReference(params.api_base ?? params.base_url, `the address of ${label}`, report);
  if (base === undefined || base.startsWith("$")) return base;
  const trimmed = base.replace(/\/+$/, "");
  // LiteLLM appends the version itself for these.
  const isBare = (provider === "Anthropic" || provider === "Ollama") && !/\/v1$/.test(trimmed);
  return isBare ? `${trimmed}/v1` : trimmed;
}

interface Server {
  readonly provider: string;
  readonly address: string | undefined;
  readonly routed: Routed;
}

/** Returns where the server is: at the provider's own address, or at another, with the fields that say so. */
function placeServer(
  source: DeploymentSource,
  { provider, address, routed }: Server,
  report: Report,
): Pick<Deployment, "place" | "isOwn" | "fields"> {
  const read = (name: string) => readReference(source.params[name], `${name} of ${source.label}`, report);
  if (provider === "Azure") {
    const api = read("api_version");
    const fields = omitUndefined({ platform: "azure", base_url: address, api });
    return { place: [address, api].join(" ").trim() || null, isOwn: true, fields };
  }
  if (provider === "Bedrock") return placeBedrock(source, read("aws_region_name") ?? routed.region, report);
  if (provider === "Vertex") {
    const account = readAccount(source, report);
    const location = read("vertex_location");
    const fields = {
      platform: "vertex",
      project: read("vertex_project"),
      location,
      service_account: account,
    };
    return { place: location ?? null, isOwn: true, fields: omitUndefined(fields) };
  }
  if (address === undefined) return { place: null, isOwn: false, fields: {} };
  const dialect = findServerDialect(provider);
  const place = address.replace(/\/v1$/, "");
  // The same server in another dialect is another provider.
  if (routed.isResponses && dialect === "openai")
    return { place: `${place} responses`, isOwn: false, fields: { base_url: address, dialect: "responses" } };
  const isOwn = provider === "Ollama" || provider === "vLLM";
  return { place, isOwn, fields: { base_url: address, dialect } };
}

function placeBedrock(
  { params, label }: DeploymentSource,
  region: string | undefined,
  report: Report,
): Pick<Deployment, "place" | "isOwn" | "fields"> {
  const hasKeys = params.aws_access_key_id !== undefined;
  const secret = (name: string, variable: string) =>
    readSecret(params[name], { variable, use: `${name} of ${label}` }, report);
  const aws = hasKeys
    ? {
        access_key_id: secret("aws_access_key_id", "AWS_ACCESS_KEY_ID"),
        secret_access_key: secret("aws_secret_access_key", "AWS_SECRET_ACCESS_KEY"),
      }
    : undefined;
  const place = [region, aws?.access_key_id].filter((part) => part !== undefined).join(" ");
  return { place: place || null, isOwn: true, fields: omitUndefined({ platform: "bedrock", region, aws }) };
}

/** A file's path or a variable stays; the content of a key file is a secret. */
function readAccount({ params, label }: DeploymentSource, report: Report): string | undefined {
  const given = params.vertex_credentials;
  const text = asString(given);
  if (text !== undefined && REFERENCE.test(text))
    return readReference(text, `credentials of ${label}`, report);
  if (text !== undefined && !text.trim().startsWith("{")) return `\${file:${text}}`;
  return given === undefined ? undefined : report.need("VERTEX_CREDENTIALS", `credentials of ${label}`);
}

interface SecretUse {
  /** Its name, if the file has the secret itself. */
  readonly variable: string;
  readonly use: string;
}

/** Returns a reference. A secret in the file gets a variable of its own, the same wherever it stands. */
function readSecret(value: unknown, { variable, use }: SecretUse, report: Report): string {
  const text = asString(value) ?? "";
  const name = REFERENCE.exec(text)?.[1];
  return name === undefined ? report.needSecret(variable, text, use) : report.need(name, use);
}

function readCredential(
  { params, beside, label }: DeploymentSource,
  { provider, address }: { readonly provider: string; readonly address: string | undefined },
  report: Report,
): PlannedCredential | null {
  const variable = nameKeyVariable(provider, address);
  if (!asString(params.api_key)) {
    const isImplied =
      (address === undefined || provider === "Bedrock") &&
      params.aws_access_key_id === undefined &&
      provider !== "Vertex";
    if (isImplied)
      report.need(
        nameKeyVariable(provider, undefined),
        `the key of ${label}, as LiteLLM takes it from the environment`,
      );
    return null;
  }
  const key = readSecret(params.api_key, { variable, use: `the key of ${label}` }, report);
  return {
    key,
    requests_per_minute: asNumber(params.rpm) ?? asNumber(beside.rpm),
    tokens_per_minute: asNumber(params.tpm) ?? asNumber(beside.tpm),
  };
}

/** Returns the model's own entry: its prices and its operation, and whose facts an Azure deployment has. */
function describeModel(
  provider: string,
  { params, info }: Pick<DeploymentSource, "params" | "info">,
): Deployment["model"] {
  const operation = findOperation(asString(info.mode) ?? "");
  const price = readPrice({ ...info, ...params });
  return omitUndefined({
    like: provider === "Azure" ? findLike(info) : undefined,
    price,
    operations: operation === undefined ? undefined : [operation],
  });
}

/** Returns the operation that one of a mode's words names, as in `image_generation`. Chat needs no mention. */
function findOperation(mode: string): string | undefined {
  const words = mode.split("_").flatMap((word) => [word, `${word}s`]);
  return OPERATIONS.find((name) => name !== "chat" && words.includes(name));
}

function findLike(info: JsonObject): string | undefined {
  const base = asString(info.base_model)?.replace(/^azure\//, "");
  return base === undefined ? undefined : `OpenAI#${base}`;
}

function readPrice(fields: JsonObject): object | undefined {
  const read = (name: string) => {
    const each = asNumber(fields[name]);
    return each === undefined ? undefined : Number((each * TOKENS_PER_PRICE).toFixed(PRICE_DECIMALS));
  };
  const [input, output] = [read("input_cost_per_token"), read("output_cost_per_token")];
  if (input === undefined && output === undefined) return undefined;
  const cached = read("cache_read_input_token_cost");
  return omitUndefined({ input: input ?? 0, output: output ?? 0, cached_input: cached });
}

/** Returns the entry with the parameters of the credential that it names. Its own come first. */
export function addCredential(params: JsonObject, credentials: readonly unknown[]): JsonObject {
  const name = asString(params.litellm_credential_name);
  const found = credentials.find((one) => isObject(one) && one.credential_name === name);
  return name === undefined ? params : { ...asObject(asObject(found).credential_values), ...params };
}
