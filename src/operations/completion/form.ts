// The types of the completion operation: continues a prompt, or fills in between a prompt and a suffix.
import type { ChatForm } from "../chat/decoder.ts";
import type { ChatRequest } from "../chat/form.ts";
import type { OpenAsk } from "../form.ts";

/** A text or its token ids. */
type CompletionPrompt = string | readonly number[];

export interface CompletionRequest extends OpenAsk {
  readonly prompts: readonly CompletionPrompt[];
  /** The text after the gap to fill in. */
  readonly suffix?: string;
  /** Answers per prompt. */
  readonly n: number;
  /** Answers generated per prompt, of which the best `n` are returned. */
  readonly bestOf?: number;
  readonly maxTokens?: number;
  readonly stop?: readonly string[];
  /** True to repeat the prompt before each answer. */
  readonly echo?: boolean;
  /** The number of alternatives per token with log probabilities. */
  readonly logprobs?: number;
}

/** Answers are chat answers with only text. A choice's `text_logprobs` are log probabilities in the legacy format. */
export interface CompletionForm extends Omit<ChatForm, "ask"> {
  readonly ask: CompletionRequest;
}

/** Text of about one token, in place of a token id. */
const TOKEN_TEXT = "word ";

/** Returns the request in the form in which chat counts tokens and choices. */
export function toChat(ask: CompletionRequest): ChatRequest {
  const { model, prompts, suffix = "", n, bestOf = n, maxTokens, logprobs } = ask;
  const texts = prompts.map((one) => (typeof one === "string" ? one : TOKEN_TEXT.repeat(one.length)));
  return {
    model,
    messages: [{ role: "user", content: [...texts, suffix].join("\n") }],
    n: prompts.length * Math.max(n, bestOf),
    ...(ask.stream === undefined ? {} : { stream: ask.stream }),
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...(logprobs === undefined ? {} : { logprobs: true }),
  };
}
