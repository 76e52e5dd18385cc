// Fields that a model refuses, as its client sends them on the surface of the model's family, and as the provider gets them.
import { type JsonObject, parseJson } from "../../../src/core/json/json.ts";

/** A plain prompt on each surface. */
export const ASKED: Readonly<Record<string, string>> = {
  Claude: '"messages": [{"role": "user", "content": "h\\u0069"}]',
  Gpt: '"input": "h\\u0069"',
  Gem: '"contents": [{"role": "user", "parts": [{"text": "h\\u0069"}]}]',
};
export const PREFILL =
  '"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "The answer"}]';
const GEM_PREFILL =
  '"contents": [{"role": "user", "parts": [{"text": "hi"}]}, {"role": "model", "parts": [{"text": "The answer"}]}]';

interface RefusedRow {
  readonly model: string;
  /** The client's fields beside the prompt. */
  readonly fields: string;
  /** The same as the provider gets them. */
  readonly sent: JsonObject;
  readonly dropped: string;
  /** The prompt's field, if it isn't a plain one. */
  readonly asked?: string;
  /** True if the model named by the client gets it as it came, and refuses it. */
  readonly isExact?: true;
}

export const ADAPTIVE = '"thinking": {"type": "adaptive"}';
const ENABLED = '"thinking": {"type": "enabled", "budget_tokens": 2000}';
const FORMAT = '{"type": "json_schema", "schema": {"type": "object", "additionalProperties": false}}';
const adaptively = { type: "adaptive", display: "summarized" };
const budget = (budget_tokens: number) => ({ type: "enabled", budget_tokens });

export const ROWS: readonly RefusedRow[] = [
  {
    model: "Claude#claude-haiku-4-5",
    fields: `${ADAPTIVE}, "output_config": {"effort": "high"}`,
    sent: { thinking: budget(12_800) },
    dropped: "thinking, output_config.effort",
  },
  {
    model: "Claude#claude-haiku-4-5",
    fields: `${ENABLED}, "output_config": {"effort": "high", "format": ${FORMAT}}`,
    sent: { thinking: budget(2000), output_config: { format: parseJson(FORMAT) } },
    dropped: "output_config.effort",
  },
  {
    model: "Claude#claude-haiku-4-5",
    fields: '"temperature": 0.2, "top_p": 0.9, "top_k": 5',
    sent: { temperature: 0.2, top_k: 5 },
    dropped: "top_p",
  },
  {
    model: "Claude#claude-sonnet-4-5",
    fields: `"temperature": 0.2, "top_k": 5, ${ENABLED}`,
    sent: { thinking: budget(2000) },
    dropped: "temperature, top_k",
    isExact: true,
  },
  {
    model: "Claude#claude-sonnet-4-5",
    fields: `"top_p": 0.9, ${ENABLED}`,
    sent: { thinking: budget(2000) },
    dropped: "top_p",
    isExact: true,
  },
  { model: "Claude#claude-opus-5", fields: '"temperature": 0.2', sent: {}, dropped: "temperature" },
  { model: "Claude#claude-opus-5", fields: ENABLED, sent: { thinking: adaptively }, dropped: "thinking" },
  {
    model: "Claude#claude-opus-5",
    fields: `"temperature": 0.2, "top_p": 0.9, "top_k": 5, ${ENABLED}`,
    sent: { thinking: adaptively },
    dropped: "temperature, top_p, top_k, thinking",
  },
  {
    model: "Claude#claude-opus-5",
    fields: '"thinking": {"type": "disabled"}, "output_config": {"effort": "max"}',
    sent: { thinking: { type: "disabled" }, output_config: { effort: "high" } },
    dropped: "output_config.effort",
  },
  {
    model: "Claude#claude-opus-5",
    fields: '"metadata": {}',
    asked: PREFILL,
    sent: { metadata: {} },
    dropped: "messages",
    isExact: true,
  },
  {
    model: "Claude#claude-sonnet-4-6",
    fields: `${ADAPTIVE}, "output_config": {"effort": "xhigh"}`,
    sent: { thinking: { type: "adaptive" }, output_config: { effort: "high" } },
    dropped: "output_config.effort",
  },
  {
    model: "Gpt#gpt-5.6-sol",
    fields: '"temperature": 0.2, "reasoning": {"effort": "minimal", "summary": "auto"}',
    sent: { reasoning: { effort: "low", summary: "auto" } },
    dropped: "reasoning.effort, temperature",
  },
  {
    model: "Gpt#gpt-4.1",
    fields: '"temperature": 0.2, "reasoning": {"effort": "high"}',
    sent: { temperature: 0.2 },
    dropped: "reasoning",
  },
  {
    model: "Gpt#gpt-5.2",
    fields: '"temperature": 0.2, "top_p": 0.3, "reasoning": {"effort": "max"}',
    sent: { reasoning: { effort: "xhigh" } },
    dropped: "reasoning.effort, temperature, top_p",
  },
  {
    model: "Gem#gemini-2.5-pro",
    fields:
      '"generationConfig": {"temperature": 0.2, "maxOutputTokens": 9000, "thinkingConfig": {"thinkingLevel": "low"}}',
    sent: {
      generationConfig: { temperature: 0.2, maxOutputTokens: 9000, thinkingConfig: { thinkingBudget: 1024 } },
    },
    dropped: "generationConfig.thinkingConfig",
  },
  {
    model: "Gem#gemini-2.5-pro",
    fields:
      '"generationConfig": {"maxOutputTokens": 9000, "presencePenalty": 0.5, "thinkingConfig": {"thinkingBudget": 0}}',
    sent: { generationConfig: { maxOutputTokens: 9000, thinkingConfig: { thinkingBudget: 128 } } },
    dropped: "generationConfig.presencePenalty, generationConfig.thinkingConfig",
  },
  {
    model: "Gem#gemini-3.6-flash",
    fields: '"generationConfig": {"maxOutputTokens": 9000}',
    asked: GEM_PREFILL,
    sent: { generationConfig: { maxOutputTokens: 9000 } },
    dropped: "contents",
    isExact: true,
  },
];
