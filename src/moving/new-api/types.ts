// Types of channels: new-api and One API, which it comes from, number vendors differently.
import type { ForeignRow } from "../columns.ts";

/** The address of a channel: all that stands before `/chat/completions`, or that too. Else the version is missing. */
export type AddressKind = "base" | "call";
/** A vendor, its provider here, if there is one, and the kind of address. */
type ChannelType = readonly [vendor: string, provider?: string, kind?: AddressKind];
export type ChannelTypes = Readonly<Record<number, ChannelType>>;

/** Both have these numbers. */
const SHARED: ChannelTypes = {
  1: ["OpenAI", "OpenAI"],
  3: ["Azure", "Azure"],
  6: ["OpenAI Max"],
  7: ["OhMyGPT"],
  8: ["a custom address", "OpenAI"],
  9: ["AILS"],
  10: ["AI Proxy"],
  11: ["PaLM"],
  12: ["API2GPT"],
  13: ["AIGC2D"],
  14: ["Anthropic", "Anthropic"],
  15: ["Baidu"],
  16: ["Zhipu", "ZAI"],
  17: ["Alibaba", "Qwen"],
  18: ["Xunfei"],
  19: ["360"],
  20: ["OpenRouter", "OpenRouter"],
  21: ["AI Proxy's library"],
  22: ["FastGPT"],
  23: ["Tencent"],
  24: ["Gemini", "Google"],
  25: ["Moonshot", "Moonshot"],
  31: ["01.AI"],
  33: ["AWS", "Bedrock"],
};

/** new-api's `constant/channel.go`. */
const NEW_API: ChannelTypes = {
  ...SHARED,
  2: ["Midjourney"],
  4: ["Ollama", "Ollama"],
  5: ["Midjourney"],
  8: ["a custom address", "OpenAI", "call"],
  26: ["Zhipu", "ZAI"],
  27: ["Perplexity", "Perplexity"],
  34: ["Cohere", "Cohere"],
  35: ["MiniMax"],
  36: ["Suno"],
  37: ["Dify"],
  38: ["Jina", "Jina"],
  39: ["Cloudflare"],
  40: ["SiliconFlow"],
  41: ["Vertex AI", "Vertex"],
  42: ["Mistral", "Mistral"],
  43: ["DeepSeek", "DeepSeek"],
  44: ["Moka AI"],
  45: ["VolcEngine"],
  46: ["Baidu"],
  47: ["Xinference"],
  48: ["xAI", "xAI"],
  49: ["Coze"],
  50: ["Kling"],
  51: ["Jimeng"],
  52: ["Vidu"],
  53: ["Submodel"],
  54: ["Doubao"],
  55: ["Sora"],
  56: ["Replicate"],
  57: ["Codex"],
};

/** One API's `relay/channeltype/define.go`. */
const ONE_API: ChannelTypes = {
  ...SHARED,
  2: ["API2D"],
  4: ["CloseAI"],
  5: ["OpenAI-SB"],
  26: ["Baichuan"],
  27: ["MiniMax"],
  28: ["Mistral", "Mistral"],
  29: ["Groq", "Groq"],
  30: ["Ollama", "Ollama"],
  32: ["StepFun"],
  34: ["Coze"],
  35: ["Cohere", "Cohere"],
  36: ["DeepSeek", "DeepSeek"],
  37: ["Cloudflare"],
  38: ["DeepL"],
  39: ["Together", "Together"],
  40: ["Doubao"],
  41: ["Novita"],
  42: ["Vertex AI", "Vertex"],
  43: ["a proxy"],
  44: ["SiliconFlow"],
  45: ["xAI", "xAI"],
  46: ["Replicate"],
  47: ["Baidu"],
  48: ["Xunfei"],
  49: ["Alibaba", "Qwen"],
  50: ["an OpenAI-compatible server", "OpenAI", "base"],
  51: ["Gemini", "Google"],
};

/** The words of one of the two for the same things. */
export interface Flavour {
  readonly types: ChannelTypes;
  /** The columns of a token's limits. */
  readonly models: string;
  readonly addresses: string;
  /** Between two addresses. new-api has one a line, in which commas count for nothing. */
  readonly addressEnd: RegExp;
  /** The column that says if the models count. Null if they always do. */
  readonly modelsSwitch: string | null;
}

const NEW: Flavour = {
  types: NEW_API,
  models: "model_limits",
  addresses: "allow_ips",
  addressEnd: /,*\s*\n/,
  modelsSwitch: "model_limits_enabled",
};
const ONE: Flavour = {
  types: ONE_API,
  models: "models",
  addresses: "subnet",
  addressEnd: /,/,
  modelsSwitch: null,
};
/** Columns that only one of them has, in either table. */
const ONLY_NEW = ["model_limits", "model_limits_enabled", "allow_ips", "setting", "auto_ban"];
const ONLY_ONE = ["subnet", "config", "system_prompt"];

/** A database that moved from One API to new-api kept the columns of both, of which only new-api's count. */
export function findFlavour(tables: {
  readonly tokens: readonly ForeignRow[];
  readonly channels: readonly ForeignRow[];
}): Flavour {
  const has = (columns: readonly string[]) =>
    [...tables.tokens, ...tables.channels].some((row) => columns.some((column) => column in row));
  return has(ONLY_ONE) && !has(ONLY_NEW) ? ONE : NEW;
}
