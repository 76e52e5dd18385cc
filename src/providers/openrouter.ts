// OpenRouter.
import { USUAL_REPORT } from "../core/money/cost-report.ts";
import { COHERE_KINDS, makeEmbeddings } from "../dialects/_whole/embeddings.ts";
import { makeRerank } from "../dialects/_whole/rerank.ts";
import { makeOpenaiDialect } from "../dialects/openai/dialect.ts";
import { makeImages, OPENROUTER_IMAGES } from "../dialects/openai/images.ts";
import { type OpenaiQuirks, PLAIN } from "../dialects/openai/quirks.ts";
import { makeSpeech, OPENAI_SPEECH } from "../dialects/openai/speech.ts";
import type { ExtraFields, ProviderRow } from "./provider.ts";
import { ALL_EFFORTS, PLAIN_EMBEDDINGS } from "./shared.ts";

/** openrouter.ai/docs, "Parameters". `provider`, `models`, `route`, `preset` and `plugins` choose another price. */
const EXTRA_FIELDS = {
  chat: [
    "top_k",
    "top_a",
    "min_p",
    "repetition_penalty",
    "reasoning",
    "include_reasoning",
    "transforms",
    "structured_outputs",
    "usage",
    "cache_control",
  ],
  embeddings: ["user"],
  rerank: ["user"],
  images: ["user", "aspect_ratio", "seed"],
} as const satisfies ExtraFields;

/** openrouter.ai/docs: it drops fields that the model doesn't support, and fetches documents ("PDF Inputs"). */
const QUIRKS: OpenaiQuirks = {
  ...PLAIN,
  refuses: [],
  extras: EXTRA_FIELDS.chat,
  developerRole: true,
  messageFields: ["refusal"],
  fileUrls: true,
  thoughts: "reasoning_details",
  cacheMark: "cache_control",
  effort: ALL_EFFORTS,
  // Their maker refuses a forced call (Anthropic, "What's new in Claude Fable 5.2", November 2026).
  models: [
    {
      names: /^anthropic\/claude-(fable-5\.[12]|(opus|sonnet)-5\.5)$/,
      quirks: { directions: ["none"], marksPrompts: true },
    },
    { names: /^anthropic\//, quirks: { marksPrompts: true } },
  ],
  errors: [
    // A balance too small for this prompt still pays for shorter ones, so the key is valid.
    { status: 402, begins: "Prompt tokens limit exceeded", means: "request_too_large" },
    { status: 400, begins: "* is not a valid model ID", means: "model_not_found" },
  ],
};

/** openrouter.ai/docs: it passes the kind of text to models that support it. */
const BEYOND_CHAT = {
  embeddings: makeEmbeddings({
    ...PLAIN_EMBEDDINGS,
    inputType: { field: "input_type", words: COHERE_KINDS },
    passes: EXTRA_FIELDS.embeddings,
  }),
  rerank: makeRerank({ resultsField: "top_n", passes: EXTRA_FIELDS.rerank }),
  images: makeImages({ ...OPENROUTER_IMAGES, passes: EXTRA_FIELDS.images }),
  speech: makeSpeech(OPENAI_SPEECH),
};

export const OPENROUTER: ProviderRow = {
  name: "OpenRouter",
  source: {
    reference: "https://openrouter.ai/docs/client-sdks/python/components/reasoningconfig",
    seen: "2026-11",
  },
  keyVariables: ["OPENROUTER_API_KEY"],
  secrets: /^sk-or-/,
  baseUrl: "https://openrouter.ai/api/v1",
  takesMarks: true,
  extraFields: EXTRA_FIELDS,
  // openrouter.ai/docs, "Usage Accounting": `usage.cost` is what the account is charged, by the host that answered. With a
  // key of one's own there (`is_byok`), it is only the fee, and what the host bills stands beside it.
  reportsCost: {
    ...USUAL_REPORT,
    adds: {
      field: ["usage", "cost_details", "upstream_inference_cost"],
      where: ["usage", "is_byok"],
    },
  },
  dialects: [makeOpenaiDialect(QUIRKS, BEYOND_CHAT)],
};
