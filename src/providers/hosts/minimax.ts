// MiniMax.
import { makeOpenaiDialect } from "../../dialects/openai/dialect.ts";
import { PLAIN } from "../../dialects/openai/quirks.ts";
import type { ProviderRow } from "../provider.ts";

/** platform.minimax.io, "OpenAI API". */
export const MINIMAX: ProviderRow = {
  name: "MiniMax",
  keyVariables: ["MINIMAX_API_KEY"],
  baseUrl: "https://api.minimax.io/v1",
  dialects: [makeOpenaiDialect(PLAIN)],
};
