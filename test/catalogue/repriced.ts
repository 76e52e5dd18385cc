// Prices on which the lists that the catalogue is made from are wrong or out of date.
import type { PriceFacts } from "./sources.ts";

/** DeepSeek doubles all prices at these hours in UTC. */
function doubleWhileBusy(price: { input: number; output: number; cached_input: number }): PriceFacts {
  const days = ["mon", "tue", "wed", "thu", "fri"];
  const busy = { input: 2 * price.input, output: 2 * price.output, cached_input: 2 * price.cached_input };
  return {
    ...price,
    hours: [
      { days, from: "01:00", to: "04:00", ...busy },
      { days, from: "06:00", to: "10:00", ...busy },
    ],
  };
}

/** The rates that differ, from the providers' own pages as collected in LiteLLM 1.110.2 (PyPI, read on 2026-11-26). */
export const REPRICED: Readonly<Record<string, Partial<PriceFacts>>> = {
  // DeepSeek, "Models & Pricing", since 2026-08-17.
  "DeepSeek#deepseek-v4-flash": doubleWhileBusy({ input: 0.15, output: 0.6, cached_input: 0.003 }),
  "DeepSeek#deepseek-v4-pro": doubleWhileBusy({ input: 0.66, output: 1.98, cached_input: 0.022 }),
  // AWS, "Amazon Bedrock pricing" and its price list: the rise of Sonnet 5 planned for 1 September was cancelled, and Nova
  // costs more in Europe and Asia.
  "Bedrock#amazon.nova-2-lite-v1:0": { input: 0.3, output: 2.5, cached_input: 0.075 },
  "Bedrock#apac.amazon.nova-lite-v1:0": { input: 0.063, output: 0.252, cached_input: 0.01575 },
  "Bedrock#apac.amazon.nova-micro-v1:0": { input: 0.037, output: 0.148, cached_input: 0.00925 },
  "Bedrock#apac.amazon.nova-pro-v1:0": { input: 0.84, output: 3.36, cached_input: 0.21 },
  "Bedrock#au.anthropic.claude-sonnet-5": { input: 2.2, output: 11.0, cached_input: 0.22, cache_write: 2.75 },
  "Bedrock#eu.amazon.nova-2-lite-v1:0": { input: 0.429, output: 3.597, cached_input: 0.10725 },
  "Bedrock#eu.amazon.nova-lite-v1:0": { input: 0.078, output: 0.312, cached_input: 0.0195 },
  "Bedrock#eu.amazon.nova-micro-v1:0": { input: 0.046, output: 0.184, cached_input: 0.0115 },
  "Bedrock#eu.amazon.nova-pro-v1:0": { input: 1.05, output: 4.2, cached_input: 0.2625 },
  "Bedrock#eu.anthropic.claude-sonnet-5": { input: 2.2, output: 11.0, cached_input: 0.22, cache_write: 2.75 },
  "Bedrock#global.anthropic.claude-sonnet-5": {
    input: 2.0,
    output: 10.0,
    cached_input: 0.2,
    cache_write: 2.5,
  },
  "Bedrock#jp.amazon.nova-2-lite-v1:0": { input: 0.396, output: 3.311, cached_input: 0.099 },
  "Bedrock#jp.anthropic.claude-sonnet-5": { input: 2.2, output: 11.0, cached_input: 0.22, cache_write: 2.75 },
  "Bedrock#qwen.qwen3-coder-next": { input: 0.5, output: 1.2 },
  "Bedrock#qwen.qwen3-next-80b-a3b": { input: 0.15, output: 1.2 },
  "Bedrock#us.anthropic.claude-sonnet-5": { input: 2.2, output: 11.0, cached_input: 0.22, cache_write: 2.75 },
  // Mistral, "Pricing": the cached part of a prompt costs a tenth, and Magistral is Medium 3.5.
  "Mistral#magistral-medium-latest": { input: 1.5, output: 7.5, cached_input: 0.15 },
  "Mistral#codestral-latest": { cached_input: 0.03 },
  "Mistral#mistral-large-latest": { cached_input: 0.05 },
  "Mistral#mistral-medium-2505": { cached_input: 0.04 },
  "Mistral#mistral-medium-2508": { cached_input: 0.04 },
  "Mistral#mistral-medium-2604": { cached_input: 0.15 },
  "Mistral#mistral-medium-latest": { cached_input: 0.15 },
  "Mistral#mistral-small-2506": { cached_input: 0.01 },
  "Mistral#mistral-small-latest": { cached_input: 0.015 },
  // Z.ai, "Pricing".
  "ZAI#glm-4.5v": { cached_input: 0.11 },
  "ZAI#glm-4.6v": { cached_input: 0.05 },
  // Microsoft, "Azure AI Foundry Models pricing": the cached part of a prompt costs a tenth.
  "Azure#deepseek-v4-flash": { cached_input: 0.019 },
  "Azure#deepseek-v4-pro": { cached_input: 0.174 },
  // Together AI, "Pricing".
  "Together#Qwen/Qwen3.7-Max": { input: 2.5, output: 7.5, cached_input: 0.5 },
  "Together#meta-llama/Llama-3.3-70B-Instruct-Turbo": { input: 1.04, output: 1.04 },
  "Together#Qwen/Qwen3.5-397B-A17B": { cached_input: 0.35 },
  "Together#zai-org/GLM-5.1": { cached_input: 0.26 },
  // DeepInfra, "Pricing".
  "DeepInfra#Qwen/Qwen3-Coder-480B-A35B-Instruct-Turbo": { cached_input: 0.1 },
  "DeepInfra#Qwen/Qwen3.6-35B-A3B": { input: 0.1 },
  "DeepInfra#deepseek-ai/DeepSeek-V4-Flash": { input: 0.09, output: 0.18, cached_input: 0.018 },
  "DeepInfra#google/gemma-4-31B-it": { input: 0.2, output: 0.4 },
  "DeepInfra#meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8": { input: 0.2, output: 0.8 },
  "DeepInfra#moonshotai/Kimi-K2.7-Code": { input: 0.68, output: 3.4, cached_input: 0.136 },
  "DeepInfra#openai/gpt-oss-120b": { input: 0.037, output: 0.17 },
  "DeepInfra#zai-org/GLM-4.6": { input: 0.5, output: 2.0, cached_input: 0.1 },
  "DeepInfra#zai-org/GLM-4.7-Flash": { cached_input: 0.01 },
  "DeepInfra#zai-org/GLM-5.2": { input: 0.75, output: 2.4, cached_input: 0.14 },
  // Fireworks, "Serverless pricing".
  "Fireworks#accounts/fireworks/models/glm-5p2": { cached_input: 0.14 },
  // Alibaba Cloud, "Model pricing".
  "Qwen#qwen3-next-80b-a3b-instruct": { input: 0.15, output: 1.2 },
  "Qwen#qwen3-next-80b-a3b-thinking": { input: 0.15, output: 1.2 },
  // MiniMax, "Pay as you go", and Novita by the same: prompts over 512K tokens cost twice as much.
  "MiniMax#MiniMax-M3": {
    tiers: [{ above_tokens: 512_000, input: 0.6, output: 2.4, cached_input: 0.12 }],
  },
  "Novita#minimax/minimax-m3": {
    tiers: [{ above_tokens: 524_288, input: 0.6, output: 2.4, cached_input: 0.12 }],
  },
  // OpenRouter's list of models, as collected in genai-prices 0.2.3 (PyPI, read on 2026-11-26).
  "OpenRouter#deepseek/deepseek-v3.2": { input: 0.26, output: 0.38, cached_input: 0.13 },
  "OpenRouter#deepseek/deepseek-v4-flash": { input: 0.105, output: 0.21, cached_input: 0.021 },
  "OpenRouter#deepseek/deepseek-v4-pro": { input: 1.416, output: 2.832, cached_input: 0.118 },
  "OpenRouter#google/gemma-4-31b-it": { input: 0.15, output: 0.4, cached_input: 0.06 },
  "OpenRouter#meta-llama/llama-3.3-70b-instruct": { input: 0.59, output: 0.79, cached_input: 0.295 },
  "OpenRouter#moonshotai/kimi-k2.5": { input: 0.532, output: 3.325, cached_input: 0.209 },
  "OpenRouter#moonshotai/kimi-k2.6": { input: 0.95, output: 4.0, cached_input: 0.16 },
  "OpenRouter#moonshotai/kimi-k2.7-code": { input: 0.95, output: 4.0, cached_input: 0.19 },
  "OpenRouter#nvidia/nemotron-3-super-120b-a12b": { input: 0.08 },
  "OpenRouter#nvidia/nemotron-3-ultra-550b-a55b": { input: 0.6, output: 2.4, cached_input: 0.12 },
  "OpenRouter#openai/gpt-oss-120b": { input: 0.1, output: 0.5 },
  "OpenRouter#openai/gpt-oss-20b": { input: 0.03, cached_input: 0.009 },
  "OpenRouter#qwen/qwen3-coder": { input: 0.3, output: 1.0, cached_input: 0.1 },
  "OpenRouter#qwen/qwen3.5-397b-a17b": { cached_input: 0.3 },
  "OpenRouter#qwen/qwen3.7-max": { input: 1.475, output: 4.425, cached_input: 0.295, cache_write: 1.84375 },
  "OpenRouter#qwen/qwen3.7-plus": { input: 0.32, output: 1.28, cached_input: 0.064, cache_write: 0.4 },
  "OpenRouter#z-ai/glm-4.7": { input: 0.6, output: 2.2, cached_input: 0.11 },
  "OpenRouter#z-ai/glm-5": { input: 1.0, output: 3.2, cached_input: 0.2 },
  "OpenRouter#z-ai/glm-5.1": { input: 1.4, output: 4.4, cached_input: 0.26 },
};

