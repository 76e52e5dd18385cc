// The providers that use OpenAI's dialect, each with its quirks: measured or documented facts, one row per provider.

import { OPENAI, OPENAI_MODEL } from "../dialects/openai/models.ts";
import type { EffortQuirks, OpenaiQuirks } from "../dialects/openai/quirks.ts";
import { NO_EFFORT, OPENAI_ONLY, PLAIN } from "../dialects/openai/quirks.ts";
import { EXTRA_FIELDS } from "./extra-fields.ts";

const LOW_TO_HIGH: EffortQuirks = { values: ["low", "medium", "high"] };
const NONE_TO_HIGH: EffortQuirks = { values: ["none", "low", "medium", "high"] };
const ALL_EFFORTS: EffortQuirks = {
  values: ["none", "minimal", "low", "medium", "high", "xhigh", "max"],
};
const PENALTIES = ["presence_penalty", "frequency_penalty"];
const LOGPROBS = ["logprobs", "top_logprobs"];

/** Any server that an operator configures: Ollama, vLLM, llama.cpp, another gateway. It is sent all of the API. */
export const GENERIC: OpenaiQuirks = {
  ...PLAIN,
  refuses: [],
  extras: EXTRA_FIELDS.compatible.chat,
  messageFields: "any",
  thoughts: "any",
  cacheMark: "cache_control",
  effort: ALL_EFFORTS,
  errors: [
    // llama.cpp started for chat answers embeddings and rerank with this. The server is not failing.
    { status: 501, code: "not_supported_error", means: "unsupported_capability" },
    // llama.cpp reports an input that is too long as its own error. A retry would fail again.
    { status: 500, begins: "input (* tokens) is too large to process", means: "context_length_exceeded" },
    { status: 500, begins: "input is too large to process", means: "context_length_exceeded" },
    { status: 500, begins: "input is larger than the max context size", means: "context_length_exceeded" },
  ],
  models: [
    // OpenAI's thinking models at another address.
    {
      names: /^(o\d|gpt-[5-9])/,
      quirks: { limitField: "max_completion_tokens", thoughts: null, messageFields: [], cacheMark: null },
    },
  ],
};

const { models: _models, ...PLAIN_MODEL } = PLAIN;

/** OpenAI's models with OpenAI's rules, other vendors' with what their servers share (Azure OpenAI REST reference). */
export const AZURE: OpenaiQuirks = {
  ...OPENAI,
  models: [
    {
      names: new RegExp(`^(?!${OPENAI_MODEL.source.slice(1)})`),
      quirks: { ...PLAIN_MODEL, effort: LOW_TO_HIGH },
    },
    ...OPENAI.models,
  ],
};

/** Google Cloud, "Use open models via Model as a Service". */
export const VERTEX: OpenaiQuirks = { ...PLAIN, extras: EXTRA_FIELDS.vertex.chat, effort: LOW_TO_HIGH };

/** api-docs.deepseek.com, "Thinking Mode": on by default. It ignores sampling fields and refuses a forced call. */
export const DEEPSEEK: OpenaiQuirks = {
  ...PLAIN,
  refuses: [...OPENAI_ONLY, "logit_bias", "user"],
  extras: EXTRA_FIELDS.deepseek.chat,
  thoughts: "reasoning_content",
  thoughtsRequired: true,
  jsonSchema: false,
  effort: { values: ["low", "high", "max"], toggle: "thinking" },
  thinkingExcludes: ["required", "named"],
  errors: [{ status: 400, begins: "The supported API model names are ", means: "model_not_found" }],
};

const GROK_THINKS = { refuses: [...OPENAI_ONLY, "logit_bias", ...PENALTIES, "stop"] };
/** docs.x.ai and @ai-sdk/xai 4: models that think refuse stop and penalties. Some accept an effort. */
export const XAI: OpenaiQuirks = {
  ...PLAIN,
  refuses: [...OPENAI_ONLY, "logit_bias"],
  thoughts: "reasoning_content",
  errors: [
    { status: 400, begins: "Incorrect API key provided", means: "upstream_auth" },
    { status: 400, begins: "Model not found: ", means: "model_not_found" },
    { status: 429, begins: "Your team * has either used all available credits", means: "upstream_auth" },
  ],
  models: [
    { names: /non-reasoning|^grok-2/, quirks: {} },
    {
      names: /^grok-3-mini/,
      quirks: { ...GROK_THINKS, effort: { values: ["low", "high"] } },
    },
    { names: /^grok-3/, quirks: { refuses: [...OPENAI_ONLY, "logit_bias", "presence_penalty"] } },
    { names: /^grok-(4(-|$)|4\.20(-\d{4})?-reasoning|code)/, quirks: GROK_THINKS },
    { names: /^grok-/, quirks: { ...GROK_THINKS, effort: NONE_TO_HIGH } },
  ],
};

