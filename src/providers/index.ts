// The table of known providers, one row each, and the dialects that a configured server may speak.
import type { DialectName } from "../core/dialect.ts";
import type { KnownProvider } from "../core/settings.ts";
import { bridge } from "../dialects/_chat/bridged.ts";
import { anthropic } from "../dialects/anthropic/dialect.ts";
import { ANTHROPIC_LANE } from "../dialects/anthropic/lane.ts";
import { cohere } from "../dialects/cohere/dialect.ts";
import type { ChatDialect, Dialect } from "../dialects/dialect.ts";
import { gemini } from "../dialects/gemini/dialect.ts";
import { GEMINI_LANE } from "../dialects/gemini/lane.ts";
import { mistral } from "../dialects/mistral/dialect.ts";
import { makeOpenaiChat } from "../dialects/openai/dialect.ts";
import { OPENAI_EMBEDDINGS } from "../dialects/openai/embeddings.ts";
import { needsResponses, OPENAI } from "../dialects/openai/models.ts";
import { perplexity } from "../dialects/perplexity/dialect.ts";
import { responses } from "../dialects/responses/dialect.ts";
import { RESPONSES_LANE } from "../dialects/responses/lane.ts";
import {
  CEREBRAS,
  DEEPINFRA,
  DEEPSEEK,
  FIREWORKS,
  GENERIC,
  GROQ,
  MOONSHOT,
  NVIDIA,
  OPENROUTER,
  QWEN,
  TOGETHER,
  XAI,
  ZAI,
} from "./quirks.ts";

export interface ProviderRow extends KnownProvider {
  /** In the order of preference. */
  readonly dialects: readonly Dialect[];
}

function row(
  name: string,
  keyVariables: readonly string[],
  baseUrl: string,
  ...dialects: readonly Dialect[]
): ProviderRow {
  return { name, keyVariables, baseUrl, dialects };
}

type Lanes = NonNullable<ChatDialect["chat"]["lanes"]>;

function withLane(dialect: ChatDialect, lanes: Lanes): ChatDialect {
  return { ...dialect, chat: { ...dialect.chat, lanes } };
}

/** A server of the operator's own, on when it is configured. */
function ownServer(name: string, baseUrl: string, ...dialects: readonly Dialect[]): ProviderRow {
  return { ...row(name, [], baseUrl, ...dialects), discovers: true };
}

const RESPONSES: Lanes = { responses: RESPONSES_LANE };
const ANTHROPIC = withLane(anthropic, { anthropic: ANTHROPIC_LANE });
const GEMINI = withLane(gemini, { gemini: GEMINI_LANE });

const GENERIC_CHAT = makeOpenaiChat(GENERIC, OPENAI_EMBEDDINGS);

/** Every provider that needs no more than its key, or no more than its name. */
export const PROVIDERS: readonly ProviderRow[] = [
  row(
    "OpenAI",
    ["OPENAI_API_KEY"],
    "https://api.openai.com/v1",
    withLane(bridge(makeOpenaiChat(OPENAI, OPENAI_EMBEDDINGS), responses, needsResponses), RESPONSES),
  ),
  row("Anthropic", ["ANTHROPIC_API_KEY"], "https://api.anthropic.com/v1", ANTHROPIC),
  row(
    "Google",
    ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    "https://generativelanguage.googleapis.com/v1beta",
    GEMINI,
  ),
  row("Mistral", ["MISTRAL_API_KEY"], "https://api.mistral.ai/v1", mistral),
  row("Perplexity", ["PERPLEXITY_API_KEY"], "https://api.perplexity.ai/v1", perplexity),
  row("Cohere", ["COHERE_API_KEY"], "https://api.cohere.com/v2", cohere),
  row("DeepSeek", ["DEEPSEEK_API_KEY"], "https://api.deepseek.com", makeOpenaiChat(DEEPSEEK)),
  row("xAI", ["XAI_API_KEY"], "https://api.x.ai/v1", withLane(makeOpenaiChat(XAI), RESPONSES)),
  row("Groq", ["GROQ_API_KEY"], "https://api.groq.com/openai/v1", makeOpenaiChat(GROQ)),
  row("Together", ["TOGETHER_API_KEY"], "https://api.together.xyz/v1", makeOpenaiChat(TOGETHER)),
  row("Fireworks", ["FIREWORKS_API_KEY"], "https://api.fireworks.ai/inference/v1", makeOpenaiChat(FIREWORKS)),
  row("Cerebras", ["CEREBRAS_API_KEY"], "https://api.cerebras.ai/v1", makeOpenaiChat(CEREBRAS)),
  row("OpenRouter", ["OPENROUTER_API_KEY"], "https://openrouter.ai/api/v1", makeOpenaiChat(OPENROUTER)),
  row("Moonshot", ["MOONSHOT_API_KEY"], "https://api.moonshot.ai/v1", makeOpenaiChat(MOONSHOT)),
  row(
    "Qwen",
    ["DASHSCOPE_API_KEY"],
    "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    makeOpenaiChat(QWEN),
  ),
  row("ZAI", ["ZAI_API_KEY"], "https://api.z.ai/api/paas/v4", makeOpenaiChat(ZAI)),
  row("NVIDIA", ["NVIDIA_API_KEY"], "https://integrate.api.nvidia.com/v1", makeOpenaiChat(NVIDIA)),
  row("DeepInfra", ["DEEPINFRA_API_KEY"], "https://api.deepinfra.com/v1/openai", makeOpenaiChat(DEEPINFRA)),
  ownServer("Ollama", "http://127.0.0.1:11434/v1", GENERIC_CHAT),
  ownServer("vLLM", "http://127.0.0.1:8000/v1", GENERIC_CHAT),
];

/** The dialect that a configured server speaks; `openai` takes servers of that dialect as they are. */
export function findDialect(name: DialectName): Dialect {
  switch (name) {
    case "openai":
      return GENERIC_CHAT;
    case "responses":
      return withLane(responses, RESPONSES);
    case "anthropic":
      return ANTHROPIC;
    case "gemini":
      return GEMINI;
    case "mistral":
      return mistral;
    case "cohere":
      return cohere;
    case "perplexity":
      return perplexity;
  }
}
