// Baseten.
import { makeOpenaiDialect } from "../../dialects/openai/dialect.ts";
import { type OpenaiQuirks, PLAIN } from "../../dialects/openai/quirks.ts";
import type { ExtraFields, ProviderRow } from "../provider.ts";
import { LOW_TO_HIGH } from "../shared.ts";

/** docs.baseten.co, "Reasoning" (November 2026): the switch of models that think on request. */
const EXTRA_FIELDS = { chat: ["chat_template_args"] } as const satisfies ExtraFields;

/**
 * docs.baseten.co, "Reasoning" (November 2026): the efforts of each model, and `reasoning_content`, which goes back as it
 * came (models.dev, DeepSeek V4.1 Flash). Kimi K3's are Moonshot's (oh-my-pi, pull request 8364, August 2026).
 */
const QUIRKS: OpenaiQuirks = {
  ...PLAIN,
  extras: EXTRA_FIELDS.chat,
  thoughts: "reasoning_content",
  models: [
    { names: /deepseek-v4-pro/i, quirks: { effort: { values: ["low", "medium", "high", "xhigh"] } } },
    { names: /deepseek-v4\./i, quirks: { effort: { values: ["none", "low", "high", "max"] } } },
    { names: /gpt-oss/i, quirks: { effort: LOW_TO_HIGH } },
    { names: /glm-5\.2/i, quirks: { effort: { values: ["none", "high", "max"] } } },
    { names: /kimi-k3/i, quirks: { effort: { values: ["low", "high", "max"] } } },
  ],
};

export const BASETEN: ProviderRow = {
  name: "Baseten",
  source: { reference: "https://docs.baseten.co", seen: "2026-11" },
  keyVariables: ["BASETEN_API_KEY"],
  baseUrl: "https://inference.baseten.co/v1",
  extraFields: EXTRA_FIELDS,
  dialects: [makeOpenaiDialect(QUIRKS)],
};
