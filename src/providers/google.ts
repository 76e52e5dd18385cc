// Google's Gemini API.
import { gemini } from "../dialects/gemini/dialect.ts";
import { GEMINI_EMBEDDINGS } from "../dialects/gemini/embeddings.ts";
import { GEMINI_IMAGES } from "../dialects/gemini/images.ts";
import { GEMINI_LANE } from "../dialects/gemini/lane.ts";
import type { ProviderRow } from "./provider.ts";
import { withLane } from "./shared.ts";

export const GEMINI_DIALECT = {
  ...withLane(gemini, { gemini: GEMINI_LANE }),
  embeddings: GEMINI_EMBEDDINGS,
  images: GEMINI_IMAGES,
};

export const GOOGLE: ProviderRow = {
  name: "Google",
  source: { reference: "https://ai.google.dev/gemini-api/docs/generate-content/thinking", seen: "2026-11" },
  familyNames: /./,
  keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  secrets: /^AIza|^AQ\./,
  baseUrl: "https://generativelanguage.googleapis.com/v1beta",
  keyList: { path: "/models", keyHeader: "x-goog-api-key" },
  dialects: [GEMINI_DIALECT],
};
