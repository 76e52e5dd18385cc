// The providers of public lists by the names that these give them, and the names of their models.
import type { KnownIds } from "./feed.ts";

/** LiteLLM's `litellm_provider`, without what follows a hyphen: `vertex_ai-anthropic_models` is `vertex_ai`. */
export const LITELLM_PROVIDERS: ReadonlyMap<string, string> = new Map([
  ["openai", "OpenAI"],
  ["anthropic", "Anthropic"],
  ["gemini", "Google"],
  ["mistral", "Mistral"],
  ["perplexity", "Perplexity"],
  ["cohere", "Cohere"],
  ["cohere_chat", "Cohere"],
  ["deepseek", "DeepSeek"],
  ["xai", "xAI"],
  ["groq", "Groq"],
  ["together_ai", "Together"],
  ["fireworks_ai", "Fireworks"],
  ["cerebras", "Cerebras"],
  ["openrouter", "OpenRouter"],
  ["moonshot", "Moonshot"],
  ["dashscope", "Qwen"],
  ["zai", "ZAI"],
  ["nvidia_nim", "NVIDIA"],
  ["deepinfra", "DeepInfra"],
  ["azure", "Azure"],
  ["azure_ai", "Azure"],
  ["bedrock", "Bedrock"],
  ["bedrock_converse", "Bedrock"],
  ["vertex_ai", "Vertex"],
  ["minimax", "MiniMax"],
  ["sambanova", "SambaNova"],
  ["novita", "Novita"],
  ["baseten", "Baseten"],
  ["voyage", "Voyage"],
  ["jina_ai", "Jina"],
]);

export const MODELS_DEV_PROVIDERS: ReadonlyMap<string, string> = new Map([
  ["openai", "OpenAI"],
  ["anthropic", "Anthropic"],
  ["google", "Google"],
  ["mistral", "Mistral"],
  ["perplexity", "Perplexity"],
  ["cohere", "Cohere"],
  ["deepseek", "DeepSeek"],
  ["xai", "xAI"],
  ["groq", "Groq"],
  ["togetherai", "Together"],
  ["fireworks-ai", "Fireworks"],
  ["cerebras", "Cerebras"],
  ["openrouter", "OpenRouter"],
  ["moonshotai", "Moonshot"],
  ["alibaba", "Qwen"],
  ["zai", "ZAI"],
  ["nvidia", "NVIDIA"],
  ["deepinfra", "DeepInfra"],
  ["azure", "Azure"],
  ["amazon-bedrock", "Bedrock"],
  ["google-vertex", "Vertex"],
  ["google-vertex-anthropic", "Vertex"],
  ["minimax", "MiniMax"],
  ["sambanova", "SambaNova"],
  ["novita-ai", "Novita"],
  ["baseten", "Baseten"],
]);

export const GENAI_PROVIDERS: ReadonlyMap<string, string> = new Map([
  ["openai", "OpenAI"],
  ["anthropic", "Anthropic"],
  ["google", "Google"],
  ["mistral", "Mistral"],
  ["perplexity", "Perplexity"],
  ["cohere", "Cohere"],
  ["deepseek", "DeepSeek"],
  ["x-ai", "xAI"],
  ["groq", "Groq"],
  ["together", "Together"],
  ["fireworks", "Fireworks"],
  ["cerebras", "Cerebras"],
  ["openrouter", "OpenRouter"],
  ["moonshotai", "Moonshot"],
  ["zai", "ZAI"],
  ["azure", "Azure"],
  ["aws", "Bedrock"],
  ["minimax", "MiniMax"],
  ["novita", "Novita"],
  ["baseten", "Baseten"],
  ["voyageai", "Voyage"],
]);

/**
 * Providers for which public lists have the announced last days. For others they have days before which a model won't end, or
 * the release and some months (compared with the providers' pages on 2026-11-28).
 */
export const ENDS_LISTED: ReadonlySet<string> = new Set([
  "OpenAI",
  "Anthropic",
  "Mistral",
  "Groq",
  "Together",
  "Fireworks",
  "xAI",
]);

/** Returns our id for a list's name of a model: the catalogue's own spelling if it has the model. */
export function nameModel(provider: string, name: string, known: KnownIds): string {
  const id = `${provider}#${name}`;
  return known.get(id.toLowerCase()) ?? id;
}
