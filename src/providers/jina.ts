// Jina AI.
import { jina } from "../dialects/jina/dialect.ts";
import type { ProviderRow } from "./provider.ts";

export const JINA: ProviderRow = {
  name: "Jina",
  source: { reference: "https://api.jina.ai/openapi.json", seen: "2026-11" },
  keyVariables: ["JINA_API_KEY"],
  secrets: /^jina_/,
  baseUrl: "https://api.jina.ai/v1",
  dialects: [jina],
};
