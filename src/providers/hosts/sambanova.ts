// SambaNova.
import { makeOpenaiDialect } from "../../dialects/openai/dialect.ts";
import { PLAIN } from "../../dialects/openai/quirks.ts";
import type { ProviderRow } from "../provider.ts";

/** docs.sambanova.ai, "OpenAI compatibility". */
export const SAMBANOVA: ProviderRow = {
  name: "SambaNova",
  keyVariables: ["SAMBANOVA_API_KEY"],
  baseUrl: "https://api.sambanova.ai/v1",
  dialects: [makeOpenaiDialect(PLAIN)],
};
