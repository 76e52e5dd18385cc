// Azure as a provider: a resource's address, its API version, and an application's credentials instead of keys.
import { parseBaseUrl } from "../units.ts";
import { readEntra } from "./azure-identity.ts";
import { type Cloud, type PlatformContext, readVariable } from "./platform.ts";

const ENDPOINT = "AZURE_OPENAI_ENDPOINT";
/** The names under which a resource is reached (Microsoft Foundry, "Endpoints"). */
const RESOURCE_HOST = /^([^.]+)\.(openai|cognitiveservices|services\.ai)\.azure\.com$/;
const MICROSOFT_HOST = /\.azure\.(com|us|cn)$/;

export const AZURE: Cloud = {
  isInEnvironment: ({ env }, hasKey) => hasKey && readVariable(env, ENDPOINT) !== "",
  build(context) {
    const { entry } = context;
    const baseUrl = chooseAddress(context);
    const redactedWords = listNames(baseUrl);
    return {
      baseUrl,
      credentials: readEntra(context) ?? context.readKeys(),
      ...(entry.api === undefined || entry.api === "v1" ? {} : { apiVersion: entry.api }),
      ...(redactedWords.length === 0 ? {} : { redactedWords }),
      // Only deployed models exist. If the operator lists the deployments, there are no others.
      ...(entry.models?.length ? { listsConfiguredOnly: true } : {}),
    };
  },
};

function chooseAddress({ path, entry: { resource }, address, env, issues }: PlatformContext): string {
  if (address !== null)
    return MICROSOFT_HOST.test(new URL(address).hostname) ? completeAddress(address) : address;
  if (resource !== undefined) return `https://${resource}.openai.azure.com/openai/v1`;
  const endpoint = readVariable(env, ENDPOINT);
  const found = parseBaseUrl(endpoint);
  if (found !== null) return completeAddress(found);
  if (endpoint === "")
    issues.atKey(path, `has no resource, and the environment variable ${ENDPOINT} is not set`);
  else issues.atVariable(ENDPOINT, "expected a URL like https://my-resource.openai.azure.com");
  return "";
}

/** The paths of a resource's other APIs. The one at /openai/v1 calls the same models (Microsoft Foundry, "Endpoints"). */
const OTHER_PATH = /^\/((openai|models|anthropic\/v1|anthropic)\/?)?$/;

/** Microsoft's own programs take a resource's address without the path of its API, or with that of another. */
function completeAddress(address: string): string {
  const { pathname, origin } = new URL(address);
  return OTHER_PATH.test(pathname) ? `${origin}/openai/v1` : address;
}

function listNames(baseUrl: string): readonly string[] {
  const [, name] = RESOURCE_HOST.exec(URL.parse(baseUrl)?.hostname ?? "") ?? [];
  if (name === undefined) return [];
  return ["openai", "cognitiveservices", "services.ai"].map((kind) => `${name}.${kind}.azure.com`);
}
