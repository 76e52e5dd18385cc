// MiniMax.
import { makeOpenaiDialect } from "../../dialects/openai/dialect.ts";
import { type OpenaiQuirks, PLAIN } from "../../dialects/openai/quirks.ts";
import type { ProviderRow } from "../provider.ts";

/**
 * platform.minimax.io, "OpenAI API": without `reasoning_split` the thinking stands in the text, between `<think>` and
 * `</think>`, and goes back in the details in which it came. One system message is taken (MiniMax-M2, issue 51, its maker;
 * live calls in openclaw, issue 19386). A function without parameters is refused (qwen-code, issue 11834, live calls,
 * September 2026). M3's thinking can be turned off (platform.minimax.io, November 2026; Cherry Studio, issue 16431).
 */
const QUIRKS: OpenaiQuirks = {
  ...PLAIN,
  refusesTurns: new Set(["system_late", "system_several"]),
  adds: { reasoning_split: true },
  parametersRequired: true,
  thoughts: "reasoning_details",
  detailsFormat: "MiniMax-response-v1",
  models: [{ names: /^minimax-m3/i, quirks: { effort: { values: [], toggle: "thinking" } } }],
};

export const MINIMAX: ProviderRow = {
  name: "MiniMax",
  source: { reference: "https://platform.minimax.io", seen: "2026-11" },
  keyVariables: ["MINIMAX_API_KEY"],
  baseUrl: "https://api.minimax.io/v1",
  otherHosts: ["api.minimaxi.com"],
  dialects: [makeOpenaiDialect(QUIRKS)],
};
