// The models of the provider `Sim`, with prices that are made up but not zero, so that cost shows.
import type { Capability } from "../core/card.ts";

export interface SimModel {
  readonly name: string;
  readonly contextTokensMax: number;
  readonly outputTokensMax: number;
  /** USD per million tokens. */
  readonly price: { readonly input: number; readonly output: number; readonly cachedInput: number };
  readonly capabilities: readonly Capability[];
}

const ABLE: readonly Capability[] = ["tools", "vision", "files", "audio", "structured"];

const LARGE: SimModel = {
  name: "sim-large",
  contextTokensMax: 400_000,
  outputTokensMax: 64_000,
  price: { input: 2, output: 8, cachedInput: 0.5 },
  capabilities: [...ABLE, "reasoning"],
};

const MINI: SimModel = {
  name: "sim-mini",
  contextTokensMax: 128_000,
  outputTokensMax: 16_384,
  price: { input: 0.2, output: 0.8, cachedInput: 0.05 },
  capabilities: ABLE,
};

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
  },
  { ...MINI, name: "sim-mini~latency=800~pace=40" },
  { ...MINI, name: "sim-mini~trouble=429" },
  { ...MINI, name: "sim-mini~trouble=500" },
  { ...MINI, name: "sim-mini~trouble=cut" },
];
