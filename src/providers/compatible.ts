// Any server of OpenAI's dialect that an operator configures: Ollama, vLLM, llama.cpp, another gateway.
import { makeEmbeddings } from "../dialects/_whole/embeddings.ts";
import { makeRerank } from "../dialects/_whole/rerank.ts";
import { makeCompletion, OPENAI_COMPLETION } from "../dialects/openai/completion.ts";
import { makeOpenaiDialect } from "../dialects/openai/dialect.ts";
import { makeImages, OPENAI_IMAGES } from "../dialects/openai/images.ts";
import { type ModelQuirks, NO_EFFORT, type OpenaiQuirks, PLAIN } from "../dialects/openai/quirks.ts";
import { makeSpeech, OPENAI_SPEECH } from "../dialects/openai/speech.ts";
import { makeTranscription, PLAIN_TRANSCRIPTION } from "../dialects/openai/transcription.ts";
import type { ExtraFields } from "./provider.ts";
import { ALL_EFFORTS, extend, MODERATION, PLAIN_EMBEDDINGS } from "./shared.ts";

/** Sampling and output of vLLM, SGLang, llama.cpp, LM Studio and TGI, in chat and in completions. */
const LOCAL_SAMPLING = [
  // vLLM, "OpenAI-Compatible Server", sampling parameters; SGLang, "Sampling Parameters".
  "top_k",
  "min_p",
  "repetition_penalty",
  "length_penalty",
  "min_tokens",
  "ignore_eos",
  "stop_token_ids",
  "include_stop_str_in_output",
  "skip_special_tokens",
  "spaces_between_special_tokens",
  "bad_words",
  "allowed_token_ids",
  "prompt_logprobs",
  "truncate_prompt_tokens",
  "add_special_tokens",
  "return_tokens_as_token_ids",
  "return_token_ids",
  "cache_salt",
  "no_stop_trim",
  "stop_regex",
  // Structured output: vLLM's two generations, SGLang's, llama.cpp's.
  "guided_json",
  "guided_regex",
  "guided_choice",
  "guided_grammar",
  "guided_decoding_backend",
  "guided_whitespace_pattern",
  "structured_outputs",
  "structural_tag",
  "regex",
  "ebnf",
  "json_schema",
  "grammar",
  // llama.cpp, "POST /completion"; LM Studio's `repeat_penalty`.
  "repeat_penalty",
  "repeat_last_n",
  "dynatemp_range",
  "dynatemp_exponent",
  "typical_p",
  "top_n_sigma",
  "xtc_probability",
  "xtc_threshold",
  "mirostat",
  "mirostat_tau",
  "mirostat_eta",
  "dry_multiplier",
  "dry_base",
  "dry_allowed_length",
  "dry_penalty_last_n",
  "dry_sequence_breakers",
  "samplers",
  "min_keep",
  "n_probs",
  "cache_prompt",
  "timings_per_token",
  "return_progress",
  "return_tokens",
  "post_sampling_probs",
  "n_keep",
  // TGI, "Consuming TGI"; Hugging Face's name for sampling at all.
  "do_sample",
  "watermark",
  "truncate",
  // Ollama's API reference, and LM Studio's time to live: how long a model stays loaded.
  "options",
  "keep_alive",
  "ttl",
] as const;

/** Templates and thinking of the same servers, and the switches that clients send for models served there. */
const LOCAL_CHAT = [
  ...LOCAL_SAMPLING,
  "chat_template_kwargs",
  "add_generation_prompt",
  "continue_final_message",
  "echo",
  "tool_prompt",
  "parse_tool_calls",
  "format",
  "enable_thinking",
  "thinking",
  "thinking_budget",
  "thinking_budget_tokens",
  "thinking_token_budget",
  "think",
  "reasoning",
  "reasoning_format",
  "reasoning_budget",
  "include_reasoning",
  "separate_reasoning",
  "stream_reasoning",
  "cache_control",
] as const;

/** Text Embeddings Inference, vLLM, llama.cpp and Ollama. */
const LOCAL_VECTORS = [
  "user",
  "truncate_prompt_tokens",
  "add_special_tokens",
  "normalize",
  "prompt_name",
  "embd_normalize",
  "options",
  "keep_alive",
] as const;

/** Every server without a row of its own, and Ollama, vLLM and LM Studio. */
export const COMPATIBLE_FIELDS = {
  chat: LOCAL_CHAT,
  completion: LOCAL_SAMPLING,
  embeddings: LOCAL_VECTORS,
  // vLLM, "Re-rank API"; Text Embeddings Inference, "/rerank"; SGLang, "Rerank".
  rerank: ["user", "truncate_prompt_tokens", "raw_scores", "truncation_direction", "truncate", "instruct"],
  // vLLM-Omni and SGLang, "Image generation".
  images: ["negative_prompt", "seed", "guidance_scale", "true_cfg_scale", "num_inference_steps"],
  // vLLM-Omni, "Speech API".
  speech: ["language", "task_type"],
  // vLLM, "Transcriptions API".
  transcription: [
    "seed",
    "top_p",
    "top_k",
    "min_p",
    "repetition_penalty",
    "frequency_penalty",
    "presence_penalty",
    "hotwords",
    "to_language",
  ],
} as const satisfies ExtraFields;

/** The API's own fields alone. */
const OPENAI_FORM: ModelQuirks["quirks"] = {
  extras: [],
  thoughts: null,
  messageFields: [],
  cacheMark: null,
  refuses: ["web_search_options"],
};

/** Any server that an operator configures: Ollama, vLLM, llama.cpp, another gateway. It is sent all of the API. */
export const COMPATIBLE_QUIRKS: OpenaiQuirks = {
  ...PLAIN,
  repeatsPrefix: true,
  refuses: [],
  extras: COMPATIBLE_FIELDS.chat,
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
    // OpenAI's models at another address, which refuse what their API doesn't have. Few of them search in chat.
    { names: /^(openai\/)?gpt-\S*search/, quirks: { ...OPENAI_FORM, effort: NO_EFFORT, refuses: [] } },
    { names: /^(openai\/)?(o\d|gpt-[5-9])/, quirks: { ...OPENAI_FORM, limitField: "max_completion_tokens" } },
    { names: /^(openai\/)?(gpt-[34]|chatgpt-)/, quirks: { ...OPENAI_FORM, effort: NO_EFFORT } },
  ],
};

const VECTORS = {
  embeddings: makeEmbeddings({ ...PLAIN_EMBEDDINGS, passes: COMPATIBLE_FIELDS.embeddings }),
  rerank: makeRerank({ resultsField: "top_n", passes: COMPATIBLE_FIELDS.rerank }),
  moderation: MODERATION,
};

const MEDIA = {
  completion: makeCompletion(extend(OPENAI_COMPLETION, COMPATIBLE_FIELDS.completion)),
  images: makeImages(extend(OPENAI_IMAGES, COMPATIBLE_FIELDS.images)),
  speech: makeSpeech(extend(OPENAI_SPEECH, COMPATIBLE_FIELDS.speech)),
  transcription: makeTranscription(extend(PLAIN_TRANSCRIPTION, COMPATIBLE_FIELDS.transcription)),
};

export const COMPATIBLE = makeOpenaiDialect(COMPATIBLE_QUIRKS, { ...VECTORS, ...MEDIA });
