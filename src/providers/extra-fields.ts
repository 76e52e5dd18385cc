// The fields outside of OpenAI's API that each provider documents, by operation: all others are left out and named.

/*
 * Left out although documented: what chooses another route, model, address or code, names objects of the provider's
 * account, changes the price (tiers, searches that the provider runs, resolutions), or adds a prompt that isn't held
 * for (`documents`, finer images). The operator may name those in `extra_fields`.
 */

/** Sampling and output of vLLM, SGLang, llama.cpp, LM Studio and TGI, in chat and in completions. */
const LOCAL_SAMPLING = [
  // vLLM, "OpenAI-Compatible Server", sampling parameters; SGLang, "Sampling Parameters".
  ...["top_k", "min_p", "repetition_penalty", "length_penalty", "min_tokens", "ignore_eos", "stop_token_ids"],
  ...["include_stop_str_in_output", "skip_special_tokens", "spaces_between_special_tokens", "bad_words"],
  ...["allowed_token_ids", "prompt_logprobs", "truncate_prompt_tokens", "add_special_tokens"],
  ...["return_tokens_as_token_ids", "return_token_ids", "cache_salt", "no_stop_trim", "stop_regex"],
  // Structured output: vLLM's two generations, SGLang's, llama.cpp's.
  ...["guided_json", "guided_regex", "guided_choice", "guided_grammar", "guided_decoding_backend"],
  ...["guided_whitespace_pattern", "structured_outputs", "structural_tag", "regex"],
  ...["ebnf", "json_schema", "grammar"],
  // llama.cpp, "POST /completion"; LM Studio's `repeat_penalty`.
  ...["repeat_penalty", "repeat_last_n", "dynatemp_range", "dynatemp_exponent", "typical_p", "top_n_sigma"],
  ...["xtc_probability", "xtc_threshold", "mirostat", "mirostat_tau"],
  ...["mirostat_eta", "dry_multiplier", "dry_base"],
  ...["dry_allowed_length", "dry_penalty_last_n", "dry_sequence_breakers", "samplers", "min_keep", "n_probs"],
  ...["cache_prompt", "timings_per_token", "return_progress"],
  ...["return_tokens", "post_sampling_probs", "n_keep"],
  // TGI, "Consuming TGI"; Hugging Face's name for sampling at all.
  ...["do_sample", "watermark", "truncate"],
  // Ollama's API reference, and LM Studio's time to live: how long a model stays loaded.
  ...["options", "keep_alive", "ttl"],
] as const;

/** Templates and thinking of the same servers, and the switches that clients send for models served there. */
const LOCAL_CHAT = [
  ...LOCAL_SAMPLING,
  ...["chat_template_kwargs", "add_generation_prompt", "continue_final_message", "echo"],
  ...["tool_prompt", "parse_tool_calls", "format"],
  ...["enable_thinking", "thinking", "thinking_budget"],
  ...["thinking_budget_tokens", "thinking_token_budget", "think"],
  ...["reasoning", "reasoning_format", "reasoning_budget", "include_reasoning", "separate_reasoning"],
  ...["stream_reasoning", "cache_control"],
] as const;

const USER = ["user"] as const;
/** Text Embeddings Inference, vLLM, llama.cpp and Ollama. */
const LOCAL_VECTORS = [
  ...["user", "truncate_prompt_tokens", "add_special_tokens", "normalize", "prompt_name", "embd_normalize"],
  ...["options", "keep_alive"],
] as const;

interface ExtraFields {
  readonly chat?: readonly string[];
  readonly completion?: readonly string[];
  readonly embeddings?: readonly string[];
  readonly rerank?: readonly string[];
  readonly images?: readonly string[];
  readonly speech?: readonly string[];
  readonly transcription?: readonly string[];
}

