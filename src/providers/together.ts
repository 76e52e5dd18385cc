// Together AI.
import { makeEmbeddings } from "../dialects/_whole/embeddings.ts";
import { makeRerank } from "../dialects/_whole/rerank.ts";
import { makeCompletion, OPENAI_COMPLETION } from "../dialects/openai/completion.ts";
import { makeOpenaiDialect } from "../dialects/openai/dialect.ts";
import { type OpenaiQuirks, PLAIN } from "../dialects/openai/quirks.ts";
import type { ExtraFields, ProviderRow } from "./provider.ts";
import { extend, LOW_TO_HIGH, MODERATION, PLAIN_EMBEDDINGS } from "./shared.ts";

/** docs.together.ai, "Create chat completion". */
const EXTRA_FIELDS = {
  chat: [
    "top_k",
    "min_p",
    "repetition_penalty",
    "echo",
    "context_length_exceeded_behavior",
    "reasoning",
    "chat_template_kwargs",
  ],
  completion: ["top_k", "min_p", "repetition_penalty"],
  embeddings: ["user"],
  rerank: ["user"],
} as const satisfies ExtraFields;

/** docs.together.ai, "GLM-5.3 quickstart" (November 2026): it has one effort more. */
const QUIRKS: OpenaiQuirks = {
  ...PLAIN,
  extras: EXTRA_FIELDS.chat,
  effort: LOW_TO_HIGH,
  models: [{ names: /glm-5\.3/i, quirks: { effort: { values: [...LOW_TO_HIGH.values, "max"] } } }],
};

const BEYOND_CHAT = {
  embeddings: makeEmbeddings({ ...PLAIN_EMBEDDINGS, passes: EXTRA_FIELDS.embeddings }),
  rerank: makeRerank({ resultsField: "top_n", passes: EXTRA_FIELDS.rerank }),
  moderation: MODERATION,
  completion: makeCompletion(extend(OPENAI_COMPLETION, EXTRA_FIELDS.completion)),
};

export const TOGETHER: ProviderRow = {
  name: "Together",
  source: { reference: "https://docs.together.ai", seen: "2026-11" },
  keyVariables: ["TOGETHER_API_KEY"],
  secrets: /^tgp_/,
  baseUrl: "https://api.together.xyz/v1",
  keyList: { path: "/models", keyHeader: "authorization" },
  extraFields: EXTRA_FIELDS,
  dialects: [makeOpenaiDialect(QUIRKS, BEYOND_CHAT)],
};
