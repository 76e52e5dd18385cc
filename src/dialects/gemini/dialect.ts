// Google's generateContent API as an upstream dialect: a request's address, headers and body, and the answer's decoder.
import type { ModelCard } from "../../core/card.ts";
import type { Outgoing, Target } from "../../core/dialect.ts";
import type { ChatRequest } from "../../operations/chat/form.ts";
import { nestFields, passRest } from "../_chat/outgoing.ts";
import { readCustomCalls } from "../_chat/tools.ts";
import type { ChatDialect } from "../dialect.ts";
import { makeConfig } from "./config.ts";
import { makeConversation } from "./contents.ts";
import { GeminiDecoder, parseReply } from "./decode.ts";
import { explain } from "./errors.ts";
import { findFacts, isVertex } from "./models.ts";
import { makeHeaders, makeUrl } from "./outgoing.ts";
import { makeFunctionCalling } from "./tools.ts";

/** Fields with a place in the body, or named by the steps below if they can't be carried. */
const CARRIED: ReadonlySet<string> = new Set([
  "temperature",
  "top_p",
  "stop",
  "seed",
  "presence_penalty",
  "frequency_penalty",
  "logprobs",
  "top_logprobs",
  "modalities",
]);

export const gemini: ChatDialect = makeGemini(({ baseUrl }) => isVertex(baseUrl));
/** The dialect within the limits of Vertex AI, at any address. */
export const geminiOnVertex: ChatDialect = makeGemini(() => true);

function makeGemini(isOnVertex: (target: Target) => boolean): ChatDialect {
  return {
    name: "gemini",
    chat: {
      answersPerCall: (card) => findFacts(card.name).choicesMax,
      encode: (request, card, target) => encode(request, card, target, isOnVertex(target)),
      ...readCustomCalls({
        decoder: (card, request) => new GeminiDecoder(card, request),
        reply: parseReply,
      }),
    },
    explain,
  };
}

function encode(request: ChatRequest, card: ModelCard, target: Target, vertex: boolean): Outgoing {
  const facts = findFacts(card.name);
  // Parallel calls can't be forbidden. Allowing them needs no field, so only `false` counts as dropped.
  const parallel = request.parallel_tool_calls === true ? ["parallel_tool_calls"] : [];
  const extras = passRest(request, new Set([...CARRIED, ...parallel]), [], target);
  const dropped = new Set(extras.dropped);
  const drop = (...fields: readonly string[]) => {
    for (const field of fields) if (request[field] !== undefined) dropped.add(field);
  };
  const calling = makeFunctionCalling(request);
  const { config, instruction } = makeConfig(request, calling, { card, facts, vertex }, drop);
  const writing = { facts, ids: facts.signed || !vertex };
  return {
    url: makeUrl(card.name, target.baseUrl, request.stream === true),
    headers: makeHeaders(target),
    body: {
      ...extras.fields,
      ...makeConversation(request, writing, instruction),
      ...calling.fields,
      ...nestFields("generationConfig", config),
    },
    dropped: [...dropped],
  };
}
