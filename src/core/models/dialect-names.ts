// The names of the dialects.

/** Those in which models chat. */
export const CHAT_DIALECTS = [
  "openai",
  "responses",
  "anthropic",
  "gemini",
  "mistral",
  "cohere",
  "perplexity",
  "bedrock",
] as const;
export type ChatDialectName = (typeof CHAT_DIALECTS)[number];

export const DIALECTS = [...CHAT_DIALECTS, "voyage", "jina"] as const;
export type DialectName = (typeof DIALECTS)[number];

/** The dialects that have cache marks, and in which an answer's limit can be sent that the client didn't set. */
export const MARKED_DIALECTS: ReadonlySet<DialectName> = new Set(["anthropic", "bedrock"]);

/** Those in which no word keeps a provider from serving another tier than the usual one. */
export const TIERLESS_DIALECTS: ReadonlySet<DialectName> = new Set([
  "mistral",
  "cohere",
  "perplexity",
  "voyage",
  "jina",
]);
