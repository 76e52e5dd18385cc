// Corrections of the public lists: retired names, newer facts, and which model another resembles.
import { BEDROCK_LEFT_OUT } from "./bedrock.ts";
import type { PriceFacts } from "./sources.ts";

/** The date for which the catalogue is built. */
export const BUILT_FOR = "2026-11-26";

/** Names that no longer serve chat completions, or never did, by provider, with the reason. */
export const LEFT_OUT: Readonly<Record<string, readonly { readonly names: RegExp; readonly why: string }[]>> =
  {
    Bedrock: BEDROCK_LEFT_OUT,
    OpenAI: [
      {
        names: /^(gpt-3\.5|gpt-4(-turbo)?$|gpt-4o-2024-05-13|gpt-4\.1-nano|o1|o3-mini|o4-mini)/,
        why: "shut down 2026-10-23",
      },
      { names: /-chat-latest$/, why: "chat variants, shut down by 2026-08-10" },
      { names: /deep-research|realtime|image/, why: "not a chat completion" },
    ],
    Anthropic: [{ names: /^claude-(opus|sonnet)-4-(0|1)|-4-2025/, why: "retired 2026-06-15 and 2026-08-05" }],
    Google: [
      { names: /-image/, why: "draws" },
      { names: /-latest$/, why: "moves from model to model, and its listed price is an old one's" },
    ],
    Mistral: [
      { names: /^(mistral-large-2411|pixtral|open-|mistral-nemo)/, why: "retired by 2026-05-31" },
      {
        names: /^ministral-(3b|8b)-latest$/,
        why: "moved on, and its listed price is an old model's",
      },
    ],
    Cohere: [{ names: /^c4ai-aya-(expanse|vision)-8b$/, why: "retired 2026-04-04" }],
    DeepSeek: [{ names: /^deepseek-(chat|reasoner)$/, why: "answer 400 since 2026-07-24" }],
    xAI: [{ names: /multi-agent/, why: "not a chat completion" }],
    Groq: [{ names: /^llama-3/, why: "shut down 2026-08-16" }],
    Moonshot: [{ names: /^kimi-k2-/, why: "discontinued 2026-05-25" }],
    Qwen: [
      { names: /omni|realtime|-mt-|-ocr$|livetranslate/, why: "speech, translation or text recognition" },
    ],
    Vertex: [
      { names: /^gemini-2\.5-(pro|flash)(-lite)?$/, why: "retired there 2026-10-20" },
      { names: /-latest$/, why: "moves from model to model, and its listed price is an old one's" },
    ],
    NVIDIA: [
      {
        names:
          /bge-|esm|paligemma|speaker|bevformer|gliner|safety|voicechat|translate|sparsedrive|streampetr|studiovoice|detector|usd(code|validate)/,
        why: "not a chat model",
      },
      {
        names: /^(mistralai\/(mi[xs]tral-[78]|magistral)|upstage\/solar-10|google\/gemma-2-|abacusai)/,
        why: "superseded",
      },
    ],
  };

/**
 * Prices beside those of text, which the lists lack: web searches that the provider runs (OpenAI's, xAI's and Google's
 * price pages; Google bills a prompt with searches before generation 3, each query since), and sound in a prompt.
 */
