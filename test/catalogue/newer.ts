// Models and facts that the lists lack, or that are newer than theirs.
import type { PriceFacts } from "./sources.ts";

/** Facts that the lists lack, or that are newer than theirs (the providers' own pages, November 2026). */
export interface Newer {
  readonly id: string;
  /** The model whose capabilities this one shares, according to the provider's description of the family. */
  readonly like?: string;
  readonly name?: string;
  readonly released?: string;
  readonly context?: number;
  readonly output?: number;
  readonly price?: PriceFacts;
}

/** OpenAI: a prompt above 272,000 tokens costs twice the input and cache rates and 1.5 times the output rate. */
function openAi(input: number, cached: number, output: number): PriceFacts {
  const write = input * 1.25;
  const base = { input, output, cached_input: cached, cache_write: write };
  const above = {
    above_tokens: 272000,
    input: input * 2,
    output: output * 1.5,
    cached_input: cached * 2,
    cache_write: write * 2,
  };
  return { ...base, tiers: [above] };
}

function gpt6(name: string, released: string, price: PriceFacts): Newer {
  const limits = { context: 1050000, output: 128000 };
  return { id: `OpenAI#${name}`, like: "OpenAI#gpt-6-astra", released, ...limits, price };
}

const MILLION = 1_000_000;
const GEMINI_LIMITS = { context: 1048576, output: 65536 };
const CLAUDE_5 = { like: "Anthropic#claude-opus-4-8", context: MILLION, output: 128000 };

