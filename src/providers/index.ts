// The table of known providers, one row each, and the dialects that a configured server may speak.
import type { DialectName } from "../core/models/dialect-names.ts";
import type { KnownProvider, PlatformName } from "../core/settings.ts";
import { bridge } from "../dialects/_chat/bridged.ts";
import { carryAzure, carryVertexOpen } from "../dialects/_chat/carriers.ts";
import {
  BEDROCK_CLAUDE_NAMES,
  carryBedrock,
  carryFoundry,
  carryVertexClaude,
  repairBedrock,
} from "../dialects/anthropic/carriers.ts";
import { anthropic } from "../dialects/anthropic/dialect.ts";
import { ANTHROPIC_LANE } from "../dialects/anthropic/lane.ts";
import { bedrock } from "../dialects/bedrock/dialect.ts";
import { cohere } from "../dialects/cohere/dialect.ts";
import type { ChatDialect, Dialect } from "../dialects/dialect.ts";
import { gemini, geminiOnVertex } from "../dialects/gemini/dialect.ts";
import { GEMINI_IMAGES } from "../dialects/gemini/images.ts";
import { GEMINI_LANE } from "../dialects/gemini/lane.ts";
import { carryVertexGemini } from "../dialects/gemini/vertex.ts";
import { jina } from "../dialects/jina/dialect.ts";
import { mistral } from "../dialects/mistral/dialect.ts";
import { makeOpenaiDialect } from "../dialects/openai/dialect.ts";
import {
  needsResponses,
  needsResponsesOnAzure,
  needsResponsesToSearch,
  OPENAI,
  OPENAI_MODEL,
} from "../dialects/openai/models.ts";
import { perplexity } from "../dialects/perplexity/dialect.ts";
import { responses } from "../dialects/responses/dialect.ts";
import { RESPONSES_LANE } from "../dialects/responses/lane.ts";
import { voyage } from "../dialects/voyage/dialect.ts";
import {
  AZURE_MEDIA,
  DEEPSEEK_MEDIA,
  FIREWORKS_MEDIA,
  GROQ_MEDIA,
  MISTRAL_MEDIA,
  OPENAI_MEDIA,
  OPENROUTER_MEDIA,
  PLAIN_MEDIA,
  TOGETHER_MEDIA,
  VLLM_MEDIA,
  XAI_MEDIA,
} from "./media.ts";
import {
  AZURE,
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
  VERTEX,
  XAI,
  ZAI,
} from "./quirks.ts";
import {
  COHERE_VECTORS,
  DEEPINFRA_VECTORS,
  FIREWORKS_VECTORS,
  GEMINI_VECTORS,
  MISTRAL_VECTORS,
  NVIDIA_VECTORS,
  OPENAI_VECTORS,
  OPENROUTER_VECTORS,
  PLAIN_VECTORS,
  TOGETHER_VECTORS,
  VERTEX_VECTORS,
} from "./vectors.ts";

interface ProviderRow extends KnownProvider {
  /** In order of preference. */
  readonly dialects: readonly Dialect[];
}

