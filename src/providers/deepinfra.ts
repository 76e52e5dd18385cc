// DeepInfra.
import { makeEmbeddings } from "../dialects/_whole/embeddings.ts";
import { makeOpenaiDialect } from "../dialects/openai/dialect.ts";
import { type OpenaiQuirks, PLAIN } from "../dialects/openai/quirks.ts";
import { DEEPINFRA_RERANK } from "../dialects/openai/rerank.ts";
import type { ExtraFields, ProviderRow } from "./provider.ts";
import { NONE_TO_HIGH, PLAIN_EMBEDDINGS } from "./shared.ts";

/** docs.deepinfra.com, "Openai Chat Completions". */
const EXTRA_FIELDS = {
  chat: ["top_k", "min_p", "repetition_penalty", "reasoning", "chat_template_kwargs"],
  embeddings: ["user"],
} as const satisfies ExtraFields;

const QUIRKS: OpenaiQuirks = {
  ...PLAIN,
  extras: EXTRA_FIELDS.chat,
  effort: NONE_TO_HIGH,
};

/** DeepInfra's API accepts at most 1,024 texts per call. */
const VECTORS = {
  embeddings: makeEmbeddings({ ...PLAIN_EMBEDDINGS, passes: EXTRA_FIELDS.embeddings, inputsMax: 1024 }),
  rerank: DEEPINFRA_RERANK,
};

export const DEEPINFRA: ProviderRow = {
  name: "DeepInfra",
  source: {
    reference: "https://docs.deepinfra.com/api-reference/openai-chat-completions-1",
    seen: "2026-11",
  },
  keyVariables: ["DEEPINFRA_API_KEY"],
  baseUrl: "https://api.deepinfra.com/v1/openai",
  extraFields: EXTRA_FIELDS,
  dialects: [makeOpenaiDialect(QUIRKS, VECTORS)],
};
