// Fireworks AI.
import { makeEmbeddings } from "../dialects/_whole/embeddings.ts";
import { makeRerank } from "../dialects/_whole/rerank.ts";
import { makeCompletion, OPENAI_COMPLETION } from "../dialects/openai/completion.ts";
import { makeOpenaiDialect } from "../dialects/openai/dialect.ts";
import { type OpenaiQuirks, PLAIN } from "../dialects/openai/quirks.ts";
import type { ExtraFields, ProviderRow } from "./provider.ts";
import { extend, NONE_TO_HIGH, PLAIN_EMBEDDINGS } from "./shared.ts";

/** docs.fireworks.ai, "Create chat completion". */
const EXTRA_FIELDS = {
  chat: [
    "top_k",
    "min_p",
    "typical_p",
    "repetition_penalty",
    "mirostat_target",
    "mirostat_lr",
    "ignore_eos",
    "context_length_exceeded_behavior",
    "prompt_truncate_len",
    "echo",
    "echo_last",
    "thinking",
    "reasoning_history",
    "raw_output",
    "perf_metrics_in_response",
    "return_token_ids",
  ],
  completion: [
    "top_k",
    "min_p",
    "typical_p",
    "repetition_penalty",
    "mirostat_target",
    "mirostat_lr",
    "ignore_eos",
    "context_length_exceeded_behavior",
    "prompt_truncate_len",
    "echo_last",
  ],
  embeddings: ["user", "normalize"],
  rerank: ["user", "task"],
} as const satisfies ExtraFields;

/** docs.fireworks.ai, "Reasoning". */
const QUIRKS: OpenaiQuirks = {
  ...PLAIN,
  extras: EXTRA_FIELDS.chat,
  effort: NONE_TO_HIGH,
};

/** docs.fireworks.ai, "Embeddings & Reranking": documents are returned unless the request refuses them. */
const BEYOND_CHAT = {
  embeddings: makeEmbeddings({ ...PLAIN_EMBEDDINGS, passes: EXTRA_FIELDS.embeddings }),
  rerank: makeRerank({ resultsField: "top_n", echoes: true, passes: EXTRA_FIELDS.rerank }),
  completion: makeCompletion(extend(OPENAI_COMPLETION, EXTRA_FIELDS.completion)),
};

export const FIREWORKS: ProviderRow = {
  name: "Fireworks",
  source: { reference: "https://docs.fireworks.ai/guides/reasoning", seen: "2026-11" },
  keyVariables: ["FIREWORKS_API_KEY"],
  secrets: /^fw_/,
  baseUrl: "https://api.fireworks.ai/inference/v1",
  keyList: { path: "/models", keyHeader: "authorization" },
  extraFields: EXTRA_FIELDS,
  dialects: [makeOpenaiDialect(QUIRKS, BEYOND_CHAT)],
};
