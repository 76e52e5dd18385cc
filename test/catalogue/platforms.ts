// The clouds' models in the catalogue, each with the card of the same model at its maker or another host.

/** There Claude's models are served in Anthropic's form. */
const CLAUDE = "anthropic";

export interface Twin {
  readonly like: string;
  readonly dialects?: readonly string[];
}

/**
 * The clouds' rows of the merged list whose model is in the catalogue under the same name elsewhere. Their limits and
 * prices are the list's. A model without a price for the cloud in the list has none.
 */
export function findTwin(provider: string, name: string, isKnown: (id: string) => boolean): Twin | null {
  if (provider === "Azure") return findAzure(name, isKnown);
  return provider === "Vertex" ? findVertex(name, isKnown) : null;
}

const AZURE_MAKERS = ["OpenAI", "DeepSeek", "Moonshot", "Mistral"];

function findAzure(name: string, isKnown: (id: string) => boolean): Twin | null {
  if (name.startsWith("claude-")) return known({ like: `Anthropic#${name}`, dialects: [CLAUDE] }, isKnown);
  const like = AZURE_MAKERS.map((maker) => `${maker}#${name}`).find(isKnown);
  return like === undefined ? null : { like, dialects: ["openai"] };
}

/** Open models served by Vertex AI, with the name of the same weights elsewhere. */
const OPEN_MODELS: Readonly<Record<string, string>> = {
  "deepseek-ai/deepseek-v3.2-maas": "DeepInfra#deepseek-ai/DeepSeek-V3.2",
  "meta/llama-3.3-70b-instruct-maas": "Together#meta-llama/Llama-3.3-70B-Instruct-Turbo",
  "openai/gpt-oss-120b-maas": "Groq#openai/gpt-oss-120b",
  "openai/gpt-oss-20b-maas": "Groq#openai/gpt-oss-20b",
};

function findVertex(name: string, isKnown: (id: string) => boolean): Twin | null {
  const [bare = name] = name.split("@");
  if (bare.startsWith("claude-")) return known({ like: `Anthropic#${bare}`, dialects: [CLAUDE] }, isKnown);
  const open = OPEN_MODELS[name];
  if (open !== undefined) return known({ like: open, dialects: ["openai"] }, isKnown);
  return known({ like: `Google#${name}`, dialects: ["gemini"] }, isKnown);
}

function known(twin: Twin, isKnown: (id: string) => boolean): Twin | null {
  return isKnown(twin.like) ? twin : null;
}
