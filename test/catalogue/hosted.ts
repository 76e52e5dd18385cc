// Models of hosts that no list of the catalogue has. From LiteLLM 1.110.2 (PyPI, read on 2026-11-26), which names the hosts'
// own price pages.
import type { Newer } from "./newer.ts";

const MILLION = 1_048_576;
const K131 = 131_072;

interface Hosted extends Newer {
  /** The same model at its maker or another host. */
  readonly like: string;
}

function host(
  id: string,
  like: string,
  [input, output, cached]: readonly [input: number, output: number, cached?: number],
  [context, longest]: readonly [context: number, longest: number],
): Hosted {
  const price = { input, output, ...(cached === undefined ? {} : { cached_input: cached }) };
  return { id, like, price, context, output: longest };
}

export const HOSTED: readonly Hosted[] = [
  host("MiniMax#MiniMax-M3", "Together#MiniMaxAI/MiniMax-M3", [0.3, 1.2, 0.06], [1_000_000, 128_000]),
  {
    id: "MiniMax#MiniMax-M2.5",
    like: "DeepInfra#MiniMaxAI/MiniMax-M2.5",
    price: { input: 0.3, output: 1.2, cached_input: 0.03, cache_write: 0.375 },
    context: 1_000_000,
    output: 8192,
  },
  {
    id: "MiniMax#MiniMax-M2.5-lightning",
    like: "DeepInfra#MiniMaxAI/MiniMax-M2.5",
    price: { input: 0.3, output: 2.4, cached_input: 0.03, cache_write: 0.375 },
    context: 1_000_000,
    output: 8192,
  },
  host("SambaNova#MiniMax-M2.7", "Together#MiniMaxAI/MiniMax-M2.7", [0.6, 2.4], [196_608, K131]),
  host("SambaNova#gpt-oss-120b", "Groq#openai/gpt-oss-120b", [0.22, 0.59], [K131, K131]),
  host(
    "SambaNova#Meta-Llama-3.3-70B-Instruct",
    "Together#meta-llama/Llama-3.3-70B-Instruct-Turbo",
    [0.6, 1.2],
    [K131, K131],
  ),
  host("SambaNova#DeepSeek-V3.2", "DeepInfra#deepseek-ai/DeepSeek-V3.2", [3, 4.5], [32_768, 32_768]),
  host("Novita#openai/gpt-oss-120b", "Groq#openai/gpt-oss-120b", [0.05, 0.25], [K131, 32_768]),
  host("Novita#zai-org/glm-5.3", "ZAI#glm-5.3", [1.4, 4.4, 0.26], [MILLION, K131]),
  host("Novita#moonshotai/kimi-k3", "Moonshot#kimi-k3", [3, 15, 0.3], [MILLION, MILLION]),
  host("Novita#minimax/minimax-m3", "Together#MiniMaxAI/MiniMax-M3", [0.3, 1.2, 0.06], [1_000_000, K131]),
  host(
    "Novita#deepseek/deepseek-v4-flash",
    "DeepSeek#deepseek-v4-flash",
    [0.14, 0.28, 0.028],
    [MILLION, 393_216],
  ),
  host("Novita#deepseek/deepseek-v4-pro", "DeepSeek#deepseek-v4-pro", [1.6, 3.2, 0.135], [MILLION, 393_216]),
  host("Novita#qwen/qwen3.7-max", "Qwen#qwen3.7-max", [1.25, 3.75, 0.25], [1_000_000, 65_536]),
  host("Baseten#openai/gpt-oss-120b", "Groq#openai/gpt-oss-120b", [0.1, 0.5, 0.1], [128_072, 128_072]),
  host("Baseten#zai-org/GLM-5.3", "ZAI#glm-5.3", [1.4, 4.4, 0.14], [MILLION, 262_144]),
  host("Baseten#zai-org/GLM-5.3-Flash", "ZAI#glm-5.3-flash", [0.15, 0.5, 0.03], [MILLION, K131]),
  host("Baseten#zai-org/GLM-5.2", "ZAI#glm-5.2", [1.4, 4.4, 0.14], [MILLION, 262_144]),
  host(
    "Baseten#deepseek-ai/DeepSeek-V4.1-Flash",
    "Together#deepseek-ai/DeepSeek-V4.1-Flash",
    [0.3, 1.2, 0.007],
    [MILLION, 262_144],
  ),
  host("Baseten#moonshotai/Kimi-K3", "Moonshot#kimi-k3", [3, 15, 0.3], [MILLION, 262_144]),
  host("Baseten#moonshotai/Kimi-K3.1-Pro", "Moonshot#kimi-k3.1-pro", [2, 10, 0.2], [1_000_000, 1_000_000]),
  host(
    "Baseten#nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B",
    "NVIDIA#nvidia/nemotron-3-ultra-550b-a55b",
    [0.6, 2.4, 0.12],
    [202_800, 202_800],
  ),
];
