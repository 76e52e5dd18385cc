// Moonshot AI.
import { CHAT_BOUNDS } from "../dialects/_chat/bounds.ts";
import { lettersFirst } from "../dialects/_chat/tool-names.ts";
import { makeOpenaiDialect } from "../dialects/openai/dialect.ts";
import { OPENAI_ONLY, type OpenaiQuirks, PLAIN } from "../dialects/openai/quirks.ts";
import type { ExtraFields, ProviderRow } from "./provider.ts";
import { LOGPROBS, PENALTIES } from "./shared.ts";

/** platform.moonshot.ai, "Chat". */
const EXTRA_FIELDS = { chat: ["thinking"] } as const satisfies ExtraFields;

const FORCED = ["required", "named"] as const;

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
 * recordings of August 2026. "function name is invalid, must start with a letter" (kimi-cli, issues 1773 and 2531, July
 * 2026).
 */
const QUIRKS: OpenaiQuirks = {
  ...PLAIN,
  messageFields: ["partial"],
  refuses: [...OPENAI_ONLY, ...LOGPROBS, "logit_bias", "seed", "user", "parallel_tool_calls"],
  extras: EXTRA_FIELDS.chat,
  ranges: { temperature: [0, 1] },
  thoughts: "reasoning_content",
  bounds: { ...CHAT_BOUNDS, toolNames: lettersFirst(64) },
  imageUrls: false,
  schema: "moonshot",
  // While Kimi K2 thinks, neither `required` nor a named tool is taken (oh-my-pi, issue 1077, May 2026; inspect_ai, pull
  // request 5152, August 2026). K3 takes `required` (oh-my-pi, pull request 5994, July 2026).
  models: [
    { names: /^kimi-k2\.7|thinking/, quirks: { ...KIMI_FIXED, thinkingExcludes: FORCED } },
    {
      names: /^kimi-k2\.\d/,
      quirks: {
        ...KIMI_FIXED,
        effort: { values: [], toggle: "thinking" },
        thinkingExcludes: FORCED,
      },
    },
    { names: /^kimi-k2(-|$)/, quirks: {} },
    {
      names: /^kimi-/,
      quirks: { ...KIMI_FIXED, effort: { values: ["low", "high", "max"] }, thinkingExcludes: ["named"] },
    },
  ],
};

export const MOONSHOT: ProviderRow = {
  name: "Moonshot",
  source: { reference: "https://platform.moonshot.ai", seen: "2026-08" },
  familyNames: /./,
  keyVariables: ["MOONSHOT_API_KEY"],
  baseUrl: "https://api.moonshot.ai/v1",
  keyList: { path: "/models", keyHeader: "authorization" },
  otherHosts: ["api.moonshot.cn"],
  extraFields: EXTRA_FIELDS,
  dialects: [makeOpenaiDialect(QUIRKS)],
};
