// Facts on servers that an import needs: the variables of their keys, and their dialects.
import { loadShippedCards } from "../catalogue/rows.ts";
import { asString, omitUndefined } from "../core/json/json.ts";
import { isPrivateHost } from "../core/world/address.ts";
import { PROVIDERS } from "../providers/index.ts";

/** The variables of providers' keys, as their own SDKs call them. */
const KEY_VARIABLES: Readonly<Record<string, string>> = {
  Google: "GEMINI_API_KEY",
  Qwen: "DASHSCOPE_API_KEY",
  Azure: "AZURE_OPENAI_API_KEY",
  Bedrock: "AWS_BEARER_TOKEN_BEDROCK",
};

/** The dialects of servers at an address of their own. Any other is OpenAI's. */
const DIALECTS: Readonly<Record<string, string>> = {
  Anthropic: "anthropic",
  Google: "gemini",
  Mistral: "mistral",
  Cohere: "cohere",
  Perplexity: "perplexity",
  Voyage: "voyage",
  Jina: "jina",
};

/** Other hosts of providers' own APIs than those that are called here. */
const OTHER_HOSTS = { "api.cohere.ai": "Cohere", "api.together.ai": "Together" };
/**
 * Providers by the hosts of their own APIs. Those of Moonshot, Qwen and ZAI in China aren't among them: keys of one country
 * don't work in the other.
 */
const OWNERS: ReadonlyMap<string, string> = new Map([
  ...PROVIDERS.filter(({ baseUrl }) => baseUrl.startsWith("https:")).map(
    ({ name, baseUrl }) => [new URL(baseUrl).hostname, name] as const,
  ),
  ...Object.entries(OTHER_HOSTS),
]);

/** Providers without models in the catalogue. */
export const OPERATOR_SERVERS: readonly string[] = ["Ollama", "vLLM", "LMStudio"];
/** Gateways append these to vendors' names, as in together_ai, mistral-ai and cohere_chat. */
const SUFFIX = /(ai|chat)$/;

/** Returns the provider that another gateway's name means: by its table of other names, or by the same letters. */
export function findProvider(name: string, others: Readonly<Record<string, string>>): string | undefined {
  const special = Object.hasOwn(others, name) ? others[name] : undefined;
  if (special !== undefined) return special;
  const known = [...new Set(loadShippedCards().map(({ provider }) => provider)), ...OPERATOR_SERVERS];
  const letters = name.toLowerCase().replace(/[^a-z0-9]/g, "");
  const find = (asked: string) => known.find((one) => one.toLowerCase() === asked);
  return find(letters) ?? find(letters.replace(SUFFIX, ""));
}

/** True for a provider's own address, with any path: the APIs have newer ones than other gateways' files. */
export function isProviderAddress(provider: string, address: string): boolean {
  return findOwner(address) === provider;
}

/** Other gateways call every server of OpenAI's dialect OpenAI, even that of another provider. */
export function findMeant(provider: string, address: string | undefined): string {
  return provider === "OpenAI" && address !== undefined ? (findOwner(address) ?? provider) : provider;
}

function findOwner(address: string): string | undefined {
  return OWNERS.get(URL.parse(address)?.hostname ?? "");
}

/** True for programs that operators run themselves, and for servers in a private network. Clouds and resellers are neither. */
export function isOperatorServer(provider: string, fields: Readonly<Record<string, unknown>>): boolean {
  if (OPERATOR_SERVERS.includes(provider)) return true;
  const url = fields.platform === undefined ? URL.parse(asString(fields.base_url) ?? "") : null;
  return url !== null && isPrivateHost(url.hostname);
}

export function findServerDialect(provider: string): string {
  return DIALECTS[provider] ?? "openai";
}

/** A key for a server at another address never has the variable of the provider's own: it would be sent there. */
export function nameKeyVariable(provider: string, address: string | undefined): string {
  const known = KEY_VARIABLES[provider] ?? `${provider.toUpperCase()}_API_KEY`;
  if (address === undefined || provider === "Azure") return known;
  const place = address.replace(/^https?:\/\//, "");
  return `${provider}_${place}_API_KEY`.replace(/\W+/g, "_").replace(/_+/g, "_").toUpperCase();
}

interface ProviderApi {
  readonly fields: Readonly<Record<string, string>>;
  /** A reference to its variable. Null if it needs none. */
  readonly key: string | null;
}

/** Returns what a second provider needs to call a vendor's own API. Null for one that isn't known. */
export function describeProviderApi(provider: string): ProviderApi | null {
  const row = PROVIDERS.find(({ name }) => name === provider);
  if (row === undefined || row.baseUrl === "") return null;
  const key = row.keyVariables.length === 0 ? null : `\${${nameKeyVariable(provider, undefined)}}`;
  return { fields: { dialect: findServerDialect(provider), base_url: row.baseUrl }, key };
}

/** The path of one call, which follows the address that all calls have in common. */
const CALL =
  /\/(chat\/completions|completions|embeddings|responses|messages|rerank|images\/generations|audio\/\w+)$/;
const DEPLOYMENT = /^(.*?)(?:\/openai)?\/deployments\/([^/]+)(?:\/.*)?$/;
const VERSION = "api-version";

interface SplitAddress {
  /** Without the path of a call. */
  readonly address: string;
  /** Azure's, if the address is that of a deployment. */
  readonly deployment?: string;
  /** Azure's API, if the address names it. */
  readonly version?: string;
  /** True if the address had a query of another kind. */
  readonly hasQuery: boolean;
}

/** Splits an address that may be the one of a single call, such as `https://x.openai.azure.com/openai/deployments/…`. */
export function splitAddress(given: string, isAzure: boolean): SplitAddress {
  const [path = "", query = ""] = given.split("?");
  const address = path.replace(/\/+$/, "").replace(CALL, "");
  const asked = new URLSearchParams(query);
  const isVersioned = isAzure && !OTHER_API.test(address);
  const version = isVersioned ? (asked.get(VERSION) ?? undefined) : undefined;
  const hasQuery = [...asked.keys()].some((name) => !isAzure || name !== VERSION);
  if (!isAzure) return { address, hasQuery };
  const [, base = address, deployment] = DEPLOYMENT.exec(path) ?? [];
  return omitUndefined({ address: completeAzure(base), deployment, version, hasQuery });
}

/** The paths of a resource's other APIs, whose versions aren't those of OpenAI's. */
const OTHER_API = /(?<=\.azure\.com)\/(models|anthropic)(\/v1)?$/;
const RESOURCE = /\.(openai|cognitiveservices|services\.ai)\.azure\.com$/;

/** True for a server that Azure hosts beside its resources, for a single model. */
export function isBesideAzure(address: string): boolean {
  const host = URL.parse(address)?.hostname;
  return host !== undefined && !RESOURCE.test(host);
}

/** Microsoft's own hosts are known here. Behind any other, such as API Management, the path is Azure's. */
function completeAzure(given: string): string {
  const base = given.replace(OTHER_API, "");
  const isKnown = /\.azure\.(com|us|cn)$/.test(URL.parse(base)?.hostname ?? "");
  return isKnown || /\/openai(\/|$)/.test(base) ? base : `${base}/openai/v1`;
}
