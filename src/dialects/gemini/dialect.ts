// Google's generateContent API: which address, key and body a request becomes, and who reads the answer.
import type { ModelCard } from "../../core/card.ts";
import type { Outgoing, Target } from "../../core/dialect.ts";
import type { ChatRequest } from "../../operations/chat/form.ts";
import { leftOut } from "../_chat/fields.ts";
import { customDecoder, customNames, withCustomCalls } from "../_chat/tools.ts";
import type { Decoder, Dialect } from "../dialect.ts";
import { configOf } from "./config.ts";
import { conversationOf } from "./contents.ts";
import { GeminiDecoder, replyOf } from "./decode.ts";
import { explain } from "./errors.ts";
import { factsOf, isVertex } from "./models.ts";
import { makeHeaders, makeUrl } from "./outgoing.ts";
import { callingOf } from "./tools.ts";

/** Fields that the body says in Gemini's terms, or that its parts name themselves when they can't. */
const CARRIED: ReadonlySet<string> = new Set([
  "max_tokens",
  "max_completion_tokens",
  "temperature",
  "top_p",
  "stop",
  "seed",
  "presence_penalty",
  "frequency_penalty",
  "logprobs",
  "top_logprobs",
  "tools",
  "tool_choice",
  "response_format",
  "reasoning_effort",
  "modalities",
]);

export const gemini: Dialect = {
  choicesMax: (card) => factsOf(card.name).choicesMax,
  encode,
  decoder(_card: ModelCard, request: ChatRequest): Decoder {
    const names = customNames(request);
    const decoder = new GeminiDecoder(request);
    return names.size === 0 ? decoder : customDecoder(decoder, names);
  },
  reply: (body, _card, request) => withCustomCalls(replyOf(body, request), customNames(request)),
  explain,
};

function encode(request: ChatRequest, card: ModelCard, target: Target): Outgoing {
  const facts = factsOf(card.name);
  const vertex = isVertex(target.baseUrl);
  // Parallel calls can't be forbidden; that they are allowed is nothing to carry.
  const parallel = request.parallel_tool_calls === true ? ["parallel_tool_calls"] : [];
  const dropped = new Set(leftOut(request, new Set([...CARRIED, ...parallel])));
  const drop = (...fields: readonly string[]) => {
    for (const field of fields) if (request[field] !== undefined) dropped.add(field);
  };
  const calling = callingOf(request);
  const { generationConfig, instruction } = configOf(request, calling, { card, facts, vertex }, drop);
  const writing = { facts, baseUrl: target.baseUrl, ids: facts.signed || !vertex };
  const config = Object.keys(generationConfig).length > 0 ? { generationConfig } : {};
  return {
    url: makeUrl(card.name, target.baseUrl, request.stream === true),
    headers: makeHeaders(target),
    body: { ...conversationOf(request, writing, instruction), ...calling.fields, ...config },
    dropped: [...dropped],
  };
}
