// MiniMax.
import { makeOpenaiDialect } from "../../dialects/openai/dialect.ts";
import { type OpenaiQuirks, PLAIN } from "../../dialects/openai/quirks.ts";
import type { ProviderRow } from "../provider.ts";

/**
 * platform.minimax.io, "OpenAI API": without `reasoning_split` the thinking stands in the text, between `<think>` and
 * `</think>`, and goes back in the details in which it came. One system message is taken (MiniMax-M2, issue 51, its maker;
 * live calls in openclaw, issue 19386).
 */
const QUIRKS: OpenaiQuirks = {
  ...PLAIN,
  refusesTurns: new Set(["system_late", "system_several"]),
  adds: { reasoning_split: true },
  thoughts: "reasoning_details",
  detailsFormat: "MiniMax-response-v1",
};

export const MINIMAX: ProviderRow = {
  name: "MiniMax",
  keyVariables: ["MINIMAX_API_KEY"],
  baseUrl: "https://api.minimax.io/v1",
  otherHosts: ["api.minimaxi.com"],
  dialects: [makeOpenaiDialect(QUIRKS)],
};