export const EXTRA_FIELDS = {
  /** Every server without a row of its own, and Ollama and vLLM. */
  compatible: {
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
      ...["seed", "top_p", "top_k", "min_p", "repetition_penalty", "frequency_penalty", "presence_penalty"],
      ...["hotwords", "to_language"],
    ],
  },
  /** api-docs.deepseek.com, "Thinking Mode". */
  deepseek: { chat: ["thinking"] },
  /** docs.x.ai, "Image generation". `resolution` changes the price. */
  xai: { images: ["user", "aspect_ratio"] },
  /** console.groq.com/docs, "API reference". It refuses unknown fields. */
  groq: {
    chat: [
      ...["reasoning_format", "include_reasoning", "citation_options", "disable_tool_validation"],
      ...["search_settings", "include_domains", "exclude_domains"],
    ],
    speech: ["sample_rate"],
  },
  /** docs.together.ai, "Create chat completion". */
  together: {
    chat: [
      ...["top_k", "min_p", "repetition_penalty", "echo", "context_length_exceeded_behavior", "reasoning"],
      ...["chat_template_kwargs"],
    ],
    completion: ["top_k", "min_p", "repetition_penalty"],
    embeddings: USER,
    rerank: USER,
  },
  /** docs.fireworks.ai, "Create chat completion". */
  fireworks: {
    chat: [
      ...["top_k", "min_p", "typical_p", "repetition_penalty"],
      ...["mirostat_target", "mirostat_lr", "ignore_eos"],
      ...["context_length_exceeded_behavior", "prompt_truncate_len", "echo", "echo_last", "thinking"],
      ...["reasoning_history", "raw_output", "perf_metrics_in_response", "return_token_ids"],
    ],
    completion: [
      ...["top_k", "min_p", "typical_p", "repetition_penalty"],
      ...["mirostat_target", "mirostat_lr", "ignore_eos"],
      ...["context_length_exceeded_behavior", "prompt_truncate_len", "echo_last"],
    ],
    embeddings: ["user", "normalize"],
    rerank: ["user", "task"],
  },
  /** inference-docs.cerebras.ai, "Chat completions". It refuses unknown fields. */
  cerebras: { chat: ["reasoning_format", "disable_reasoning", "clear_thinking"] },
  /** openrouter.ai/docs, "Parameters". `provider`, `models`, `route`, `preset` and `plugins` choose another price. */
  openrouter: {
    chat: [
      ...["top_k", "top_a", "min_p", "repetition_penalty", "reasoning", "include_reasoning", "transforms"],
      ...["structured_outputs", "usage", "cache_control"],
    ],
    embeddings: USER,
    rerank: USER,
    images: ["user", "aspect_ratio", "seed"],
  },
  /** platform.moonshot.ai, "Chat". */
  moonshot: { chat: ["thinking"] },
  /** alibabacloud.com/help/model-studio, "OpenAI compatible - Chat". Searches have a price of their own. */
  qwen: {
    chat: [
      ...["enable_thinking", "thinking_budget", "preserve_thinking", "top_k", "repetition_penalty"],
      ...["translation_options", "asr_options"],
    ],
  },
  /** docs.z.ai, "Chat Completion". */
  zai: { chat: ["thinking", "do_sample", "tool_stream", "user_id"] },
  /** docs.api.nvidia.com and NVIDIA NIM, "API reference". */
  nvidia: {
    chat: [
      ...["top_k", "min_p", "repetition_penalty", "min_tokens"],
      ...["ignore_eos", "chat_template_kwargs", "nvext"],
      ...["guided_json", "guided_regex", "guided_choice", "guided_grammar", "reasoning_budget"],
      ...["min_thinking_tokens", "max_thinking_tokens"],
    ],
    embeddings: USER,
  },
  /** deepinfra.com/docs, "OpenAI API". */
  deepinfra: { chat: ["top_k", "min_p", "repetition_penalty", "reasoning"], embeddings: USER },
  /** Google Cloud, "Use open models via Model as a Service". */
  vertex: { chat: ["top_k", "min_p", "repetition_penalty", "chat_template_kwargs", "thinking"] },
} as const satisfies Readonly<Record<string, ExtraFields>>;
