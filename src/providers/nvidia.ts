// NVIDIA NIM.
import { makeEmbeddings } from "../dialects/_whole/embeddings.ts";
import { makeOpenaiDialect } from "../dialects/openai/dialect.ts";
import { OPENAI_ONLY, type OpenaiQuirks, PLAIN } from "../dialects/openai/quirks.ts";
import { NVIDIA_RERANK } from "../dialects/openai/rerank.ts";
import type { ExtraFields, ProviderRow } from "./provider.ts";
import { LOW_TO_HIGH, PLAIN_EMBEDDINGS } from "./shared.ts";

/** docs.api.nvidia.com and NVIDIA NIM, "API reference". */
const EXTRA_FIELDS = {
  chat: [
    "top_k",
    "min_p",
    "repetition_penalty",
    "min_tokens",
    "ignore_eos",
    "chat_template_kwargs",
    "nvext",
    "guided_json",
    "guided_regex",
    "guided_choice",
    "guided_grammar",
    "reasoning_budget",
    "min_thinking_tokens",
    "max_thinking_tokens",
  ],
  embeddings: ["user"],
} as const satisfies ExtraFields;

/** build.nvidia.com: NIM servers reject unknown fields. */
const QUIRKS: OpenaiQuirks = {
  ...PLAIN,
  refuses: [...OPENAI_ONLY, "logit_bias", "user"],
  extras: EXTRA_FIELDS.chat,
  names: false,
  effort: LOW_TO_HIGH,
};

/** NeMo Retriever API reference: most models require the kind of text, and know two kinds. */
const VECTORS = {
  embeddings: makeEmbeddings({
    ...PLAIN_EMBEDDINGS,
    inputType: {
      field: "input_type",
      words: { query: "query", document: "passage", classification: "passage", clustering: "passage" },
      standard: "passage",
    },
    truncation: { field: "truncate", words: { none: "NONE", start: "START", end: "END" } },
    takesTokenIds: false,
    passes: EXTRA_FIELDS.embeddings,
  }),
  rerank: NVIDIA_RERANK,
};

export const NVIDIA: ProviderRow = {
  name: "NVIDIA",
  source: {
    reference: "https://docs.nvidia.com/nim/large-language-models/2.0.0/reference/api-reference.html",
    seen: "2026-11",
  },
  keyVariables: ["NVIDIA_API_KEY"],
  secrets: /^nvapi-/,
  baseUrl: "https://integrate.api.nvidia.com/v1",
  extraFields: EXTRA_FIELDS,
  dialects: [makeOpenaiDialect(QUIRKS, VECTORS)],
};
