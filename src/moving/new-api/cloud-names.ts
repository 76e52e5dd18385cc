// The names that models have on Bedrock and Vertex AI. Channels there call them by their makers' names.
import { loadShippedCards } from "../../catalogue/rows.ts";

/** The beginnings of the ids of inference profiles, by the regions that may call them. */
const PROFILES: readonly (readonly [regions: RegExp, prefix: string])[] = [
  [/^(us|ca)-/, "us."],
  [/^eu-/, "eu."],
  [/^ap-northeast-/, "jp."],
  [/^ap-southeast-/, "au."],
  [/^ap-/, "apac."],
];
/** Bedrock's own names begin with their vendor, behind that of a profile: `us.anthropic.claude-…`. */
const BEDROCK_OWN = /^(arn:|[a-z][a-z0-9]*\.([a-z][a-z0-9]*\.)?[a-z])/;
const VENDOR = /^[a-z0-9]+\.(?=[a-z])/;
const VERSION = /-v\d+(:\d+)?$/;

function listNames(provider: string): readonly string[] {
  return loadShippedCards()
    .filter((card) => card.provider === provider)
    .map(({ name }) => name);
}

/** Returns the region's profile of the model, or else the model itself. Null for a name that isn't known. */
export function findBedrockName(name: string, region: string): string | null {
  if (BEDROCK_OWN.test(name)) return name;
  const profiles = PROFILES.filter(([regions]) => regions.test(region)).map(([, prefix]) => prefix);
  const strip = (one: string) => one.replace(VENDOR, "").replace(VERSION, "");
  const names = listNames("Bedrock");
  for (const prefix of [...profiles, "", "global."]) {
    const heads = names.filter((one) => one.startsWith(prefix));
    const found = heads.find((one) => strip(one.slice(prefix.length)) === name.replace(VERSION, ""));
    if (found !== undefined) return found;
  }
  return null;
}

/** Returns the model's name with its version behind an `@`, as Claude's models have it on Vertex AI. */
export function findVertexName(name: string): string {
  const own = listNames("Vertex").find((one) => one.replace(/@default$/, "").replace("@", "-") === name);
  return own ?? (name.startsWith("claude") ? name.replace(/-(\d{8})$/, "@$1") : name);
}
