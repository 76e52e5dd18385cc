// The types of the completion operation: text goes on where a prompt ends, or is filled in between a prompt and a suffix.
import type { JsonObject } from "../../core/json.ts";
import type { ChatForm } from "../chat/decoder.ts";
import type { ChatRequest } from "../chat/form.ts";
import type { Ask } from "../form.ts";

/** A text, or the ids of its tokens. */
export type Prompt = string | readonly number[];

export interface CompletionRequest extends Ask {
  readonly prompts: readonly Prompt[];
  /** The text that follows what is filled in. */
  readonly suffix?: string;
  /** Answers to each prompt. */
  readonly n: number;
  /** The number of answers generated for each prompt, of which the best `n` are returned. */
  readonly bestOf?: number;
  readonly maxTokens?: number;
  readonly stop?: readonly string[];
  /** True if the prompt stands before each answer. */
  readonly echo?: boolean;
  /** The number of alternatives to each token whose log probabilities are wanted. */
  readonly logprobs?: number;
  /** The client's other fields. */
  readonly extras: Readonly<JsonObject>;
}

/** Answers are those of chat with nothing but text; `text_logprobs` of a choice are log probabilities in their older form. */
export interface CompletionForm extends Omit<ChatForm, "ask"> {
  readonly ask: CompletionRequest;
}

/** Text of about one token, in whose place an id stands. */
const TOKEN_TEXT = "word ";

/** Returns the request as chat counts its tokens and choices. */
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
