// The reasons for which the catalogue differs from a public list, by models and fields. Read on 2026-11-26.
import type { Proposal } from "../../../src/catalogue/feeds/verdict.ts";
import type { FeedFormat } from "../../../src/core/models/feed-format.ts";

export interface Difference {
  /** Missing for every list. */
  readonly list?: FeedFormat;
  readonly ids: RegExp;
  readonly field: Proposal["field"];
  readonly reason: string;
}

/** The first that fits counts. */
export const DIFFERENCES: readonly Difference[] = [
  {
    ids: /^OpenRouter#/,
    field: "price",
    reason: "what OpenRouter's answers report is charged; its list follows the cheapest host of the day",
  },
  {
    ids: /^(Together#(meta-llama\/Llama-3\.3|google\/gemma-4)|Fireworks#.*(deepseek-v4-(pro|flash)|minimax-m2p7)|Vertex#openai\/gpt-oss-20b)/,
    field: "price",
    reason: "the model has ended",
  },
  {
    ids: /^DeepSeek#deepseek-(flash|v4-flash|v4-pro)$/,
    field: "price",
    reason: "the list has the price of the busy hours, or the one before 17 August; ours depends on the hour",
  },
  {
    ids: /^ZAI#/,
    field: "price",
    reason:
      "writing to the cache is free for a limited time, and no answer reports writes; other cached rates stand in one list alone",
  },
  {
    ids: /^Perplexity#sonar$/,
    field: "price",
    reason:
      "the lists have the last rates of Sonar's chat completions, which ended on 27 September; ours are the Agent API's",
  },
  {
    ids: /claude-sonnet-4-5/,
    field: "price",
    reason: "its longer window with dearer prompts is another service: ours ends at 200,000 tokens",
  },
  {
    ids: /^Mistral#magistral-medium-latest$/,
    field: "price",
    reason: "the lists contradict each other: Mistral's page has Medium 3.5's price",
  },
  {
    ids: /^Mistral#codestral-embed$/,
    field: "price",
    reason: "no answer about embeddings reports a cached prompt",
  },
  {
    ids: /^OpenAI#chatgpt-image-latest$/,
    field: "price",
    reason: "it ends on 1 December, and which model answers isn't known",
  },
  {
    ids: /^Cohere#(c4ai-aya-expanse-32b|command-a-plus-05-2026)$/,
    field: "price",
    reason: "the lists contradict Cohere's page, or state nothing but each other",
  },
  {
    list: "litellm",
    ids: /^(Vertex|Google|Bedrock)#/,
    field: "shutdown",
    reason: "a day before which the model won't end, not its last day",
  },
  {
    list: "litellm",
    ids: /^Azure#text-embedding-/,
    field: "price",
    reason: "the price of regional deployments; ours is that of global ones",
  },
  {
    list: "litellm",
    ids: /^Azure#(deepseek-v4-|gpt-5\.4-pro)|^Google#gemini-2\.5-flash-image$/,
    field: "price",
    reason: "a discount for cached prompts that this list alone has; ours charges no less than the provider",
  },
  {
    list: "litellm",
    ids: /^(Bedrock#(.*cohere\.embed|amazon\.nova-2-multimodal)|Jina#)/,
    field: "price",
    reason: "no second source has a price",
  },
  {
    list: "litellm",
    ids: /^Vertex#gemini-3\.1-pro-preview/,
    field: "price",
    reason: "a rate of long prompts below that of short ones is a mistake of the list",
  },
  {
    list: "litellm",
    ids: /^OpenAI#gpt-4o-mini-tts$/,
    field: "price",
    reason: "OpenAI's page has 12 USD for sound",
  },
  {
    list: "litellm",
    ids: /^Moonshot#/,
    field: "price",
    reason: "Moonshot's requests name no time for which a cache is kept",
  },
  {
    list: "models.dev",
    ids: /./,
    field: "price",
    reason: "the newest row of the packaged list is of 21 May 2026; ours are of November",
  },
  {
    list: "genai-prices",
    ids: /^Bedrock#(apac|eu|jp)\.amazon\.nova-/,
    field: "price",
    reason: "the price of US regions; AWS' price list has the higher ones of others",
  },
  {
    list: "genai-prices",
    ids: /^xAI#/,
    field: "price",
    reason: "the same two prices, whose border is one token apart",
  },
  {
    list: "genai-prices",
    ids: /^Mistral#mistral-(embed|large-latest|medium-250[58])$/,
    field: "price",
    reason: "older than Mistral's page, or a discount that this list alone has",
  },
  {
    list: "genai-prices",
    ids: /^Together#meta-llama\/Meta-Llama-3-8B-Instruct-Lite$/,
    field: "price",
    reason: "older than Together's page",
  },
];
