// The assumed speed of a card before its first call, and how much it thinks, by provider, size and price.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { ModelCard } from "../../../src/core/models/card.ts";
import { DATA } from "./data.ts";

interface Offer {
  readonly model_id: string;
  readonly throughput: number;
  readonly latency: number;
}

/** Models that think by default, with the expected tokens for a question of usual difficulty. */
const THINKS: readonly (readonly [RegExp, number])[] = [
  [/deep-research/, 8000],
  [/gpt-(5|6)(\.\d)?-?(pro|astra)|o3-pro|claude-fable/, 3000],
  [/non-reasoning|instruct(?!.*thinking)/, 0],
  [/claude|gpt-5\.[1-9](?!.*codex)|gpt-6|command|mistral-(small|medium)|glm-4\.[5-7]-?(air|flash)/, 150],
  [/gpt-5-(mini|nano)|o3|o4|gpt-oss|flash/, 500],
  [/gpt-5|codex|gemini-.*pro/, 900],
  [
    /qwq|qvq|r1|thinking|reasoning|magistral|k2|k3|glm|minimax|mimo|step|nemotron-3|qwen3|deepseek|grok|gemma-4/,
    900,
  ],
];
/** Speed factors of providers with their own hardware. The others come from LLMStats' medians. */
const OWN_HARDWARE: Readonly<Record<string, number>> = { Cerebras: 12, Groq: 4 };
const PROVIDER_OF: Readonly<Record<string, string>> = {
  Fireworks: "fireworks",
  Together: "together",
  DeepInfra: "deepinfra",
};

export function estimateThinking(card: ModelCard): number {
  if (!card.capabilities.has("reasoning")) return 0;
  const name = card.name.toLowerCase();
  return THINKS.find(([pattern]) => pattern.test(name))?.[1] ?? 300;
}

/** Milliseconds to the first token, and tokens per second. A more expensive model is larger and slower. */
export function estimateSpeed(
  card: ModelCard,
  billions: number,
): { readonly firstTokenMs: number; readonly tokensPerSecond: number } {
  const price = card.price?.output ?? 0;
  const weight = price > 0 ? price : billions * 0.02;
  const plain = 170 * (1 + weight) ** -0.38;
  const provider = OWN_HARDWARE[card.provider] ?? providerFactor(PROVIDER_OF[card.provider]);
  const name = card.name.toLowerCase();
  const variant = /highspeed|-fast|turbo|spark|flashx/.test(name) ? 1.8 : 1;
  return {
    firstTokenMs: Math.round(350 + 60 * Math.min(10, Math.sqrt(weight) * 2)),
    tokensPerSecond: Math.round(Math.min(2000, Math.max(12, plain * provider * variant))),
  };
}

let factors: ReadonlyMap<string, number> | undefined;

/** A provider's median speed relative to all, moved halfway to 1 because the rows are two years old. */
function providerFactor(name: string | undefined): number {
  factors ??= medians();
  return Math.sqrt(factors.get(name ?? "") ?? 1);
}

function medians(): ReadonlyMap<string, number> {
  const lines = gunzipSync(readFileSync(join(DATA, "profiles/llmstats_providers.jsonl.gz")))
    .toString("utf8")
    .trim()
    .split("\n");
  const speeds = lines.map((line) => {
    const { path, data }: { path: string; data: { providermodels: readonly Offer[] } } = JSON.parse(line);
    const known = data.providermodels.map(({ throughput }) => throughput).filter((speed) => speed > 5);
    return {
      name: path.split("/")[1] ?? "",
      median: known.toSorted((a, b) => a - b)[known.length >> 1] ?? 0,
    };
  });
  const all = speeds
    .map(({ median }) => median)
    .filter((median) => median > 0)
    .toSorted((a, b) => a - b);
  const middle = all[all.length >> 1] ?? 1;
  return new Map(
    speeds.filter(({ median }) => median > 0).map(({ name, median }) => [name, median / middle]),
  );
}
