// Baseten.
import { makeOpenaiDialect } from "../../dialects/openai/dialect.ts";
import { PLAIN } from "../../dialects/openai/quirks.ts";
import type { ProviderRow } from "../provider.ts";

/** docs.baseten.co, "Model APIs". */
export const BASETEN: ProviderRow = {
  name: "Baseten",
  keyVariables: ["BASETEN_API_KEY"],
  baseUrl: "https://inference.baseten.co/v1",
  dialects: [makeOpenaiDialect(PLAIN)],
};
