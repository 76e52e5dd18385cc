// Jina AI.
import { jina } from "../dialects/jina/dialect.ts";
import type { ProviderRow } from "./provider.ts";

export const JINA: ProviderRow = {
  name: "Jina",
  keyVariables: ["JINA_API_KEY"],
  secrets: /^jina_/,
  baseUrl: "https://api.jina.ai/v1",
  dialects: [jina],
};
