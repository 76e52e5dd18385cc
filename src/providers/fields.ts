// Which request fields an encoder did not carry over: they are named to the client, never silently lost.
import type { ChatRequest } from "../core/chat.ts";

/** Fields that the gateway itself answers for, whatever the upstream. */
const OURS: ReadonlySet<string> = new Set(["model", "messages", "stream", "stream_options", "n"]);

/** The request's fields that are set, not ours and not among those carried, in the request's order. */
export function leftOut(request: ChatRequest, carried: ReadonlySet<string>): string[] {
  return Object.keys(request).filter(
    (field) => !OURS.has(field) && !carried.has(field) && request[field] !== undefined,
  );
}

/** The fields of the chat-completions API; any other is an extension of some server's. */
export const STANDARD_FIELDS: ReadonlySet<string> = new Set([
  ...OURS,
  "max_tokens",
  "max_completion_tokens",
  "temperature",
  "top_p",
  "stop",
  "presence_penalty",
  "frequency_penalty",
  "logit_bias",
  "logprobs",
  "top_logprobs",
  "seed",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "response_format",
  "reasoning_effort",
  "verbosity",
  "modalities",
  "audio",
  "prediction",
  "web_search_options",
  "store",
  "metadata",
  "service_tier",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "safety_identifier",
  "moderation",
  "user",
]);
