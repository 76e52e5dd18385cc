// Voyage AI.
import { voyage } from "../dialects/voyage/dialect.ts";
import type { ProviderRow } from "./provider.ts";

export const VOYAGE: ProviderRow = {
  name: "Voyage",
  source: { reference: "https://docs.voyageai.com/reference/embeddings-api", seen: "2026-11" },
  keyVariables: ["VOYAGE_API_KEY"],
  secrets: /^pa-[\w-]{20}/,
  baseUrl: "https://api.voyageai.com/v1",
  dialects: [voyage],
};