function makeRow(
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

/** An operator's own server, enabled if it is configured. */
function makeOwnServer(name: string, baseUrl: string, ...dialects: readonly Dialect[]): ProviderRow {
  return { ...makeRow(name, [], baseUrl, ...dialects), discovers: true };
}

/** A cloud. Its address is the customer's own. */
function makeCloud(
  platform: PlatformName,
  name: string,
  keyVariable: string,
  ...dialects: readonly Dialect[]
): ProviderRow {
  return { ...makeRow(name, [keyVariable], "", ...dialects), platform };
}

const RESPONSES: Lanes = { responses: RESPONSES_LANE };
const ANTHROPIC = withLane(anthropic, { anthropic: ANTHROPIC_LANE });
const GEMINI = { ...withLane(gemini, { gemini: GEMINI_LANE }), ...GEMINI_VECTORS, images: GEMINI_IMAGES };
const MISTRAL = {
  ...mistral,
  ...MISTRAL_VECTORS,
  ...MISTRAL_MEDIA,
};
const COHERE = { ...cohere, ...COHERE_VECTORS };

/** Claude on Bedrock. Errors are Bedrock's own, and so is repairing a request after one. */
const BEDROCK_CLAUDE: ChatDialect = {
  ...withLane(anthropic, { anthropic: { ...ANTHROPIC_LANE, repair: repairBedrock } }),
  explain: bedrock.explain,
  names: BEDROCK_CLAUDE_NAMES,
  carry: carryBedrock,
};

const BEYOND_CHAT = { ...OPENAI_VECTORS, ...OPENAI_MEDIA };
const GENERIC_OPENAI = makeOpenaiDialect(GENERIC, { ...PLAIN_VECTORS, ...PLAIN_MEDIA });

const CLAUDE = /^claude/;
/** Vendors' open models on Vertex AI are named with their vendor: `meta/llama-4-…`. */
const OPEN_MODEL = /^[^/]+\/[^/]+$/;
/** Azure's first dated version with the Responses API (Azure OpenAI, "Responses API"). */
const RESPONSES_SINCE = "2025-03-01";
const OPENAI_OWN: Lanes = {
  responses: {
    ...RESPONSES_LANE,
    serves: ({ name }, version = RESPONSES_SINCE) => OPENAI_MODEL.test(name) && version >= RESPONSES_SINCE,
  },
};

/** Every provider that needs only its key, or only its name. */
export const PROVIDERS: readonly ProviderRow[] = [
  makeRow(
    "OpenAI",
    ["OPENAI_API_KEY"],
    "https://api.openai.com/v1",
    withLane(bridge(makeOpenaiDialect(OPENAI, BEYOND_CHAT), responses, needsResponses), RESPONSES),
  ),
  makeRow("Anthropic", ["ANTHROPIC_API_KEY"], "https://api.anthropic.com/v1", ANTHROPIC),
  makeRow(
    "Google",
    ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    "https://generativelanguage.googleapis.com/v1beta",
    GEMINI,
  ),
  makeRow("Mistral", ["MISTRAL_API_KEY"], "https://api.mistral.ai/v1", MISTRAL),
  makeRow("Perplexity", ["PERPLEXITY_API_KEY"], "https://api.perplexity.ai/v1", perplexity),
  makeRow("Cohere", ["COHERE_API_KEY"], "https://api.cohere.com/v2", COHERE),
  makeRow(
    "DeepSeek",
    ["DEEPSEEK_API_KEY"],
    "https://api.deepseek.com",
    makeOpenaiDialect(DEEPSEEK, DEEPSEEK_MEDIA),
  ),
  makeRow(
    "xAI",
    ["XAI_API_KEY"],
    "https://api.x.ai/v1",
    withLane(bridge(makeOpenaiDialect(XAI, XAI_MEDIA), responses, needsResponsesToSearch), RESPONSES),
  ),
  makeRow("Groq", ["GROQ_API_KEY"], "https://api.groq.com/openai/v1", makeOpenaiDialect(GROQ, GROQ_MEDIA)),
  makeRow(
    "Together",
    ["TOGETHER_API_KEY"],
    "https://api.together.xyz/v1",
    makeOpenaiDialect(TOGETHER, { ...TOGETHER_VECTORS, ...TOGETHER_MEDIA }),
  ),
  makeRow(
    "Fireworks",
    ["FIREWORKS_API_KEY"],
    "https://api.fireworks.ai/inference/v1",
    makeOpenaiDialect(FIREWORKS, { ...FIREWORKS_VECTORS, ...FIREWORKS_MEDIA }),
  ),
  makeRow("Cerebras", ["CEREBRAS_API_KEY"], "https://api.cerebras.ai/v1", makeOpenaiDialect(CEREBRAS)),
  makeRow(
    "OpenRouter",
    ["OPENROUTER_API_KEY"],
    "https://openrouter.ai/api/v1",
    makeOpenaiDialect(OPENROUTER, { ...OPENROUTER_VECTORS, ...OPENROUTER_MEDIA }),
  ),
  makeRow("Moonshot", ["MOONSHOT_API_KEY"], "https://api.moonshot.ai/v1", makeOpenaiDialect(MOONSHOT)),
  makeRow(
    "Qwen",
    ["DASHSCOPE_API_KEY"],
    "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    makeOpenaiDialect(QWEN),
  ),
  makeRow("ZAI", ["ZAI_API_KEY"], "https://api.z.ai/api/paas/v4", makeOpenaiDialect(ZAI)),
  makeRow(
    "NVIDIA",
    ["NVIDIA_API_KEY"],
    "https://integrate.api.nvidia.com/v1",
    makeOpenaiDialect(NVIDIA, NVIDIA_VECTORS),
  ),
  makeRow(
    "DeepInfra",
    ["DEEPINFRA_API_KEY"],
    "https://api.deepinfra.com/v1/openai",
    makeOpenaiDialect(DEEPINFRA, DEEPINFRA_VECTORS),
  ),
  makeRow("Voyage", ["VOYAGE_API_KEY"], "https://api.voyageai.com/v1", voyage),
  makeRow("Jina", ["JINA_API_KEY"], "https://api.jina.ai/v1", jina),
  makeCloud(
    "azure",
    "Azure",
    "AZURE_OPENAI_API_KEY",
    {
      ...withLane(
        bridge(
          makeOpenaiDialect(AZURE, { ...OPENAI_VECTORS, ...AZURE_MEDIA }),
          responses,
          needsResponsesOnAzure,
        ),
        OPENAI_OWN,
      ),
      names: /^(?!claude)/,
      carry: carryAzure,
    },
    { ...ANTHROPIC, names: CLAUDE, carry: carryFoundry },
  ),
  makeCloud("bedrock", "Bedrock", "AWS_BEARER_TOKEN_BEDROCK", BEDROCK_CLAUDE, bedrock),
  makeCloud(
    "vertex",
    "Vertex",
    "GOOGLE_APPLICATION_CREDENTIALS",
    {
      ...withLane(geminiOnVertex, { gemini: GEMINI_LANE }),
      ...VERTEX_VECTORS,
      images: GEMINI_IMAGES,
      names: /^(?!claude)[^/]+$/,
      carry: carryVertexGemini,
    },
    { ...ANTHROPIC, names: CLAUDE, carry: carryVertexClaude },
    { ...makeOpenaiDialect(VERTEX), names: OPEN_MODEL, carry: carryVertexOpen },
  ),
  makeOwnServer("Ollama", "http://127.0.0.1:11434/v1", GENERIC_OPENAI),
  makeOwnServer("vLLM", "http://127.0.0.1:8000/v1", { ...GENERIC_OPENAI, ...VLLM_MEDIA }),
];

const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  openai: GENERIC_OPENAI,
  responses: withLane(responses, RESPONSES),
  anthropic: ANTHROPIC,
  gemini: GEMINI,
  mistral: MISTRAL,
  cohere: COHERE,
  perplexity,
  bedrock,
  voyage,
  jina,
};

/** Returns a configured server's dialect. `openai` accepts any server of that dialect. */
export function findDialect(name: DialectName): Dialect {
  return DIALECTS[name];
}
