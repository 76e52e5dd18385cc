// DeepSeek.
import { DEEPSEEK_COMPLETION, makeCompletion } from "../dialects/openai/completion.ts";
import { makeOpenaiDialect } from "../dialects/openai/dialect.ts";
import { OPENAI_ONLY, type OpenaiQuirks, PLAIN } from "../dialects/openai/quirks.ts";
import type { ExtraFields, ProviderRow } from "./provider.ts";

/** api-docs.deepseek.com, "Thinking Mode". */
const EXTRA_FIELDS = { chat: ["thinking"] } as const satisfies ExtraFields;

/** api-docs.deepseek.com, "Thinking Mode": on by default. It ignores sampling fields and refuses a forced call. */
const QUIRKS: OpenaiQuirks = {
  ...PLAIN,
  refuses: [...OPENAI_ONLY, "logit_bias", "user"],
  extras: EXTRA_FIELDS.chat,
  thoughts: "reasoning_content",
  thoughtsRequired: true,
  jsonSchema: false,
  effort: { values: ["low", "high", "max"], toggle: "thinking" },
  thinkingExcludes: ["required", "named"],
  errors: [{ status: 400, begins: "The supported API model names are ", means: "model_not_found" }],
};

export const DEEPSEEK: ProviderRow = {
  name: "DeepSeek",
  source: { reference: "https://api-docs.deepseek.com/guides/thinking_mode", seen: "2026-11" },
  familyNames: /./,
  keyVariables: ["DEEPSEEK_API_KEY"],
  baseUrl: "https://api.deepseek.com",
  keyList: { path: "/models", keyHeader: "authorization" },
  extraFields: EXTRA_FIELDS,
  dialects: [makeOpenaiDialect(QUIRKS, { completion: makeCompletion(DEEPSEEK_COMPLETION) })],
};
