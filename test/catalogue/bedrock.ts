// Corrections of the public lists for Amazon Bedrock: names that its runtime rejects, and changes made by the platform.
import type { ModelFacts, PriceFacts } from "./sources.ts";

/** Names in the lists that get no card. */
export const BEDROCK_LEFT_OUT: readonly { readonly names: RegExp; readonly why: string }[] = [
  {
    names: /^(anthropic\.|meta\.llama4|deepseek\.r1|writer\.)/,
    why: "answer by inference profiles alone, whose names begin with a region",
  },
  { names: /voxtral/, why: "hears, and Converse has no form for sound" },
  { names: /claude-opus-4-1/, why: "retired 2026-08-05" },
  {
    names: /^(openai\.gpt-5|openai\.gpt-oss-\d+b$|xai\.)/,
    why: "served at Bedrock's OpenAI-compatible address",
  },
];

/** Converse can only force a call of these families. */
const FORCED = /^Bedrock#(\w+\.)?(anthropic|amazon|mistral)\./;

/** The capabilities that Converse offers: other families' calls can't be forced. */
export function listBedrockCapabilities(id: string, given: readonly string[]): string[] {
  if (!id.startsWith("Bedrock#") || FORCED.test(id)) return [...given];
  return given.map((capability) => (capability === "tools" ? "tools_auto" : capability));
}

/** The dialects of a card. Undefined for its provider's. */
export function listBedrockDialects(id: string): string[] | undefined {
  if (!id.startsWith("Bedrock#")) return undefined;
  return [id.includes("anthropic.claude") ? "anthropic" : "bedrock"];
}

/** The same Claude at Anthropic, by the profile's name without region and version. Undefined for other models. */
export function findBedrockLike(id: string, isKnown: (id: string) => boolean): string | undefined {
  const name = /^Bedrock#(?:\w+\.)?anthropic\.(claude-.*?)(?:-v\d+)?(?::\d+)?$/.exec(id)?.[1];
  if (name === undefined) return undefined;
  return [name, name.replace(/-\d{8}$/, "")].map((one) => `Anthropic#${one}`).find(isKnown);
}

/** True for rows filled from a template by the merged list: another model's release date, and no model's limits. */
export function isPlaceholder({ provider, released, output }: ModelFacts): boolean {
  return provider === "Bedrock" && released === "2024-12-01" && output === 4096;
}

interface Profile {
  readonly id: string;
  readonly like: string;
  readonly price?: PriceFacts;
}

function profiles(regions: readonly string[], name: string, like: string, price?: PriceFacts): Profile[] {
  return regions.map((region) => ({ id: `Bedrock#${region}.${name}`, like, ...(price ? { price } : {}) }));
}

const NOVA_2 = "amazon.nova-2-lite-v1:0";
/** The price of regional profiles in the dated list. */
const NOVA_2_REGIONAL: PriceFacts = { input: 0.33, output: 2.75, cached_input: 0.0825 };

/** Profiles of models that the lists have under other names, or without their facts. */
export const BEDROCK_PROFILES: readonly Profile[] = [
  ...["micro", "lite", "pro"].flatMap((size) => {
    const name = `amazon.nova-${size}-v1:0`;
    return profiles(["us", "eu", "apac"], name, `Bedrock#${name}`);
  }),
  ...profiles(["us", "eu", "jp"], NOVA_2, `Bedrock#${NOVA_2}`, NOVA_2_REGIONAL),
  ...profiles(["global"], NOVA_2, `Bedrock#${NOVA_2}`),
  ...profiles(["us", "eu", "global"], "anthropic.claude-opus-5", "Anthropic#claude-opus-5"),
];
