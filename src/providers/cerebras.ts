// Cerebras.
import { makeOpenaiDialect } from "../dialects/openai/dialect.ts";
import { OPENAI_ONLY, type OpenaiQuirks, PLAIN } from "../dialects/openai/quirks.ts";
import type { ExtraFields, ProviderRow } from "./provider.ts";
import { LOW_TO_HIGH, PENALTIES } from "./shared.ts";

/** inference-docs.cerebras.ai, "Chat completions". It refuses unknown fields. */
const EXTRA_FIELDS = {
  chat: ["reasoning_format", "disable_reasoning", "clear_thinking"],
} as const satisfies ExtraFields;

/** inference-docs.cerebras.ai: system messages act as developer messages. GLM's thinking can only be turned off. */
const QUIRKS: OpenaiQuirks = {
  ...PLAIN,
  limitField: "max_completion_tokens",
  refuses: [...OPENAI_ONLY, ...PENALTIES, "logit_bias"],
  extras: EXTRA_FIELDS.chat,
  names: false,
  thoughts: "reasoning",
  effort: LOW_TO_HIGH,
  models: [{ names: /glm|qwen/, quirks: { effort: { values: ["none"] } } }],
};

export const CEREBRAS: ProviderRow = {
  name: "Cerebras",
  keyVariables: ["CEREBRAS_API_KEY"],
  secrets: /^csk-/,
  baseUrl: "https://api.cerebras.ai/v1",
  keyList: { path: "/models", keyHeader: "authorization" },
  extraFields: EXTRA_FIELDS,
  dialects: [makeOpenaiDialect(QUIRKS)],
};
