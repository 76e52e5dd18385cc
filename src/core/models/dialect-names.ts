// The names of the dialects.

export const DIALECTS = [
  "openai",
  "responses",
  "anthropic",
  "gemini",
  "mistral",
  "cohere",
  "perplexity",
  "bedrock",
  "voyage",
  "jina",
] as const;
export type DialectName = (typeof DIALECTS)[number];