/** console.groq.com/docs: no log probabilities, no bias, no names; JSON and tools exclude each other. */
export const GROQ: OpenaiQuirks = {
  ...PLAIN,
  limitField: "max_completion_tokens",
  refuses: [...OPENAI_ONLY, ...LOGPROBS, "logit_bias"],
  extras: EXTRA_FIELDS.groq.chat,
  names: false,
  jsonSchema: false,
  jsonWithTools: false,
  models: [
    { names: /gpt-oss/, quirks: { effort: LOW_TO_HIGH, jsonSchema: true } },
    { names: /kimi|llama-4/, quirks: { jsonSchema: true } },
    {
      names: /qwen|deepseek/,
      quirks: { effort: { values: ["none"] }, adds: { reasoning_format: "parsed" } },
    },
  ],
};

export const TOGETHER: OpenaiQuirks = { ...PLAIN, extras: EXTRA_FIELDS.together.chat, effort: LOW_TO_HIGH };

/** docs.fireworks.ai, "Reasoning". */
export const FIREWORKS: OpenaiQuirks = {
  ...PLAIN,
  extras: EXTRA_FIELDS.fireworks.chat,
  effort: NONE_TO_HIGH,
};

/** inference-docs.cerebras.ai: system messages act as developer messages. GLM's thinking can only be turned off. */
export const CEREBRAS: OpenaiQuirks = {
  ...PLAIN,
  limitField: "max_completion_tokens",
  refuses: [...OPENAI_ONLY, ...PENALTIES, "logit_bias"],
  extras: EXTRA_FIELDS.cerebras.chat,
  names: false,
  thoughts: "reasoning",
  effort: LOW_TO_HIGH,
  models: [{ names: /glm|qwen/, quirks: { effort: { values: ["none"] } } }],
};

/** openrouter.ai/docs: it drops fields that the model doesn't support, and fetches documents ("PDF Inputs"). */
export const OPENROUTER: OpenaiQuirks = {
  ...PLAIN,
  refuses: [],
  extras: EXTRA_FIELDS.openrouter.chat,
  developerRole: true,
  messageFields: ["refusal"],
  fileUrls: true,
  thoughts: "reasoning_details",
  cacheMark: "cache_control",
  effort: ALL_EFFORTS,
  errors: [
    // A balance too small for this prompt or limit still pays for shorter ones, so the key is valid.
    { status: 402, begins: "Prompt tokens limit exceeded", means: "request_too_large" },
    {
      status: 402,
      begins: "This request requires more credits, or fewer max_tokens",
      means: "request_too_large",
    },
    { status: 400, begins: "* is not a valid model ID", means: "model_not_found" },
  ],
};

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
export const MOONSHOT: OpenaiQuirks = {
  ...PLAIN,
  messageFields: ["partial"],
  refuses: [...OPENAI_ONLY, ...LOGPROBS, "logit_bias", "seed", "user", "parallel_tool_calls"],
  extras: EXTRA_FIELDS.moonshot.chat,
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

const QWEN_SWITCH: EffortQuirks = { values: [], toggle: "enable_thinking" };
/**
 * alibabacloud.com/help/model-studio: no forced call or JSON while thinking; open Qwen3 thinks only in streams; "Partial
 * mode".
 */
export const QWEN: OpenaiQuirks = {
  ...PLAIN,
  messageFields: ["partial"],
  refuses: [...OPENAI_ONLY, "frequency_penalty", "logit_bias", "user"],
  extras: EXTRA_FIELDS.qwen.chat,
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

/** docs.z.ai: only automatic tool choice, one stop word, no schema; glm-5.3 always thinks. */
export const ZAI: OpenaiQuirks = {
  ...PLAIN,
  refuses: [...OPENAI_ONLY, ...PENALTIES, ...LOGPROBS, "logit_bias", "seed", "user", "parallel_tool_calls"],
  extras: EXTRA_FIELDS.zai.chat,
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
      quirks: { effort: { values: ["low", "high", "max"] } },
    },
  ],
};

/** build.nvidia.com: NIM servers reject unknown fields. */
export const NVIDIA: OpenaiQuirks = {
  ...PLAIN,
  refuses: [...OPENAI_ONLY, "logit_bias", "user"],
  extras: EXTRA_FIELDS.nvidia.chat,
  names: false,
  effort: LOW_TO_HIGH,
};

export const DEEPINFRA: OpenaiQuirks = {
  ...PLAIN,
  extras: EXTRA_FIELDS.deepinfra.chat,
  effort: NONE_TO_HIGH,
};