export const NEWER: readonly Newer[] = [
  // Since 2026-08-21 (OpenAI, "Changelog"). A promotion that ran at least until 2026-11-21: the list price is 5 and 30.
  { id: "OpenAI#gpt-5.6-sol", price: openAi(4, 0.4, 20) },
  gpt6("gpt-6-sol", "2026-09-22", openAi(2, 0.2, 10)),
  gpt6("gpt-6-luna", "2026-09-22", openAi(0.1, 0.01, 0.5)),
  gpt6("gpt-6.1-sol", "2026-09-29", openAi(2, 0.1, 10)),
  gpt6("gpt-6.1-terra", "2026-10-26", openAi(1, 0.05, 5)),
  // OpenAI, "GPT-6.2 Sol" and "GPT-6.2 Astra" (model pages, read on 2026-11-28).
  gpt6("gpt-6.2-sol", "2026-11-17", openAi(2, 0.1, 10)),
  gpt6("gpt-6.2-astra", "2026-11-17", openAi(8, 0.4, 40)),
  { id: "Anthropic#claude-opus-5", ...CLAUDE_5 },
  {
    id: "Anthropic#claude-opus-5-5",
    ...CLAUDE_5,
    price: { input: 4, output: 20, cached_input: 0.2, cache_write: 5, per_search: 0.01 },
  },
  {
    id: "Anthropic#claude-sonnet-5-5",
    ...CLAUDE_5,
    price: { input: 2, output: 10, cached_input: 0.1, cache_write: 2.5, per_search: 0.01 },
  },
  {
    id: "Anthropic#claude-fable-5-1",
    ...CLAUDE_5,
    released: "2026-09-01",
    price: { input: 10, output: 50, cached_input: 0.25, cache_write: 12.5, per_search: 0.01 },
  },
  // Anthropic, "What's new in Claude Fable 5.2" (read on 2026-11-28).
  {
    id: "Anthropic#claude-fable-5-2",
    ...CLAUDE_5,
    released: "2026-11-09",
    price: { input: 8, output: 40, cached_input: 0.2, cache_write: 10, per_search: 0.01 },
  },
  {
    id: "Anthropic#claude-haiku-5-5",
    ...CLAUDE_5,
    released: "2026-10-07",
    price: {
      input: 0.1,
      output: 0.5,
      cached_input: 0.01,
      cache_write: 0.125,
      per_search: 0.01,
      tiers: [{ above_tokens: 100000, input: 0.5, output: 2.5, cached_input: 0.05, cache_write: 0.625 }],
    },
  },
  {
    id: "Google#gemini-3.5-flash-lite",
    like: "Google#gemini-3.5-flash",
    released: "2026-07-21",
    ...GEMINI_LIMITS,
  },
  {
    id: "Google#gemini-3.6-flash",
    like: "Google#gemini-3.5-flash",
    released: "2026-07-21",
    ...GEMINI_LIMITS,
  },
  { id: "Google#gemini-3.7-flash", like: "Google#gemini-3.5-flash" },
  {
    id: "Google#gemini-3.8-flash",
    like: "Google#gemini-3.5-flash",
    released: "2026-09-02",
    ...GEMINI_LIMITS,
  },
  {
    id: "xAI#grok-4.5",
    like: "xAI#grok-4.3",
    released: "2026-07-09",
    price: {
      input: 2,
      output: 6,
      cached_input: 0.3,
      tiers: [{ above_tokens: 200000, input: 4, output: 12, cached_input: 0.6 }],
    },
  },
  { id: "Moonshot#kimi-k3", like: "Moonshot#kimi-k2.6" },
  {
    id: "Fireworks#kimi-k3",
    name: "accounts/fireworks/models/kimi-k3",
    like: "Fireworks#accounts/fireworks/models/kimi-k2p6",
  },
  {
    id: "Fireworks#kimi-k3-fast",
    name: "accounts/fireworks/routers/kimi-k3-fast",
    like: "Fireworks#accounts/fireworks/models/kimi-k2p6",
  },
  {
    id: "ZAI#glm-5.3",
    like: "ZAI#glm-5.2",
    context: MILLION,
    price: { input: 1.4, output: 4.4, cached_input: 0.26 },
  },
  // As collected in LiteLLM 1.110.2 (PyPI, read on 2026-11-26) from the vendors' price pages.
  {
    id: "OpenAI#gpt-6-rosalind",
    like: "OpenAI#gpt-6-astra",
    context: 1050000,
    output: 128000,
    price: openAi(15, 1.5, 75),
  },
  {
    id: "Google#gemini-4-argon",
    like: "Google#gemini-3.8-flash",
    context: 1048576,
    output: 1048576,
    price: { input: 2, output: 10, cached_input: 0.1 },
  },
  {
    id: "Google#gemini-4-hydrogen",
    like: "Google#gemini-3.8-flash",
    context: 1048576,
    output: 1048576,
    price: { input: 1.5, output: 7.5, cached_input: 0.075 },
  },
  // Google, "Gemini 4 Carbon" and "Developer's guide to Gemini 4 Neon" (read on 2026-11-28).
  {
    id: "Google#gemini-4-carbon",
    like: "Google#gemini-3.8-flash",
    released: "2026-11-10",
    context: 1048576,
    output: 1048576,
    price: { input: 2, output: 10, cached_input: 0.1 },
  },
  {
    id: "Google#gemini-4-neon",
    like: "Google#gemini-3.8-flash",
    released: "2026-11-18",
    ...GEMINI_LIMITS,
    price: { input: 3, output: 15, cached_input: 0.15 },
  },
  {
    id: "xAI#grok-4.6",
    like: "xAI#grok-4.5",
    context: 500000,
    output: 500000,
    price: {
      input: 2,
      output: 6,
      cached_input: 0.5,
      tiers: [{ above_tokens: 200000, input: 4, output: 12, cached_input: 1 }],
    },
  },
  {
    id: "Moonshot#kimi-k3.1-pro",
    like: "Moonshot#kimi-k3",
    context: 1048576,
    output: 1048576,
    price: { input: 2, output: 10, cached_input: 0.2 },
  },
  {
    id: "ZAI#glm-5.3-flash",
    like: "ZAI#glm-5.3",
    context: 1048576,
    output: 128000,
    price: { input: 0.15, output: 0.5, cached_input: 0.03 },
  },
  {
    id: "Mistral#mistral-large-4",
    like: "Mistral#mistral-large-2512",
    context: 1048576,
    output: 1048576,
    price: { input: 0.7, output: 2.1, cached_input: 0.07 },
  },
  {
    id: "Groq#qwen/qwen3.8-27b",
    like: "Groq#qwen/qwen3-32b",
    context: 131072,
    output: 16384,
    price: { input: 0.8, output: 4 },
  },
  {
    id: "Cerebras#qwen-3.8-27b",
    like: "Cerebras#zai-glm-4.7",
    context: 65536,
    output: 32768,
    price: { input: 0.99, output: 1.49 },
  },
  {
    id: "Together#deepseek-ai/DeepSeek-V4.1-Flash",
    like: "Together#deepseek-ai/DeepSeek-V4-Pro",
    context: 1048576,
    output: 1048576,
    price: { input: 0.3, output: 1.2, cached_input: 0.006 },
  },
  {
    id: "Fireworks#deepseek-v4p1-flash",
    name: "accounts/fireworks/models/deepseek-v4p1-flash",
    like: "Fireworks#accounts/fireworks/models/deepseek-v4-flash",
    context: 1048576,
    output: 393216,
    price: { input: 0.3, output: 1.2, cached_input: 0.006 },
  },
  {
    id: "DeepInfra#deepseek-ai/DeepSeek-V4.1-Flash",
    like: "DeepInfra#deepseek-ai/DeepSeek-V4-Flash",
    context: 1048576,
    output: 131072,
    price: { input: 0.14, output: 0.42, cached_input: 0.0042 },
  },
  { id: "Mistral#mistral-large-2512", released: "2025-12-02" },
  { id: "Mistral#mistral-large-latest", released: "2025-12-02" },
  {
    id: "Mistral#mistral-medium-latest",
    like: "Mistral#mistral-medium-2604",
    released: "2026-04-29",
    context: 262144,
    output: 262144,
    price: { input: 1.5, output: 7.5 },
  },
  { id: "Mistral#codestral-2508", like: "Mistral#codestral-latest", context: 256000 },
  { id: "Mistral#ministral-3b-2512", like: "Mistral#mistral-small-2603", released: "2025-12-02" },
  {
    id: "Mistral#ministral-8b-2512",
    like: "Mistral#mistral-small-2603",
    released: "2025-12-02",
    price: { input: 0.15, output: 0.15, cached_input: 0.015 },
  },
  { id: "Mistral#ministral-14b-2512", like: "Mistral#mistral-small-2603", released: "2025-12-02" },
  // Sonar continues in the Agent API, at its rates and $5 per 1,000 searches.
  { id: "Perplexity#sonar", price: { input: 0.25, output: 2.5, cached_input: 0.0625, per_search: 0.005 } },
  { id: "Perplexity#sonar-pro", price: { input: 3, output: 15, per_search: 0.005 } },
  { id: "Perplexity#sonar-reasoning-pro", price: { input: 2, output: 8, per_search: 0.005 } },
  // The introductory price became permanent. The dated list still announces a rise.
  {
    id: "Anthropic#claude-sonnet-5",
    price: { input: 2, output: 10, cached_input: 0.2, cache_write: 2.5, per_search: 0.01 },
  },
  {
    id: "OpenRouter#anthropic/claude-sonnet-5",
    price: { input: 2, output: 10, cached_input: 0.2, cache_write: 2.5 },
  },
];
