// Qwen, on Alibaba Cloud's Model Studio.
import { makeOpenaiDialect } from "../dialects/openai/dialect.ts";
import {
  type EffortQuirks,
  NO_EFFORT,
  OPENAI_ONLY,
  type OpenaiQuirks,
  PLAIN,
} from "../dialects/openai/quirks.ts";
import type { ExtraFields, ProviderRow } from "./provider.ts";

/** alibabacloud.com/help/model-studio, "OpenAI compatible - Chat". Searches have a price of their own. */
const EXTRA_FIELDS = {
  chat: [
    "enable_thinking",
    "thinking_budget",
    "preserve_thinking",
    "top_k",
    "repetition_penalty",
    "translation_options",
    "asr_options",
  ],
} as const satisfies ExtraFields;

const QWEN_SWITCH: EffortQuirks = { values: [], toggle: "enable_thinking" };

/**
 * alibabacloud.com/help/model-studio: no forced call or JSON while thinking; open Qwen3 thinks only in streams; "Partial
 * mode".
 */
const QUIRKS: OpenaiQuirks = {
  ...PLAIN,
  messageFields: ["partial"],
  refuses: [...OPENAI_ONLY, "frequency_penalty", "logit_bias", "user"],
  extras: EXTRA_FIELDS.chat,
  ranges: { temperature: [0, 1.99], top_p: [0.01, 1] },
  thoughts: "reasoning_content",
  jsonSchema: false,
  effort: QWEN_SWITCH,
  thinkingExcludes: ["required", "named", "json"],
  models: [
    { names: /thinking|^qwq/, quirks: { effort: NO_EFFORT } },
    { names: /^qwen3\.([7-9]|\d\d)/, quirks: { jsonSchema: true } },
    {
      names: /^qwen3-\d/,
      quirks: { thinkingExcludes: ["required", "named", "json", "unstreamed"] },
    },
  ],
};

export const QWEN: ProviderRow = {
  name: "Qwen",
  source: { reference: "https://www.alibabacloud.com/help/en/model-studio/deep-thinking", seen: "2026-06" },
  keyVariables: ["DASHSCOPE_API_KEY"],
  baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
  otherHosts: ["dashscope.aliyuncs.com", "dashscope-us.aliyuncs.com"],
  extraFields: EXTRA_FIELDS,
  dialects: [makeOpenaiDialect(QUIRKS)],
};
