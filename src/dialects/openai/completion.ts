// Legacy completions in OpenAI's form (OpenAI API reference, "Create completion"), and as DeepSeek and Mistral differ.

import { parseReceived } from "../../core/json/bounds.ts";
import { asArray, asCount, asObject, isObject, type JsonObject } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Outgoing, ServerEvent, Target } from "../../core/models/dialect.ts";
import type { Decoder } from "../../operations/chat/decoder.ts";
import type { Codec } from "../../operations/codec.ts";
import type { CompletionForm, CompletionRequest } from "../../operations/completion/form.ts";
import { leaveOut, type Unsent } from "../../operations/leave-out.ts";
import { ChatDecoder, parseChatReply } from "../_chat/decode.ts";
import { makeCall, passExtras } from "../_chat/outgoing.ts";

interface CompletionQuirks {
  readonly path: string;
  /** 1 if a call takes only one prompt, as text, and returns one answer. */
  readonly answersPerCall: number;
  /** Fields of the form that the server doesn't support. */
  readonly refuses: Unsent<CompletionRequest>;
  /** All other fields that it documents. The rest are left out and named. */
  readonly passes: readonly string[];
  /** True if the usage at the end of a stream has to be requested. */
  readonly asksForUsage: boolean;
}

const SAMPLING = ["temperature", "top_p", "frequency_penalty", "presence_penalty"] as const;

export const OPENAI_COMPLETION: CompletionQuirks = {
  path: "/completions",
  answersPerCall: Number.POSITIVE_INFINITY,
  refuses: [],
  passes: [...SAMPLING, "logit_bias", "seed", "user"],
  asksForUsage: true,
};

/** api-docs.deepseek.com, "FIM Completion (Beta)". */
export const DEEPSEEK_COMPLETION: CompletionQuirks = {
  ...OPENAI_COMPLETION,
  path: "/beta/completions",
  answersPerCall: 1,
  refuses: [["bestOf", "best_of"]],
  passes: SAMPLING,
};

/** docs.mistral.ai, "Fim Completion API": answers have the form of chat. */
export const MISTRAL_COMPLETION: CompletionQuirks = {
  path: "/fim/completions",
  answersPerCall: 1,
  refuses: [
    ["bestOf", "best_of"],
    ["echo", "echo"],
    ["logprobs", "logprobs"],
  ],
  passes: ["temperature", "top_p", "min_tokens", "random_seed"],
  asksForUsage: false,
};

export function makeCompletion(quirks: CompletionQuirks): Codec<CompletionForm> {
  return {
    answersPerCall: () => quirks.answersPerCall,
    fit: (ask) => leaveOut(ask, quirks.refuses),
    encode(given, card, target) {
      const { ask, dropped } = leaveOut(given, quirks.refuses);
      const outgoing = encode(quirks, ask, card, target);
      return { ...outgoing, dropped: [...dropped, ...outgoing.dropped] };
    },
    decoder: (_card, ask) => new TextChoiceDecoder(ask),
    reply: (body) => parseChatReply(toChatForm(body, "message")),
  };
}

function encode(quirks: CompletionQuirks, ask: CompletionRequest, card: ModelCard, target: Target): Outgoing {
  const { prompts, n, bestOf, maxTokens, extras, stream, suffix, stop, echo, logprobs } = ask;
  const [only] = prompts;
  const passed = passExtras(extras, quirks.passes, target);
  const given: JsonObject = {
    ...passed.fields,
    suffix,
    max_tokens: maxTokens,
    stop,
    echo,
    logprobs,
    n: n === 1 ? undefined : n,
    best_of: bestOf,
  };
  const ending = quirks.asksForUsage ? { stream_options: { include_usage: true } } : {};
  const body = {
    ...given,
    model: card.name,
    prompt: prompts.length === 1 ? only : prompts,
    ...(stream === true ? { stream, ...ending } : {}),
  };
  return makeCall(target, quirks.path, body, passed.dropped);
}

/** Reads a stream of choices with `text` like a chat stream of choices with deltas. */
class TextChoiceDecoder implements Decoder {
  readonly #chat = new ChatDecoder();
  readonly #usages: ChoiceUsages;

  constructor(ask: CompletionRequest) {
    this.#usages = new ChoiceUsages(ask);
  }

  get done(): boolean {
    return this.#chat.done;
  }

  push(event: ServerEvent) {
    const body = parseReceived(event.data);
    // llama.cpp begins the stream of several prompts with it (November 2026).
    if (body === null) return [];
    if (!isObject(body)) return this.#chat.push(event);
    const counted = this.#usages.complete(body);
    return this.#chat.push({ ...event, data: JSON.stringify(toChatForm(counted, "delta")) });
  }

  end() {
    return this.#chat.end();
  }
}

/** The usages of servers that report one with the end of each choice, where OpenAI reports that of all (llama.cpp). */
class ChoiceUsages {
  readonly #ask: CompletionRequest;
  readonly #byChoice = new Map<number, JsonObject>();

  constructor(ask: CompletionRequest) {
    this.#ask = ask;
  }

  /** Returns an event with the usage of all choices so far, if it has one of a choice. */
  complete(body: JsonObject): JsonObject {
    const { prompts, n } = this.#ask;
    if (!isObject(body.usage) || prompts.length * n < 2) return body;
    const [choice, ...others] = asArray(body.choices).map(asObject);
    const isOwn = choice !== undefined && others.length === 0 && typeof choice.finish_reason === "string";
    if (isOwn) this.#byChoice.set(asCount(choice.index), body.usage);
    const sum = this.#sum();
    return sum !== null && asCount(body.usage.completion_tokens) < sum.completion_tokens
      ? { ...body, usage: { ...body.usage, ...sum } }
      : body;
  }

  /** The answers to one prompt read it once. */
  #sum() {
    if (this.#byChoice.size < 2) return null;
    const prompts = new Map<number, number>();
    let completion = 0;
    for (const [index, usage] of this.#byChoice) {
      completion += asCount(usage.completion_tokens);
      prompts.set(Math.floor(index / this.#ask.n), asCount(usage.prompt_tokens));
    }
    const prompt = [...prompts.values()].reduce((total, tokens) => total + tokens, 0);
    return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
  }
}

function toChatForm(body: unknown, field: "message" | "delta"): unknown {
  if (!isObject(body) || !Array.isArray(body.choices)) return body;
  const choices = asArray(body.choices).map((one) => {
    const { text, logprobs, ...choice } = asObject(one);
    const said = typeof text === "string" ? { [field]: { content: text } } : {};
    return { ...choice, ...said, ...(isObject(logprobs) ? { text_logprobs: logprobs } : {}) };
  });
  return { ...body, choices };
}
