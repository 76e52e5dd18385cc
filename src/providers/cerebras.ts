// Cerebras.
import { makeOpenaiDialect } from "../dialects/openai/dialect.ts";
import { OPENAI_ONLY, type OpenaiQuirks, PLAIN } from "../dialects/openai/quirks.ts";
import type { ExtraFields, ProviderRow } from "./provider.ts";
import { LOW_TO_HIGH, PENALTIES } from "./shared.ts";

/** inference-docs.cerebras.ai, "Chat completions". It refuses unknown fields. */
const EXTRA_FIELDS = {
  chat: ["reasoning_format", "disable_reasoning", "clear_thinking"],
} as const satisfies ExtraFields;

/**
 * inference-docs.cerebras.ai (November 2026): system messages act as developer messages. GLM's thinking can only be turned
 * off, and that of earlier turns is left out of the prompt by default. `parallel_tool_calls` is refused (agno, issue 4508,
 * September 2025; req_llm's guide), and so is `strict` by some models, or if not all tools have it (livekit/agents, pull
 * request 3134, August 2025; Roo-Code, issue 10334, December 2025).
 */
const QUIRKS: OpenaiQuirks = {
  ...PLAIN,
  limitField: "max_completion_tokens",
  refuses: [...OPENAI_ONLY, ...PENALTIES, "logit_bias", "parallel_tool_calls"],
  extras: EXTRA_FIELDS.chat,
  names: false,
  strictTools: false,
  thoughts: "reasoning",
  effort: LOW_TO_HIGH,
  models: [
    {
      names: /glm/,
      quirks: { effort: { values: ["none"] }, addsForThoughts: { clear_thinking: false } },
    },
    { names: /qwen/, quirks: { effort: { values: ["none"] } } },
  ],
};

export const CEREBRAS: ProviderRow = {
  name: "Cerebras",
  source: { reference: "https://inference-docs.cerebras.ai/api-reference/chat-completions", seen: "2026-11" },
  keyVariables: ["CEREBRAS_API_KEY"],
  secrets: /^csk-/,
  baseUrl: "https://api.cerebras.ai/v1",
  keyList: { path: "/models", keyHeader: "authorization" },
  extraFields: EXTRA_FIELDS,
  dialects: [makeOpenaiDialect(QUIRKS)],
};
