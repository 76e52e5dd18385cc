// SambaNova.
import { makeOpenaiDialect } from "../../dialects/openai/dialect.ts";
import { OPENAI_ONLY, type OpenaiQuirks, PLAIN } from "../../dialects/openai/quirks.ts";
import type { ExtraFields, ProviderRow } from "../provider.ts";
import { LOGPROBS, LOW_TO_HIGH, PENALTIES } from "../shared.ts";

/** docs.sambanova.ai, "Create chat completion" (November 2026). */
const EXTRA_FIELDS = { chat: ["top_k", "do_sample", "chat_template_kwargs"] } as const satisfies ExtraFields;

/**
 * docs.sambanova.ai, "Create chat completion", and its SDK's types (November 2026): these fields are "not yet supported" or
 * "not currently implemented", and images are taken as data alone. An assistant's message has `reasoning`. gpt-oss takes an
 * effort (models.dev, pull request 2133, June 2026; inspect_ai, pull request 4708, August 2026).
 */
const QUIRKS: OpenaiQuirks = {
  ...PLAIN,
  refuses: [...OPENAI_ONLY, ...LOGPROBS, ...PENALTIES, "logit_bias", "seed"],
  extras: EXTRA_FIELDS.chat,
  imageUrls: false,
  thoughts: "reasoning",
  models: [{ names: /gpt-oss/, quirks: { effort: LOW_TO_HIGH } }],
};

export const SAMBANOVA: ProviderRow = {
  name: "SambaNova",
  source: { reference: "https://docs.sambanova.ai", seen: "2026-11" },
  keyVariables: ["SAMBANOVA_API_KEY"],
  baseUrl: "https://api.sambanova.ai/v1",
  extraFields: EXTRA_FIELDS,
  dialects: [makeOpenaiDialect(QUIRKS)],
};
