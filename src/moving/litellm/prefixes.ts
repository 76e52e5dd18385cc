// LiteLLM's names of providers, which stand before a model's name, with the provider here.

/** LiteLLM's documentation, "Providers": those whose names there and here differ. */
export const PREFIXES: Readonly<Record<string, string>> = {
  "text-completion-openai": "OpenAI",
  azure_text: "Azure",
  gemini: "Google",
  vertex_ai_beta: "Vertex",
  bedrock_converse: "Bedrock",
  mistralai: "Mistral",
  codestral: "Mistral",
  dashscope: "Qwen",
  nvidia_nim: "NVIDIA",
  hosted_vllm: "vLLM",
  // Servers that speak OpenAI's dialect.
  custom_openai: "OpenAI",
  openai_like: "OpenAI",
  litellm_proxy: "OpenAI",
  llamafile: "OpenAI",
  xinference: "OpenAI",
  llamacpp: "OpenAI",
};

/** Models without a prefix. LiteLLM finds their provider in a list of names. */
const BARE: readonly (readonly [look: RegExp, prefix: string])[] = [
  [/^(gpt-|o\d|chatgpt|text-embedding-|(text|omni)-mod|dall-e|whisper|tts-|ft:)/, "openai"],
  [/^(davinci|babbage|text-davinci)/, "openai"],
  [/^claude/, "anthropic"],
  [/^gemini/, "gemini"],
  [/^(mistral|codestral|ministral|pixtral|magistral)/, "mistral"],
  [/^(command|embed-|rerank-)/, "cohere"],
  [/^deepseek/, "deepseek"],
  [/^grok/, "xai"],
  [/^sonar/, "perplexity"],
];

/** Returns the prefix and the name of a model as LiteLLM reads it. Null for a bare name that no vendor is known by. */
export function splitModel(
  model: string,
  custom: string | undefined,
): { readonly prefix: string; readonly name: string } | null {
  const [head = "", ...rest] = model.split("/");
  const name = rest.join("/");
  if (custom !== undefined) return { prefix: custom, name: head === custom && name !== "" ? name : model };
  // Any first part is read as a provider, since LiteLLM knows more of them than stand here.
  if (name !== "") return { prefix: head, name };
  const prefix = BARE.find(([look]) => look.test(model))?.[1];
  return prefix === undefined ? null : { prefix, name: model };
}
