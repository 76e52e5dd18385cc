// One entry of LiteLLM's `model_list` as a deployment here.

import { asObject, isObject, type JsonObject, omitUndefined } from "../../core/json/json.ts";
import { MINUTE_LIMITS, mapLimits } from "../../core/limits/limit-table.ts";
import { OPERATIONS } from "../../core/models/card.ts";
import { hasProof } from "../clouds.ts";
import type { Fields } from "../fields.ts";
import type { ImportedDeployment, PlannedCredential } from "../providers.ts";
import type { Report } from "../report.ts";
import { findMeant, findProvider, isBesideAzure, nameKeyVariable } from "../servers.ts";
import { readHeaders } from "./headers.ts";
import { placeServer } from "./place.ts";
import { PREFIXES, splitModel } from "./prefixes.ts";
import { findReference, readReference, readSecret } from "./references.ts";
import { type ModelRoute, stripRoutes } from "./routes.ts";
import type { DeploymentSource } from "./source.ts";

const TOKENS_PER_PRICE = 1_000_000;
const PRICE_DECIMALS = 6;

/** Programs that need no key are often given one of these words. */
const NO_KEY = /^(none|null|empty|dummy|unused|no[-_]?key|fake[-_]?key|not[-_]?(needed|used|required))$/i;

/** The parameters for limits, by what they count. */
const RATES = { requests: "rpm", tokens: "tpm", parallel: "max_parallel_requests" } as const;
/** LiteLLM's name for the models of a Foundry resource, beside those of Azure OpenAI. */
const FOUNDRY = "azure_ai";
const NEEDS_BASE_MODEL =
  "a model that is served only at /responses is called there, but nothing says which this is: set providers.<name>.models[].like";

/** Returns the deployment, or the reason why there is none. */
export function readDeployment(source: DeploymentSource, report: Report): ImportedDeployment | string {
  const { params, line, label } = source;
  const asked = params.takeText("model") ?? "";
  if (asked === "") return "it names no litellm_params.model";
  const split = splitModel(asked, params.takeText("custom_llm_provider"));
  if (split === null)
    return `no vendor is known for the model '${asked}': give it a prefix, as in openai/${asked}`;
  const provider = findCalled(split.prefix, params.peekText("api_base") ?? params.peekText("base_url"));
  if (provider === undefined) return `LiteLLM's provider '${split.prefix}' has none here`;
  const routed = stripRoutes(provider, split.name);
  if (typeof routed === "string") return routed;
  if (/\s/.test(routed.name)) return "a model's name can't contain spaces";
  const isPattern = routed.name.includes("*");
  if (isPattern && routed.name !== "*")
    return `the pattern '${asked}' covers only some of the provider's models`;
  const isFoundry = split.prefix === FOUNDRY && provider === "Azure";
  const { address, deployment, placed } = placeServer(source, { provider, routed, isFoundry }, report);
  const named = nameModel(source, { provider, routed, deployment }, report);
  if (provider === "Azure" && routed.isResponses && named.like === undefined)
    report.leave(line, `${label}: responses`, NEEDS_BASE_MODEL);
  return {
    provider,
    ...placed,
    name: isPattern ? null : named.name,
    model: omitUndefined({ deployment: named.deployment, like: named.like, ...describeModel(source) }),
    credential: readCredential(source, { provider, address, fields: placed.fields }, report),
    headers: readHeaders(source, report),
    line,
  };
}

/** Servers of single models on Azure speak OpenAI's dialect. */
function findCalled(prefix: string, address: string | undefined): string | undefined {
  if (prefix === FOUNDRY && address !== undefined && isBesideAzure(address)) return "OpenAI";
  const provider = findProvider(prefix, PREFIXES);
  return provider && findMeant(provider, address);
}

interface DeploymentName {
  readonly provider: string;
  readonly routed: ModelRoute;
  /** The deployment that the address names. */
  readonly deployment: string | undefined;
}

