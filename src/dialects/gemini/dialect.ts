// Google's generateContent API as an upstream dialect: a request's address, headers and body, and the answer's decoder.
import type { ModelCard } from "../../core/card.ts";
import type { Outgoing, Target } from "../../core/dialect.ts";
import type { ChatRequest } from "../../operations/chat/form.ts";
import type { Passing } from "../../operations/codec.ts";
import type { Changed } from "../../operations/form.ts";
import { type Bounds, boundCodec, USUAL_BOUNDS } from "../_chat/bounds.ts";
import { leaveOutRest, nestFields, passRest } from "../_chat/outgoing.ts";
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

/**
 * @google/genai, "FunctionDeclaration": names of up to 128 characters that begin with a letter or underscore. Others get
 * an underscore before them.
 */
const BOUNDS: Bounds = {
  ...USUAL_BOUNDS,
  toolNames: { accepts: /^[A-Za-z0-9_.:-]{1,127}$/, charactersMax: 127 },
};

function makeGemini(isOnVertex: (target: Target) => boolean): ChatDialect {
  return {
    name: "gemini",
    chat: boundCodec(
      {
        answersPerCall: (card) => findFacts(card.name).choicesMax,
        fit,
        encode: (request, card, target) => encode(request, card, target, isOnVertex(target)),
        ...readCustomCalls({
          decoder: (card, request) => new GeminiDecoder(card, request),
          reply: parseReply,
        }),
      },
      () => BOUNDS,
    ),
    explain,
  };
}

/** Parallel calls can't be forbidden. Allowing them needs no field, so only `false` counts as dropped. */
function listCarried({ parallel_tool_calls: parallel }: ChatRequest): ReadonlySet<string> {
  return parallel === true ? new Set([...CARRIED, "parallel_tool_calls"]) : CARRIED;
}

function fit(request: ChatRequest, _card: ModelCard, operator: Passing): Changed<ChatRequest> {
  return leaveOutRest(request, listCarried(request), [], operator);
}

function encode(request: ChatRequest, card: ModelCard, target: Target, vertex: boolean): Outgoing {
  const facts = findFacts(card.name);
  const extras = passRest(request, listCarried(request), [], target);
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
