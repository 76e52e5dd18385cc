// Facts on servers that an import needs: the variables of their keys, and their dialects.
import { loadShippedCards } from "../catalogue/rows.ts";
import { isPrivateHost } from "../core/address.ts";
import { asString } from "../core/json.ts";

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

/** Providers without models in the catalogue. */
const OWN_SERVERS = ["Ollama", "vLLM"];
/** Gateways append these to vendors' names, as in together_ai, mistral-ai and cohere_chat. */
const SUFFIX = /(ai|chat)$/;

/** Returns the provider that another gateway's name means: by its table of other names, or by the same letters. */
export function findProvider(name: string, others: Readonly<Record<string, string>>): string | undefined {
  const special = Object.hasOwn(others, name) ? others[name] : undefined;
  if (special !== undefined) return special;
  const known = [...new Set(loadShippedCards().map(({ provider }) => provider)), ...OWN_SERVERS];
  const letters = name.toLowerCase().replace(/[^a-z0-9]/g, "");
  const find = (asked: string) => known.find((one) => one.toLowerCase() === asked);
  return find(letters) ?? find(letters.replace(SUFFIX, ""));
}

/** True for programs that operators run themselves, and for servers in a private network. Clouds and resellers are neither. */
export function isOwnServer(provider: string, fields: Readonly<Record<string, unknown>>): boolean {
  if (OWN_SERVERS.includes(provider)) return true;
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
