// Z.ai.
import { makeOpenaiDialect } from "../dialects/openai/dialect.ts";
import { OPENAI_ONLY, type OpenaiQuirks, PLAIN } from "../dialects/openai/quirks.ts";
import type { ExtraFields, ProviderRow } from "./provider.ts";
import { LOGPROBS, PENALTIES } from "./shared.ts";

/** docs.z.ai, "Chat Completion". */
const EXTRA_FIELDS = {
  chat: ["thinking", "do_sample", "tool_stream", "user_id"],
} as const satisfies ExtraFields;

/**
 * docs.z.ai, "Thinking mode": outside of the coding plan thinking that comes back is cleared unless the request says
 * otherwise, and so would be paid for nothing (opencrabs, issue 1348, September 2026).
 */
const PRESERVED = { addsForThoughts: { thinking: { type: "enabled", clear_thinking: false } } };

/** docs.z.ai (November 2026): only automatic tool choice, one stop word, no schema; glm-5.3 always thinks. */
const QUIRKS: OpenaiQuirks = {
  ...PLAIN,
  refuses: [...OPENAI_ONLY, ...PENALTIES, ...LOGPROBS, "logit_bias", "seed", "user", "parallel_tool_calls"],
  extras: EXTRA_FIELDS.chat,
  ranges: { temperature: [0, 1], top_p: [0.01, 1] },
  stopsMax: 1,
  streamUsage: false,
  names: false,
  thoughts: "reasoning_content",
  strictTools: false,
  directions: [],
  jsonSchema: false,
  effort: { values: ["minimal", "low", "medium", "high", "xhigh", "max"], toggle: "thinking" },
  addsForStreamedTools: { tool_stream: true },
  errors: [
    { status: 429, code: "1113", means: "upstream_auth" },
    { status: 400, code: "1301", means: "content_filter" },
    { status: 400, code: "1261", means: "context_length_exceeded" },
  ],
  models: [
    {
      names: /^glm-(5\.[3-9]|[6-9])/,
      quirks: { ...PRESERVED, effort: { values: ["low", "high", "max"] } },
    },
    { names: /^glm-(4\.7|5)/, quirks: PRESERVED },
  ],
};

export const ZAI: ProviderRow = {
  name: "ZAI",
  source: { reference: "https://docs.z.ai/guides/capabilities/thinking-mode", seen: "2026-11" },
  familyNames: /./,
  keyVariables: ["ZAI_API_KEY"],
  baseUrl: "https://api.z.ai/api/paas/v4",
  otherHosts: ["open.bigmodel.cn"],
  extraFields: EXTRA_FIELDS,
  dialects: [makeOpenaiDialect(QUIRKS)],
};
