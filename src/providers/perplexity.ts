// Perplexity.
import { perplexity } from "../dialects/perplexity/dialect.ts";
import type { ProviderRow } from "./provider.ts";

export const PERPLEXITY: ProviderRow = {
  name: "Perplexity",
  keyVariables: ["PERPLEXITY_API_KEY"],
  secrets: /^pplx-/,
  baseUrl: "https://api.perplexity.ai/v1",
  dialects: [perplexity],
};
