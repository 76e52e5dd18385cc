// The models of the provider `Sim`, with made-up prices above zero so that costs show.
import type { Capability, OperationName, Price } from "../core/models/card.ts";

interface SimModel {
  readonly name: string;
  readonly contextTokensMax: number;
  /** Null if the model generates no text. */
  readonly outputTokensMax: number | null;
  readonly price: Price;
  readonly capabilities: readonly Capability[];
  readonly operation: OperationName;
}

const COMMON_CAPABILITIES: readonly Capability[] = ["tools", "vision", "files", "audio", "structured"];

const LARGE: SimModel = {
  name: "sim-large",
  contextTokensMax: 400_000,
  outputTokensMax: 64_000,
  price: { input: 2, output: 8, cachedInput: 0.5 },
  capabilities: [...COMMON_CAPABILITIES, "reasoning"],
  operation: "chat",
};

const MINI: SimModel = {
  name: "sim-mini",
  contextTokensMax: 128_000,
  outputTokensMax: 16_384,
  price: { input: 0.2, output: 0.8, cachedInput: 0.05 },
  capabilities: COMMON_CAPABILITIES,
  operation: "chat",
};

/** Returns a model that generates no text. */
function makeModel(name: string, operation: OperationName, price: Partial<Price>): SimModel {
  const limits = { contextTokensMax: 8_192, outputTokensMax: null };
  return { name, ...limits, price: { input: 0, output: 0, ...price }, capabilities: [], operation };
}

/** The models that the OpenAI dialect serves under `/openai/v1`. */
export const SIM_MODELS: readonly SimModel[] = [
  LARGE,
  MINI,
  { ...LARGE, name: "sim-think", price: { input: 1, output: 4, cachedInput: 0.25 } },
  {
    name: "sim-text",
    contextTokensMax: 8_192,
    outputTokensMax: 2_048,
    price: { input: 0.05, output: 0.1, cachedInput: 0.05 },
    capabilities: [],
    operation: "chat",
  },
  makeModel("sim-embed", "embeddings", { input: 0.02 }),
  makeModel("sim-rerank", "rerank", { input: 0.05 }),
  makeModel("sim-moderation", "moderation", {}),
  makeModel("sim-image", "images", { input: 1, output: 8 }),
  makeModel("sim-speech", "speech", { perCharacterMillion: 10 }),
  makeModel("sim-transcribe", "transcription", { perMinute: 0.003 }),
  { ...makeModel("sim-complete", "completion", { input: 0.2, output: 0.8 }), outputTokensMax: 2_048 },
  { ...MINI, name: "sim-mini~latency=800~pace=40" },
  { ...MINI, name: "sim-mini~trouble=429" },
  { ...MINI, name: "sim-mini~trouble=500" },
  { ...MINI, name: "sim-mini~trouble=cut" },
];