/** Returns the model's name, and whose facts it has if the name is a customer's own. */
function nameModel(
  { params, info, label }: DeploymentSource,
  { provider, routed: { name }, deployment }: DeploymentName,
  report: Report,
) {
  if (provider === "Azure")
    return {
      name,
      like: findLike(info, "OpenAI", "azure"),
      deployment: deployment === name ? undefined : deployment,
    };
  if (provider !== "Bedrock") return { name };
  const profile = params.takeText("model_id");
  if (findReference(profile) !== undefined)
    return { name, deployment: readReference(profile, `the model of ${label}`, report) };
  if (profile !== undefined) return { name: profile, like: `Bedrock#${name}` };
  return { name, like: name.startsWith("arn:") ? findLike(info, "Bedrock", "bedrock") : undefined };
}

function findLike(info: Fields, provider: string, prefix: string): string | undefined {
  const base = info.takeText("base_model");
  return base && `${provider}#${base.replace(`${prefix}/`, "")}`;
}

interface CallTarget {
  readonly provider: string;
  readonly address: string | undefined;
  readonly fields: ImportedDeployment["fields"];
}

/** Limits belong to a key. An entry without one has none here. */
function readCredential(
  { params, beside, label, line }: DeploymentSource,
  { provider, address, fields }: CallTarget,
  report: Report,
): PlannedCredential | null {
  if (address !== undefined && NO_KEY.test(params.peekText("api_key") ?? "")) {
    report.take(line, `${label}: api_key`, `'${params.takeText("api_key")}' is no key, and none is sent`);
    return null;
  }
  if (!params.takeText("api_key")) {
    const isCloud = provider === "Bedrock" || provider === "Azure";
    if (!hasProof(fields) && (address === undefined || isCloud)) needImplied(provider, label, report);
    return null;
  }
  const variable = nameKeyVariable(provider, address);
  const key = readSecret(params.take("api_key"), { variable, use: `the key of ${label}` }, report);
  return {
    key,
    weight: params.takeNumber("weight"),
    ...mapLimits(MINUTE_LIMITS, "name", ({ counts }) => {
      const name = RATES[counts];
      return params.takeNumber(name) ?? beside.takeNumber(name);
    }),
  };
}

function needImplied(provider: string, label: string, report: Report): void {
  const isVertex = provider === "Vertex";
  const name = isVertex ? "GOOGLE_APPLICATION_CREDENTIALS" : nameKeyVariable(provider, undefined);
  const others = provider === "Bedrock" ? ", or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY" : "";
  const use = `${isVertex ? "the path of the key file" : "the key"} of ${label}`;
  report.need(name, `${use}, as LiteLLM takes it from the environment${others}`);
}

/** Returns the model's own prices and its operation. */
function describeModel({ params, info }: DeploymentSource): ImportedDeployment["model"] {
  const operation = findOperation(info.takeText("mode") ?? "");
  return omitUndefined({
    price: readPrice((name) => params.takeNumber(name) ?? info.takeNumber(name)),
    operations: operation === undefined ? undefined : [operation],
  });
}

/** Returns the operation that one of a mode's words names, as in `image_generation`. Chat needs no mention. */
function findOperation(mode: string): string | undefined {
  const words = mode.split("_").flatMap((word) => [word, `${word}s`]);
  return OPERATIONS.find((name) => name !== "chat" && words.includes(name));
}

function readPrice(find: (name: string) => number | undefined): object | undefined {
  const read = (name: string) => {
    const each = find(name);
    return each === undefined ? undefined : Number((each * TOKENS_PER_PRICE).toFixed(PRICE_DECIMALS));
  };
  const input = read("input_cost_per_token");
  const output = read("output_cost_per_token");
  if (input === undefined && output === undefined) return undefined;
  const cached = read("cache_read_input_token_cost");
  return omitUndefined({ input: input ?? 0, output: output ?? 0, cached_input: cached });
}

/** Returns the entry with the parameters of the credential that it names, if there is one. Its own come first. */
export function addCredential(params: JsonObject, credentials: readonly unknown[]): JsonObject {
  const { litellm_credential_name: name, ...own } = params;
  const found = credentials.find((one) => isObject(one) && one.credential_name === name);
  return isObject(found) ? { ...asObject(found.credential_values), ...own } : params;
}
