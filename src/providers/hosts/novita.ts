// Novita.
import { makeOpenaiDialect } from "../../dialects/openai/dialect.ts";
import { PLAIN } from "../../dialects/openai/quirks.ts";
import type { ProviderRow } from "../provider.ts";

/** novita.ai/docs, "LLM API". */
export const NOVITA: ProviderRow = {
  name: "Novita",
  keyVariables: ["NOVITA_API_KEY"],
  baseUrl: "https://api.novita.ai/v3/openai",
  dialects: [makeOpenaiDialect(PLAIN)],
};
