// Groq.
import { makeOpenaiDialect } from "../dialects/openai/dialect.ts";
import { OPENAI_ONLY, type OpenaiQuirks, PLAIN } from "../dialects/openai/quirks.ts";
import { makeSpeech, OPENAI_SPEECH } from "../dialects/openai/speech.ts";
import { GROQ_TRANSCRIPTION, makeTranscription } from "../dialects/openai/transcription.ts";
import type { ExtraFields, ProviderRow } from "./provider.ts";
import { LOGPROBS, LOW_TO_HIGH } from "./shared.ts";

/** console.groq.com/docs, "API reference". It refuses unknown fields. */
const EXTRA_FIELDS = {
  chat: [
    "reasoning_format",
    "include_reasoning",
    "citation_options",
    "disable_tool_validation",
    "search_settings",
    "include_domains",
    "exclude_domains",
  ],
  speech: ["sample_rate"],
} as const satisfies ExtraFields;

/**
 * console.groq.com/docs: no log probabilities, no bias, no names; JSON and tools exclude each other; strict schemas at
 * gpt-oss alone.
 */
const QUIRKS: OpenaiQuirks = {
  ...PLAIN,
  limitField: "max_completion_tokens",
  refuses: [...OPENAI_ONLY, ...LOGPROBS, "logit_bias"],
  extras: EXTRA_FIELDS.chat,
  names: false,
  jsonSchema: false,
  strictFormat: false,
  jsonWithTools: false,
  models: [
    { names: /gpt-oss/, quirks: { effort: LOW_TO_HIGH, jsonSchema: true, strictFormat: true } },
    { names: /kimi|llama-4/, quirks: { jsonSchema: true } },
    {
      names: /qwen|deepseek/,
      quirks: { effort: { values: ["none"] }, adds: { reasoning_format: "parsed" } },
    },
  ],
};

const MEDIA = {
  speech: makeSpeech({ ...OPENAI_SPEECH, passes: EXTRA_FIELDS.speech }),
  transcription: makeTranscription(GROQ_TRANSCRIPTION),
};

export const GROQ: ProviderRow = {
  name: "Groq",
  source: { reference: "https://console.groq.com/docs/openai", seen: "2026-11" },
  keyVariables: ["GROQ_API_KEY"],
  secrets: /^gsk_/,
  baseUrl: "https://api.groq.com/openai/v1",
  keyList: { path: "/models", keyHeader: "authorization" },
  extraFields: EXTRA_FIELDS,
  dialects: [makeOpenaiDialect(QUIRKS, MEDIA)],
};
