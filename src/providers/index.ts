// The table of known providers, in the order in which they are shown, and the dialects that a configured server may speak.
import type { DialectName } from "../core/models/dialect-names.ts";
import { bedrock } from "../dialects/bedrock/dialect.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { jina } from "../dialects/jina/dialect.ts";
import { perplexity } from "../dialects/perplexity/dialect.ts";
import { responses } from "../dialects/responses/dialect.ts";
import { voyage } from "../dialects/voyage/dialect.ts";
import { ANTHROPIC, ANTHROPIC_DIALECT } from "./anthropic.ts";
import { AZURE } from "./azure.ts";
import { BEDROCK } from "./bedrock.ts";
import { CEREBRAS } from "./cerebras.ts";
import { COHERE, COHERE_DIALECT } from "./cohere.ts";
import { COMPATIBLE } from "./compatible.ts";
import { DEEPINFRA } from "./deepinfra.ts";
import { DEEPSEEK } from "./deepseek.ts";
import { FIREWORKS } from "./fireworks.ts";
import { GEMINI_DIALECT, GOOGLE } from "./google.ts";
import { GROQ } from "./groq.ts";
import { BASETEN } from "./hosts/baseten.ts";
import { MINIMAX } from "./hosts/minimax.ts";
import { NOVITA } from "./hosts/novita.ts";
import { SAMBANOVA } from "./hosts/sambanova.ts";
import { JINA } from "./jina.ts";
import { LMSTUDIO } from "./lmstudio.ts";
import { MISTRAL, MISTRAL_DIALECT } from "./mistral.ts";
import { MOONSHOT } from "./moonshot.ts";
import { NVIDIA } from "./nvidia.ts";
import { OLLAMA } from "./ollama.ts";
import { OPENAI_ROW } from "./openai.ts";
import { OPENROUTER } from "./openrouter.ts";
import { PERPLEXITY } from "./perplexity.ts";
import type { ProviderRow } from "./provider.ts";
import { QWEN } from "./qwen.ts";
import { COMPLETED_LANES, withLane } from "./shared.ts";
import { TOGETHER } from "./together.ts";
import { VERTEX } from "./vertex.ts";
import { VLLM } from "./vllm.ts";
import { VOYAGE } from "./voyage.ts";
import { XAI } from "./xai.ts";
import { ZAI } from "./zai.ts";

/** Every provider that needs only its key, or only its name. */
export const PROVIDERS: readonly ProviderRow[] = [
  OPENAI_ROW,
  ANTHROPIC,
  GOOGLE,
  MISTRAL,
  PERPLEXITY,
  COHERE,
  DEEPSEEK,
  XAI,
  GROQ,
  TOGETHER,
  FIREWORKS,
  CEREBRAS,
  OPENROUTER,
  MOONSHOT,
  QWEN,
  ZAI,
  NVIDIA,
  DEEPINFRA,
  MINIMAX,
  SAMBANOVA,
  NOVITA,
  BASETEN,
  VOYAGE,
  JINA,
  AZURE,
  BEDROCK,
  VERTEX,
  OLLAMA,
  VLLM,
  LMSTUDIO,
];

const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  openai: COMPATIBLE,
  responses: withLane(responses, COMPLETED_LANES),
  anthropic: ANTHROPIC_DIALECT,
  gemini: GEMINI_DIALECT,
  mistral: MISTRAL_DIALECT,
  cohere: COHERE_DIALECT,
  perplexity,
  bedrock,
  voyage,
  jina,
};

/**
 * Returns the dialect that an operator's own row names, with the traits of the known provider whose address the row has.
 * Null if nothing is known of the address, or of that dialect there.
 */
export function findDialectAt(name: DialectName, baseUrl: string): Dialect | null {
  const host = URL.parse(baseUrl)?.host;
  if (host === undefined) return null;
  const row = PROVIDERS.find((one) =>
    listHosts(one).some((known) => host === known || host.endsWith(`.${known}`)),
  );
  return row?.dialects.find((dialect) => dialect.name === name) ?? null;
}

/** The addresses of the operator's own servers say nothing of what serves there. */
function listHosts({ baseUrl, discovers, otherHosts = [] }: ProviderRow): readonly string[] {
  const host = discovers ? undefined : URL.parse(baseUrl)?.host;
  return host === undefined ? otherHosts : [host, ...otherHosts];
}

/** Returns a configured server's dialect. `openai` accepts any server of that dialect. */
export function findDialect(name: DialectName): Dialect {
  return DIALECTS[name];
}
