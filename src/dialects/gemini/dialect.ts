// Google's generateContent API as an upstream dialect: a request's address, headers and body, and the answer's decoder.
import { can, type ModelCard } from "../../core/models/card.ts";
import type { Outgoing, Target } from "../../core/models/dialect.ts";
import type { ChatRequest } from "../../operations/chat/form.ts";
import { joinSaid } from "../../operations/chat/prompt/say-at-end.ts";
import { findSearch, keepSearchOptions, SEARCH_DEMAND } from "../../operations/chat/prompt/web-search.ts";
import type { Passing } from "../../operations/codec.ts";
import type { ChangedAsk } from "../../operations/form.ts";
import { type Bounds, boundCodec, USUAL_BOUNDS } from "../_chat/bounds.ts";
import { BEGUN, leaveOutRest, nestFields, passRest } from "../_chat/outgoing.ts";
import { countForeign } from "../_chat/thinking.ts";
import { readCustomCalls } from "../_chat/tools.ts";
import type { ChatDialect } from "../dialect.ts";
import { makeConfig } from "./config.ts";
import { makeConversation, REASONING_FORMAT } from "./contents.ts";
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
  "top_k",
  "include_reasoning",
  "safety_settings",
  "validates_calls",
  ...BEGUN,
]);

export const gemini: ChatDialect = makeGemini(({ baseUrl }) => isVertex(baseUrl), true);
/** The dialect within the limits of Vertex AI, at any address. */
export const geminiOnVertex: ChatDialect = makeGemini(() => true, false);

/**
 * @google/genai, "FunctionDeclaration": names of up to 128 characters that begin with a letter or underscore. Others get
 * an underscore before them.
 */
const BOUNDS: Bounds = {
  ...USUAL_BOUNDS,
  toolNames: { accepts: /^[A-Za-z0-9_.:-]{1,127}$/, charactersMax: 127 },
};

/** `mixes` is true if a search may stand beside functions. */
function makeGemini(isOnVertex: (target: Target) => boolean, mixes: boolean): ChatDialect {
  const searches = (card: ModelCard, request: ChatRequest) => canSearch(card, request, mixes);
  return {
    name: "gemini",
    chat: boundCodec(
      {
        answersPerCall: (card) => findFacts(card).choicesMax,
        fit: (request, card, operator) => fit(request, card, operator, mixes),
        searches,
        encode: (request, card, target) =>
          encode(request, card, target, { vertex: isOnVertex(target), mixes }),
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
function listCarried(request: ChatRequest, card: ModelCard, mixes: boolean): ReadonlySet<string> {
  const carried = new Set(CARRIED);
  if (request.parallel_tool_calls === true) carried.add("parallel_tool_calls");
  if (canSearch(card, request, mixes)) carried.add("web_search_options");
  return carried;
}

/**
 * Gemini API, "Combine built-in tools and function calling" (November 2026): from generation 3 on, a search may stand beside
 * functions. Vertex AI documents nothing of the kind.
 */
function canSearch(card: ModelCard, { tools }: ChatRequest, mixes: boolean): boolean {
  return can(card, "search") && (tools === undefined || (mixes && findFacts(card).signed));
}

/** The model decides where and how often it searches. */
function fit(
  request: ChatRequest,
  card: ModelCard,
  operator: Passing,
  mixes: boolean,
): ChangedAsk<ChatRequest> {
  const rest = leaveOutRest(request, listCarried(request, card, mixes), [], operator);
  const search = keepSearchOptions(rest.ask, []);
  return { ask: search.ask, dropped: [...rest.dropped, ...search.dropped] };
}

/** The limits of the service behind an address. */
interface Service {
  readonly vertex: boolean;
  readonly mixes: boolean;
}

function encode(given: ChatRequest, card: ModelCard, target: Target, { vertex, mixes }: Service): Outgoing {
  const facts = findFacts(card);
  // At an address of Vertex AI's that is configured as Google's own, functions count more.
  const isLacking = vertex && given.tools !== undefined && given.web_search_options !== undefined;
  const request = isLacking ? { ...given, web_search_options: undefined } : given;
  const extras = passRest(request, listCarried(request, card, mixes), [], target);
  const dropped = new Set([...extras.dropped, ...(isLacking ? ["web_search_options"] : [])]);
  const drop = (...fields: readonly string[]) => {
    for (const field of fields) if (request[field] !== undefined) dropped.add(field);
  };
  const calling = makeFunctionCalling(request, facts.limitsCalls && !vertex);
  const isForced = findSearch(request) === "forced";
  if (isForced) dropped.add("tool_choice");
  const { config, instruction } = makeConfig(request, calling, { card, facts, vertex }, drop);
  const said = joinSaid([instruction, isForced ? SEARCH_DEMAND : ""]);
  const writing = { facts, ids: facts.signed || !vertex };
  const conversation = makeConversation(request, writing, said);
  if (conversation.isContinued) dropped.add("messages");
  return {
    url: makeUrl(card.name, target.baseUrl, request.stream === true),
    headers: makeHeaders(target),
    body: {
      ...extras.fields,
      ...conversation.fields,
      ...calling.fields,
      ...(request.safety_settings ? { safetySettings: request.safety_settings } : {}),
      ...nestFields("generationConfig", config),
    },
    dropped: [...dropped],
    ...countForeign(request, REASONING_FORMAT),
  };
}
