// The models that follow those which end: what an error about an ended model names.

/**
 * The provider's model of the same line, else the one nearest in price and abilities that it goes on serving. Suggestions,
 * chosen on 2026-11-26: no request is sent to a successor by itself. `$1` and so on are parts of the ended model's id.
 */
const SUCCESSORS: readonly { readonly ids: RegExp; readonly successor: string }[] = [
  { ids: /^(OpenAI|Azure)#gpt-5(\.1)?(-codex-mini|-mini)$/, successor: "$1#gpt-5.6-luna" },
  {
    ids: /^(OpenAI|Azure)#(gpt-5-nano|gpt-5\.4-nano|gpt-4o-mini|gpt-4\.1-mini)$/,
    successor: "$1#gpt-6-luna",
  },
  { ids: /^(OpenAI|Azure)#gpt-5\.4-mini$/, successor: "$1#gpt-6.1-terra" },
  { ids: /^(OpenAI|Azure)#(gpt-5-pro|gpt-5\.4-pro|o3-pro)$/, successor: "$1#gpt-6-astra" },
  { ids: /^Azure#gpt-5\.(4|5)$/, successor: "Azure#gpt-6.1-sol" },
  {
    ids: /^(OpenAI|Azure)#(gpt-5(\.[123])?(-codex(-max)?)?|gpt-4o|gpt-4\.1|o3)$/,
    successor: "$1#gpt-6.1-sol",
  },
  { ids: /^OpenAI#gpt-4o-2024-\d{2}-\d{2}$/, successor: "OpenAI#gpt-6.1-sol" },
  {
    ids: /^OpenAI#(gpt-image-1|gpt-image-1\.5|chatgpt-image-latest)$/,
    successor: "OpenAI#gpt-image-2.6-sunburst",
  },
  { ids: /^Azure#mistral-medium-2505$/, successor: "Azure#gpt-6.1-terra" },
  { ids: /^OpenAI#gpt-image-1-mini$/, successor: "OpenAI#gpt-image-2.6-flare" },
  {
    ids: /^OpenAI#(whisper-1|gpt-4o-transcribe|gpt-4o-mini-transcribe)$/,
    successor: "OpenAI#gpt-transcribe",
  },
  { ids: /^(Anthropic|Azure)#claude-(opus|sonnet|haiku)-4-.*$/, successor: "$1#claude-$2-5-5" },
  { ids: /^Azure#claude-sonnet-5$/, successor: "Azure#claude-sonnet-5-5" },
  { ids: /^Azure#claude-opus-5$/, successor: "Azure#claude-opus-5-5" },
  { ids: /^Azure#gpt-5\.6-sol$/, successor: "Azure#gpt-6.1-sol" },
  { ids: /^Azure#gpt-5\.6-terra$/, successor: "Azure#gpt-6.1-terra" },
  { ids: /^Azure#gpt-5\.6-luna$/, successor: "Azure#gpt-6-luna" },
  { ids: /^Azure#kimi-k2\.5$/, successor: "Azure#kimi-k2.6" },
  {
    ids: /^Bedrock#(\w+)\.anthropic\.claude-sonnet-4-5-.*$/,
    successor: "Bedrock#$1.anthropic.claude-sonnet-5-5",
  },
  { ids: /^Bedrock#deepseek\.v3-v1:0$/, successor: "Bedrock#deepseek.v3.2" },
  { ids: /^Bedrock#minimax\.minimax-m2(\.1)?$/, successor: "Bedrock#minimax.minimax-m2.5" },
  { ids: /^Bedrock#moonshot\.kimi-k2-thinking$/, successor: "Bedrock#moonshotai.kimi-k2.5" },
  { ids: /^Bedrock#nvidia\.nemotron-nano-9b-v2$/, successor: "Bedrock#nvidia.nemotron-nano-3-30b" },
  { ids: /^Bedrock#qwen\.qwen3-coder-\d+b-.*$/, successor: "Bedrock#qwen.qwen3-coder-next" },
  { ids: /^Bedrock#zai\.glm-4\.7(-flash)?$/, successor: "Bedrock#zai.glm-5" },
  { ids: /^Google#gemini-2\.5-flash$/, successor: "Google#gemini-3.8-flash" },
  { ids: /^Google#gemini-2\.5-pro$/, successor: "Google#gemini-4-argon" },
  {
    ids: /^Google#gemini-3(\.1)?-(pro|flash)-image-preview$/,
    successor: "Google#gemini-3.1-flash-lite-image",
  },
  { ids: /^Mistral#mistral-large-2512$/, successor: "Mistral#mistral-large-4" },
  { ids: /^Moonshot#kimi-k2\.5$/, successor: "Moonshot#kimi-k2.6" },
  { ids: /^xAI#grok-imagine-image-quality$/, successor: "xAI#grok-imagine-image" },
  {
    ids: /^Together#(zai-org\/GLM-5(\.1)?|moonshotai\/.*|nvidia\/.*)$/,
    successor: "Together#zai-org/GLM-5.2",
  },
  { ids: /^Together#Qwen\/Qwen3\.5-397B-A17B$/, successor: "Together#Qwen/Qwen3.6-Plus" },
  { ids: /^Together#google\/gemma-4-31B-it$/, successor: "Together#pearl-ai/gemma-4-31b-it" },
  {
    ids: /^Together#(openai\/gpt-oss-20b|meta-llama\/Llama-3\.3-.*)$/,
    successor: "Together#openai/gpt-oss-120b",
  },
  { ids: /^Together#MiniMaxAI\/MiniMax-M3$/, successor: "Together#MiniMaxAI/MiniMax-M2.7" },
  { ids: /^(Fireworks#.*\/)deepseek-v4-(flash|pro)$/, successor: "$1deepseek-v4p1-flash" },
  { ids: /^(Fireworks#.*\/)minimax-m2p7$/, successor: "$1minimax-m3" },
  { ids: /^(Fireworks#.*\/)kimi-k2p[67](-code)?$/, successor: "$1kimi-k3" },
  { ids: /^(Fireworks#.*\/)kimi-k2p[67](-code)?-fast$/, successor: "$1kimi-k2p6-turbo" },
  { ids: /^(Fireworks#.*\/)glm-5p2(-fast)?$/, successor: "$1glm-5p1$2" },
  { ids: /^(Fireworks#.*\/)gpt-oss-120b$/, successor: "$1gpt-oss-20b" },
  { ids: /^Vertex#(deepseek-ai|meta|openai)\/.*-maas$/, successor: "Vertex#openai/gpt-oss-120b-maas" },
];

/** Returns the id of the model that follows one which ends, or undefined if none is alike. */
export function findSuccessor(id: string): string | undefined {
  const row = SUCCESSORS.find(({ ids }) => ids.test(id));
  return row && id.replace(row.ids, row.successor);
}