/**
 * The rates that follow introductory ones, from a day on (Google, "Gemini Developer API pricing", as collected in genai-prices
 * 0.2.3, PyPI, read on 2026-11-26; Carbon's by its own page, read on 2026-11-28). Vertex AI and OpenRouter have had the same
 * prices so far.
 */
export const LATER: readonly { readonly ids: RegExp; readonly from: string; readonly price: PriceFacts }[] = [
  {
    ids: /^(Google|Vertex)#gemini-3\.[678]-flash$/,
    from: "2027-01-01",
    price: { input: 1.5, output: 7.5, cached_input: 0.15 },
  },
  {
    ids: /^(Google#|Vertex#|OpenRouter#google\/)gemini-4-(argon|carbon)$/,
    from: "2026-12-01",
    price: { input: 4, output: 20, cached_input: 0.2 },
  },
];

/** Windows that the lists lack, from the same collection: of prompt and answer together, and of the answer. */
export const WINDOWS: Readonly<Record<string, { readonly context: number; readonly output?: number }>> = {
  "Mistral#ministral-14b-2512": { context: 262144, output: 262144 },
  "Mistral#ministral-3b-2512": { context: 131072, output: 131072 },
  "Mistral#ministral-8b-2512": { context: 262144, output: 262144 },
  "Bedrock#amazon.nova-2-lite-v1:0": { context: 1000000, output: 64000 },
  "Bedrock#eu.amazon.nova-2-lite-v1:0": { context: 1000000, output: 64000 },
  "Bedrock#global.amazon.nova-2-lite-v1:0": { context: 1000000, output: 64000 },
  "Bedrock#google.gemma-3-4b-it": { context: 128000, output: 8000 },
  "Bedrock#jp.amazon.nova-2-lite-v1:0": { context: 1000000, output: 64000 },
  "Bedrock#mistral.ministral-3-14b-instruct": { context: 128000, output: 8000 },
  "Bedrock#mistral.ministral-3-8b-instruct": { context: 128000, output: 8000 },
  "Bedrock#nvidia.nemotron-nano-12b-v2": { context: 128000, output: 8000 },
  "Bedrock#nvidia.nemotron-nano-9b-v2": { context: 128000, output: 8000 },
  "Bedrock#us.amazon.nova-2-lite-v1:0": { context: 1000000, output: 64000 },
};