export const ALSO_PRICED: readonly { readonly ids: RegExp; readonly price: Partial<PriceFacts> }[] = [
  { ids: /^OpenAI#/, price: { per_search: 0.01 } },
  { ids: /^xAI#/, price: { per_search: 0.005 } },
  { ids: /^(Google|Vertex)#gemini-2/, price: { per_search: 0.035 } },
  { ids: /^(Google|Vertex)#gemini-[3-9]/, price: { per_search: 0.014 } },
  { ids: /^(Google|Vertex)#gemini-(2\.5-flash|3-flash-preview)$/, price: { input_audio: 1 } },
  { ids: /^(Google|Vertex)#gemini-2\.5-flash-lite$/, price: { input_audio: 0.3 } },
  { ids: /^(Google|Vertex)#gemini-3\.1-flash-lite$/, price: { input_audio: 0.5 } },
];

/** Models that are really free. Any other 0 in the lists is a missing price. */
export const FREE = /^(ZAI#glm-4\.[57]-flash|OpenRouter#.*:free)$/;

/** Models that selectors don't choose by default. */
export const KINDS: readonly { readonly names: RegExp; readonly kind: string }[] = [
  { names: /-preview/, kind: "preview" },
  { names: /codestral/, kind: "completion" },
];

/** Chat models that also serve legacy completions (the providers' pages on "FIM"). */
export const FILLS_IN = /^(Mistral#codestral-|DeepSeek#deepseek-v4-)/;

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

const MILLION = 1_000_000;
const GEMINI_LIMITS = { context: 1048576, output: 65536 };
const CLAUDE_5 = { like: "Anthropic#claude-opus-4-8", context: MILLION, output: 128000 };

export const NEWER: readonly Newer[] = [
  // Since 2026-08-21 (OpenAI, "Changelog"). A promotion that ran at least until 2026-11-21: the list price is 5 and 30.
  { id: "OpenAI#gpt-5.6-sol", price: openAi(4, 0.4, 20) },
  {
    id: "OpenAI#gpt-6-sol",
    like: "OpenAI#gpt-6-astra",
    released: "2026-09-22",
    context: 1050000,
    output: 128000,
    price: openAi(2, 0.2, 10),
  },
  {
    id: "OpenAI#gpt-6-luna",
    like: "OpenAI#gpt-6-astra",
    released: "2026-09-22",
    context: 1050000,
    output: 128000,
    price: openAi(0.1, 0.01, 0.5),
  },
  {
    id: "OpenAI#gpt-6.1-sol",
    like: "OpenAI#gpt-6-astra",
    released: "2026-09-29",
    context: 1050000,
    output: 128000,
    price: openAi(2, 0.1, 10),
  },
  {
    id: "OpenAI#gpt-6.1-terra",
    like: "OpenAI#gpt-6-astra",
    released: "2026-10-26",
    context: 1050000,
    output: 128000,
    price: openAi(1, 0.05, 5),
  },
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

const CALLS_AT_WILL = { add: ["tools_auto"], remove: ["tools"] };

/** Capabilities that the lists omit or get wrong, from the providers' API references. */
export const CAPABILITY_RULES: readonly {
  readonly ids: RegExp;
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}[] = [
  { ids: /^Anthropic#/, add: ["structured"] },
  { ids: /^Mistral#/, add: ["structured"] },
  { ids: /^Bedrock#.*anthropic\.claude/, add: ["tools", "vision", "files", "structured", "reasoning"] },
  { ids: /^Perplexity#/, add: ["tools", "structured"] },
  { ids: /^Cohere#command-(a|r)(?!.*(translate|vision))/, add: ["structured"] },
  { ids: /^OpenAI#(gpt-4o|gpt-5|o3)/, add: ["files"] },
  // OpenAI, "Web search" (not the research preview); Messages API, "Web search tool"; Gemini API and Vertex AI,
  // "Grounding with Google Search"; xAI, "Web search"; Perplexity's models search anyway. Other hosts of these models
  // state no price, or don't search.
  { ids: /./, remove: ["search"] },
  { ids: /^OpenAI#(?!.*-spark$)/, add: ["search"] },
  { ids: /^(Anthropic|Perplexity)#/, add: ["search"] },
  { ids: /^(Google|Vertex)#gemini-/, add: ["search"] },
  { ids: /^xAI#grok-[4-9]/, add: ["search"] },
  { ids: /^DeepSeek#/, remove: ["structured"] },
  { ids: /^Mistral#ministral-/, remove: ["reasoning"] },
  // Models that can't be forced to call a tool, by the same sources as their providers' quirks.
  { ids: /^(Bedrock#\w+\.anthropic\.|\w+#)claude-(fable-5-1|(opus|sonnet)-5-5)(@default)?$/, ...CALLS_AT_WILL },
  { ids: /^Cohere#command-r-(plus-)?08-2024$/, ...CALLS_AT_WILL },
  { ids: /^Moonshot#kimi-k2\.7/, ...CALLS_AT_WILL },
  { ids: /^Qwen#(qwq-plus|.*-thinking)$/, ...CALLS_AT_WILL },
  { ids: /^ZAI#/, ...CALLS_AT_WILL },
  // Open models that can be forced on some hosts only.
  { ids: /^OpenRouter#(z-ai\/glm|moonshotai\/kimi)/, add: ["tools"], remove: ["tools_auto"] },
];
