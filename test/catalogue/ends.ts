// The days on which models' providers stop answering.

/** Families, from the providers' announcements. They take precedence over the single models below. */
const SHUTDOWNS: readonly { readonly ids: RegExp; readonly on: string }[] = [
  { ids: /^OpenAI#(gpt-5|gpt-5-(mini|nano|pro)|o3|o3-pro)$/, on: "2026-12-11" },
  { ids: /^OpenAI#(gpt-4o|gpt-4\.1)/, on: "2027-01-14" },
  { ids: /^OpenAI#(gpt-5\.1|gpt-5\.3-codex|gpt-5\.4-nano)$/, on: "2027-04-01" },
  { ids: /^Anthropic#claude-sonnet-4-5/, on: "2026-11-30" },
  { ids: /^Anthropic#claude-opus-4-5/, on: "2027-01-22" },
  { ids: /^Google#gemini-2\.5-(pro|flash)$/, on: "2026-12-01" },
];

/**
 * By provider and day, as collected in LiteLLM 1.110.2 (PyPI, read on 2026-11-26) from the providers' own pages: OpenAI,
 * "Deprecations"; Microsoft, "Model retirement schedule"; AWS, "Model lifecycle"; Together and Fireworks, their lists of
 * serverless models; Mistral, Moonshot, Google, their pages on deprecations. Days "not before" which a model ends are left
 * out: Google's for Gemini, and those for Claude on Vertex AI and Bedrock that are a year after the release.
 */
const ENDS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  OpenAI: {
    "2026-07-23": [
      "gpt-5-codex",
      "gpt-5.1-codex",
      "gpt-5.1-codex-max",
      "gpt-5.1-codex-mini",
      "gpt-5.2-codex",
    ],
  },
  Mistral: {
    "2027-04-30": ["mistral-large-2512"],
  },
  Together: {
    "2026-06-22": ["zai-org/GLM-5"],
    "2026-06-29": ["Qwen/Qwen3.5-397B-A17B"],
    "2026-07-10": ["zai-org/GLM-5.1"],
    "2026-08-19": ["moonshotai/Kimi-K2.6"],
    "2026-08-27": ["moonshotai/Kimi-K2.7-Code", "nvidia/nemotron-3-ultra-550b-a55b"],
    "2026-09-15": ["google/gemma-4-31B-it", "openai/gpt-oss-20b"],
    "2026-10-22": ["meta-llama/Llama-3.3-70B-Instruct-Turbo"],
    "2026-11-06": ["MiniMaxAI/MiniMax-M3"],
  },
  Fireworks: {
    "2026-08-14": ["accounts/fireworks/models/deepseek-v4-flash"],
    "2026-08-27": [
      "accounts/fireworks/models/deepseek-v4-pro",
      "accounts/fireworks/models/minimax-m2p7",
      "accounts/fireworks/routers/kimi-k2p6-fast",
      "accounts/fireworks/routers/kimi-k2p7-code-fast",
    ],
    "2026-09-25": [
      "accounts/fireworks/models/glm-5p2",
      "accounts/fireworks/models/kimi-k2p6",
      "accounts/fireworks/models/kimi-k2p7-code",
      "accounts/fireworks/routers/glm-5p2-fast",
    ],
    "2026-11-07": ["accounts/fireworks/models/gpt-oss-120b"],
  },
  Moonshot: {
    "2026-08-31": ["kimi-k2.5"],
  },
  Azure: {
    "2026-11-15": ["claude-haiku-4-5"],
    "2026-11-19": ["o3"],
    "2026-11-24": ["claude-opus-4-5"],
    "2026-11-30": ["claude-sonnet-4-5"],
    "2026-12-09": ["mistral-medium-2505"],
    "2027-01-26": ["kimi-k2.5"],
    "2027-02-02": ["claude-opus-4-6"],
    "2027-02-09": ["gpt-5", "gpt-5-nano"],
    "2027-02-10": ["claude-sonnet-4-6"],
    "2027-04-06": ["claude-opus-4-7"],
    "2027-07-08": ["claude-opus-5"],
    "2027-09-18": ["claude-opus-5-5"],
    "2027-09-29": ["claude-haiku-5-5", "claude-sonnet-5-5"],
    "2028-01-11": ["gpt-5.6-luna", "gpt-5.6-sol", "gpt-5.6-terra"],
    "2027-03-17": ["gpt-5-codex"],
    "2027-04-07": ["gpt-5-pro"],
    "2027-04-14": ["gpt-4.1", "gpt-4.1-mini", "gpt-4o", "gpt-4o-mini"],
    "2027-04-16": ["kimi-k2.6"],
    "2027-05-15": ["gpt-5.1-codex", "gpt-5.1-codex-mini"],
    "2027-05-18": ["gpt-5.1-codex-max"],
    "2027-06-08": ["gpt-5.2"],
    "2027-06-30": ["claude-sonnet-5"],
    "2027-07-13": ["gpt-5-mini", "gpt-5.1", "gpt-5.2-codex"],
    "2027-08-24": ["gpt-5.3-codex"],
    "2027-09-01": ["claude-opus-4-8"],
    "2027-09-02": ["gpt-5.4"],
    "2027-09-07": ["gpt-5.4-pro"],
    "2027-09-21": ["gpt-5.4-mini", "gpt-5.4-nano"],
    "2027-10-26": ["gpt-5.5"],
    "2027-12-05": ["claude-fable-5", "claude-fable-5-1"],
    "2028-02-20": ["deepseek-v4-flash", "deepseek-v4-pro"],
  },
  Bedrock: {
    "2027-03-30": [
      "deepseek.v3-v1:0",
      "google.gemma-3-12b-it",
      "google.gemma-3-27b-it",
      "google.gemma-3-4b-it",
      "meta.llama3-1-70b-instruct-v1:0",
      "meta.llama3-1-8b-instruct-v1:0",
      "meta.llama3-3-70b-instruct-v1:0",
      "minimax.minimax-m2",
      "minimax.minimax-m2.1",
      "mistral.devstral-2-123b",
      "moonshot.kimi-k2-thinking",
      "nvidia.nemotron-nano-12b-v2",
      "nvidia.nemotron-nano-9b-v2",
      "qwen.qwen3-coder-30b-a3b-v1:0",
      "qwen.qwen3-coder-480b-a35b-v1:0",
      "us.deepseek.r1-v1:0",
      "us.meta.llama4-maverick-17b-instruct-v1:0",
      "us.meta.llama4-scout-17b-instruct-v1:0",
      "zai.glm-4.7",
      "zai.glm-4.7-flash",
    ],
    "2027-04-08": [
      "au.anthropic.claude-sonnet-4-5-20250929-v1:0",
      "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
      "global.anthropic.claude-sonnet-4-5-20250929-v1:0",
      "jp.anthropic.claude-sonnet-4-5-20250929-v1:0",
      "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    ],
  },
  Vertex: {
    "2026-10-21": [
      "deepseek-ai/deepseek-v3.2-maas",
      "meta/llama-3.3-70b-instruct-maas",
      "openai/gpt-oss-20b-maas",
    ],
  },
};

/** Returns the last day of a model, or undefined if none is announced. */
export function findEnd(id: string): string | undefined {
  const at = id.indexOf("#");
  const single = Object.entries(ENDS[id.slice(0, at)] ?? {}).find(([, names]) =>
    names.includes(id.slice(at + 1)),
  );
  return SHUTDOWNS.find(({ ids }) => ids.test(id))?.on ?? single?.[0];
}
