// Google Cloud's Vertex AI: Gemini, Claude and open models. Its address follows from project and location.
import { carryVertexOpen } from "../dialects/_chat/carriers.ts";
import { carryVertexClaude } from "../dialects/anthropic/carriers.ts";
import { geminiOnVertex } from "../dialects/gemini/dialect.ts";
import { VERTEX_EMBEDDINGS } from "../dialects/gemini/embeddings.ts";
import { GEMINI_IMAGES } from "../dialects/gemini/images.ts";
import { GEMINI_LANE } from "../dialects/gemini/lane.ts";
import { carryVertexGemini, VERTEX_RERANK } from "../dialects/gemini/vertex.ts";
import { makeOpenaiDialect } from "../dialects/openai/dialect.ts";
import { type OpenaiQuirks, PLAIN } from "../dialects/openai/quirks.ts";
import { ANTHROPIC_DIALECT } from "./anthropic.ts";
import type { ExtraFields, ProviderRow } from "./provider.ts";
import { CLAUDE_NAMES, LOW_TO_HIGH, withLane } from "./shared.ts";

/** Google Cloud, "Use open models via Model as a Service". */
const EXTRA_FIELDS = {
  chat: ["top_k", "min_p", "repetition_penalty", "chat_template_kwargs", "thinking"],
} as const satisfies ExtraFields;

/** Google Cloud, "Use open models via Model as a Service". */
const QUIRKS: OpenaiQuirks = { ...PLAIN, extras: EXTRA_FIELDS.chat, effort: LOW_TO_HIGH };

/** Vendors' open models on Vertex AI are named with their vendor: `meta/llama-4-…`. */
const OPEN_MODEL = /^[^/]+\/[^/]+$/;

export const VERTEX: ProviderRow = {
  name: "Vertex",
  source: {
    reference: "https://docs.cloud.google.com/vertex-ai/generative-ai/docs/open-models/use-maas",
    seen: "2026-11",
  },
  familyNames: /^(?:gemini|claude)-/,
  keyVariables: ["GOOGLE_APPLICATION_CREDENTIALS"],
  baseUrl: "",
  platform: "vertex",
  // 10 % in regions and multi-regions, for Claude since 4.5 and Gemini since 3.1 Flash-Lite (LiteLLM 1.110.2, read on
  // 2026-11-26).
  regions: [
    {
      addresses: /\/locations\/(?!global(\/|$))/,
      factor: 1.1,
      models:
        /^(claude-(opus|sonnet|haiku)-4-[5-9]|claude-[a-z]+-[5-9]|gemini-3\.1-flash-(lite|image)|gemini-3\.[5-9]|gemini-[4-9])/,
    },
  ],
  extraFields: EXTRA_FIELDS,
  dialects: [
    {
      ...withLane(geminiOnVertex, { gemini: GEMINI_LANE }),
      embeddings: VERTEX_EMBEDDINGS,
      rerank: VERTEX_RERANK,
      images: GEMINI_IMAGES,
      names: /^(?!claude)[^/]+$/,
      carry: carryVertexGemini,
    },
    { ...ANTHROPIC_DIALECT, names: CLAUDE_NAMES, carry: carryVertexClaude },
    { ...makeOpenaiDialect(QUIRKS), names: OPEN_MODEL, carry: carryVertexOpen },
  ],
};
