// Corrections of the public lists: retired names, newer facts, and which model another resembles.
import { BEDROCK_LEFT_OUT } from "./bedrock.ts";
import type { PriceFacts } from "./sources.ts";

/** The date for which the catalogue is built. */
export const BUILT_FOR = "2026-11-28";

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
  {
    ids: /^(Bedrock#\w+\.anthropic\.|\w+#)claude-(fable-5-[12]|(opus|sonnet)-5-5)(@default)?$/,
    ...CALLS_AT_WILL,
  },
  { ids: /^Cohere#command-r-(plus-)?08-2024$/, ...CALLS_AT_WILL },
  { ids: /^Moonshot#kimi-k2\.7/, ...CALLS_AT_WILL },
  { ids: /^Qwen#(qwq-plus|.*-thinking)$/, ...CALLS_AT_WILL },
  { ids: /^ZAI#/, ...CALLS_AT_WILL },
  // Open models that can be forced on some hosts only.
  { ids: /^(MiniMax|SambaNova|Novita|Baseten)#/, add: ["tools"], remove: ["tools_auto"] },
  { ids: /^OpenRouter#(z-ai\/glm|moonshotai\/kimi)/, add: ["tools"], remove: ["tools_auto"] },
];
