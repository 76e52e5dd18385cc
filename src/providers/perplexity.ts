// Perplexity.
import { perplexity } from "../dialects/perplexity/dialect.ts";
import type { ProviderRow } from "./provider.ts";

export const PERPLEXITY: ProviderRow = {
  name: "Perplexity",
  source: { reference: "https://docs.perplexity.ai/docs/agent-api/migrate-from-sonar", seen: "2026-11" },
  keyVariables: ["PERPLEXITY_API_KEY"],
  secrets: /^pplx-/,
  baseUrl: "https://api.perplexity.ai/v1",
  dialects: [perplexity],
};
