// Moonshot AI.
import { makeOpenaiDialect } from "../dialects/openai/dialect.ts";
import { OPENAI_ONLY, type OpenaiQuirks, PLAIN } from "../dialects/openai/quirks.ts";
import type { ExtraFields, ProviderRow } from "./provider.ts";
import { LOGPROBS, PENALTIES } from "./shared.ts";

/** platform.moonshot.ai, "Chat". */
const EXTRA_FIELDS = { chat: ["thinking"] } as const satisfies ExtraFields;

/** Kimi's newer models have a fixed temperature, and answer others with 400. */
const KIMI_FIXED = {
  refuses: [
    ...OPENAI_ONLY,
    ...LOGPROBS,
    ...PENALTIES,
    "logit_bias",
    "seed",
    "user",
    "parallel_tool_calls",
    "temperature",
    "top_p",
  ],
  thoughtsRequired: true,
};

/**
 * platform.moonshot.ai ("Use the Kimi Vision Model": images by URL are refused; "Use Kimi API's Partial Mode") and
 * recordings of August 2026.
 */
const QUIRKS: OpenaiQuirks = {
  ...PLAIN,
  messageFields: ["partial"],
  refuses: [...OPENAI_ONLY, ...LOGPROBS, "logit_bias", "seed", "user", "parallel_tool_calls"],
  extras: EXTRA_FIELDS.chat,
  ranges: { temperature: [0, 1] },
  thoughts: "reasoning_content",
  imageUrls: false,
  schema: "moonshot",
  models: [
    { names: /^kimi-k2\.7|thinking/, quirks: { ...KIMI_FIXED, thinkingExcludes: ["required"] } },
    {
      names: /^kimi-k2\.\d/,
      quirks: {
        ...KIMI_FIXED,
        effort: { values: [], toggle: "thinking" },
        thinkingExcludes: ["required"],
      },
    },
    { names: /^kimi-k2(-|$)/, quirks: {} },
    {
      names: /^kimi-/,
      quirks: { ...KIMI_FIXED, effort: { values: ["low", "high", "max"] } },
    },
  ],
};

export const MOONSHOT: ProviderRow = {
  name: "Moonshot",
  familyNames: /./,
  keyVariables: ["MOONSHOT_API_KEY"],
  baseUrl: "https://api.moonshot.ai/v1",
  keyList: { path: "/models", keyHeader: "authorization" },
  otherHosts: ["api.moonshot.cn"],
  extraFields: EXTRA_FIELDS,
  dialects: [makeOpenaiDialect(QUIRKS)],
};
