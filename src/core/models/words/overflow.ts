// The words in which providers and servers say that a prompt is too long. Agents compact a conversation only at
// words that they know, so a sentence that isn't recognised here ends their session. The tests replay every row.

interface OverflowRow {
  readonly says: RegExp;
  /** The message as it was reported. */
  readonly example: string;
  /** Providers and servers, and where their words were reported or are documented. */
  readonly source: string;
  /** The day of the report, or the day on which the source was read. */
  readonly date: string;
}

/** Every server words it differently, and many are asked through others: rows count whichever provider said it. */
export const OVERFLOW_ROWS: readonly OverflowRow[] = [
  {
    says: /context[ _-]?(length|window|size)|maximum context/,
    example:
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 131072 tokens.",
    source: "OpenAI, DeepSeek, Mistral, vLLM, SGLang, llama.cpp, LM Studio, Ollama, Together, MiniMax",
    date: "2026-08-01",
  },
  {
    says: /prompt is too long/,
    example: "prompt is too long: 208310 tokens > 200000 maximum",
    source: "Anthropic, Fireworks",
    date: "2026-08-01",
  },
  {
    says: /exceed context limit/,
    example: "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000",
    source: 'Anthropic, docs.claude.com, "Context windows"',
    date: "2026-08-01",
  },
  {
    says: /input token count|exceeds? the (maximum )?(number of )?tokens/,
    example: "The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).",
    source: "Google",
    date: "2026-08-01",
  },
  {
    says: /too many (input )?tokens/,
    example: "too many tokens: total number of tokens in the prompt cannot exceed 128000",
    source: "Cohere",
    date: "2026-08-01",
  },
  {
    says: /exceeded model token limit/,
    example: "Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)",
    source: "Moonshot, github.com/MoonshotAI/kimi-cli/issues/2011",
    date: "2026-04-22",
  },
  {
    says: /range of input length should be/,
    example: "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 983616]",
    source: "Qwen, github.com/QwenLM/qwen-code/issues/2068",
    date: "2026-03-03",
  },
  {
    says: /prompt exceeds max length|prompt ?超长/,
    example: "Prompt exceeds max length",
    source: "Z.ai, error 1261",
    date: "2026-11-26",
  },
  {
    says: /tokens in request more than max tokens allowed/,
    example: "tokens in request more than max tokens allowed",
    source: "Z.ai, error 1210, opencode's list of overflow messages",
    date: "2026-11-26",
  },
  {
    says: /maximum prompt length is \d/,
    example: "This model's maximum prompt length is 131072 but the request contains 136973 tokens.",
    source: "xAI, github.com/cline/cline/issues/3120",
    date: "2025-04-25",
  },
  {
    says: /prompt token count of \d+ exceeds the limit of \d|max_prompt_tokens_exceeded/,
    example: "prompt token count of 391491 exceeds the limit of 128000",
    source: "GitHub Copilot and GitHub Models, opencode's list of overflow messages",
    date: "2026-11-26",
  },
  {
    says: /maximum (allowed )?input length of \d/,
    example: "Input length 131393 exceeds the maximum allowed input length of 131040 tokens.",
    source: "Baseten and Poolside behind OpenRouter, opencode's list of overflow messages",
    date: "2026-11-26",
  },
  {
    says: /maximum model length of \d/,
    example: "The decoder prompt (length 140000) is longer than the maximum model length of 131072.",
    source: "vLLM's engine",
    date: "2026-11-26",
  },
  {
    // The field names stand in backticks, which are left out before the message is searched.
    says: /tokens \+ +must be <= \d|must have less than \d+ tokens/,
    example:
      "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 1244 `inputs` tokens and 1000 `max_new_tokens`",
    source: "Text Generation Inference, github.com/huggingface/text-generation-inference/issues/628",
    date: "2023-07-18",
  },
  {
    says: /reduce the length of the messages/,
    example:
      "Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000",
    source: "github.com/cline/cline/issues/5140; Groq says the first sentence alone",
    date: "2025-07-24",
  },
  {
    says: /input is too long for requested model/,
    example: "Input is too long for requested model.",
    source: "Anthropic's models on Bedrock, in a ValidationException",
    date: "2026-08-01",
  },
];

/** Matches what any of the rows says. */
export const OVERFLOW_WORDS = new RegExp(OVERFLOW_ROWS.map(({ says }) => says.source).join("|"), "i");
