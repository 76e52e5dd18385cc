// Novita.
import { makeOpenaiDialect } from "../../dialects/openai/dialect.ts";
import { type OpenaiQuirks, PLAIN } from "../../dialects/openai/quirks.ts";
import type { ExtraFields, ProviderRow } from "../provider.ts";
import { LOW_TO_HIGH } from "../shared.ts";

/** novita.ai/docs, "Create chat completion" (November 2026). */
const EXTRA_FIELDS = {
  chat: ["top_k", "min_p", "repetition_penalty", "separate_reasoning", "enable_thinking"],
} as const satisfies ExtraFields;

/**
 * novita.ai/docs, "Interleaved thinking" (December 2025): thinking goes back in the field in which it came. The efforts and
 * switches are those of live calls (models.dev, pull request 2077, June 2026, and GLM 5.3, September 2026).
 */
const QUIRKS: OpenaiQuirks = {
  ...PLAIN,
  extras: EXTRA_FIELDS.chat,
  thoughts: "any",
  models: [
    {
      names: /deepseek-v4-pro/,
      quirks: { effort: { values: ["low", "medium", "high", "xhigh"], toggle: "enable_thinking" } },
    },
    {
      names: /deepseek-v4-flash/,
      quirks: {
        effort: { values: ["minimal", "low", "medium", "high", "xhigh"], toggle: "enable_thinking" },
      },
    },
    { names: /gpt-oss/, quirks: { effort: LOW_TO_HIGH } },
    { names: /glm-5\.3/, quirks: { effort: { values: [], toggle: "thinking" } } },
  ],
};

export const NOVITA: ProviderRow = {
  name: "Novita",
  source: { reference: "https://novita.ai/docs", seen: "2026-11" },
  keyVariables: ["NOVITA_API_KEY"],
  baseUrl: "https://api.novita.ai/v3/openai",
  extraFields: EXTRA_FIELDS,
  dialects: [makeOpenaiDialect(QUIRKS)],
};
