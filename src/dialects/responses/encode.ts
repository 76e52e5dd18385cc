// A chat-completion request as a call of OpenAI's Responses API (`POST {base}/responses`).

import { asObject, asString, isObject, type JsonObject } from "../../core/json/json.ts";
import { can, type ModelCard } from "../../core/models/card.ts";
import type { Outgoing, Target } from "../../core/models/dialect.ts";
import type { ChatRequest, ResponseFormat, ToolChoice } from "../../operations/chat/form.ts";
import type { SearchOptions } from "../../operations/chat/prompt/search-form.ts";
import { hasToolChanges } from "../../operations/chat/prompt/tool-changes.ts";
import {
  findSearch,
  flattenPlace,
  keepSearchOptions,
  limitSearches,
} from "../../operations/chat/prompt/web-search.ts";
import type { Passing } from "../../operations/codec.ts";
import type { ChangedAsk } from "../../operations/form.ts";
import {
  clampOutputLimit,
  type EncodedFields,
  leaveOutRest,
  makeCall,
  mergeFields,
  nestFields,
  passRest,
  pickFields,
  raiseOutputLimit,
} from "../_chat/outgoing.ts";
import { tightenFormat } from "../_chat/schemas/strict-format.ts";
import { loosenTools } from "../_chat/schemas/strict-tools.ts";
import { flattenUnions } from "../_chat/schemas/tool-schema.ts";
import { countForeign } from "../_chat/thinking.ts";
import { readReasoning } from "../_chat/thinking-wish.ts";
import { askTier } from "../_chat/tier.ts";
import { makeInputItems } from "../_responses/input.ts";
import { REASONING_FORMAT } from "../_responses/output.ts";
import { makeInputForm, type ReasoningReplay } from "./input.ts";
import { type LateTools, makeTool, placeTools } from "./late-tools.ts";
import { chooseEffort, findFacts, type ModelFacts, refusesSampling, takesSampling } from "./models.ts";

/** Lower values are answered with 400 (OpenAI, Responses API: `max_output_tokens`). */
export const OUTPUT_TOKENS_MIN = 16;

/** Fields with the same name and meaning in both APIs. */
const SAME = [
  "parallel_tool_calls",
  "prompt_cache_key",
  "prompt_cache_options",
  "prompt_cache_retention",
  "safety_identifier",
  "user",
  "metadata",
  "service_tier",
  "moderation",
] as const;

/** Fields that have a place in the call, at least for some models. */
const CARRIED: ReadonlySet<string> = new Set([
  ...SAME,
  "temperature",
  "top_p",
  "logprobs",
  "top_logprobs",
  "reasoning",
  "include_reasoning",
  "verbosity",
  "store",
]);

/** Options of the search tool. `max_tool_calls` limits its uses. */
const SEARCH_OPTIONS = ["search_context_size", "user_location", "max_uses", "allowed_domains"] as const;

export function fit(request: ChatRequest, card: ModelCard, operator: Passing): ChangedAsk<ChatRequest> {
  const loose = loosenTools(sayWish(request));
  const tools = findFacts(card).toolUnions ? { ask: loose.ask, dropped: [] } : flattenUnions(loose.ask);
  const format = tightenFormat(tools.ask, true);
  const rest = leaveOutRest(format.ask, listCarried(request, card), [], operator);
  const search = keepSearchOptions(limitSearches(rest.ask), SEARCH_OPTIONS);
  return raiseOutputLimit(
    {
      ask: search.ask,
      dropped: [...loose.dropped, ...tools.dropped, ...format.dropped, ...rest.dropped, ...search.dropped],
    },
    OUTPUT_TOKENS_MIN,
  );
}

/** The API has `reasoning` too, in which only the summary is OpenRouter's and its own alike. */
function sayWish(request: ChatRequest): ChatRequest {
  if (request.reasoning === undefined || request.reasoning_effort !== undefined) return request;
  const effort = readReasoning(request.reasoning);
  return effort === undefined ? request : { ...request, reasoning_effort: effort };
}

/** Makes the call for a request. Throws `unsupported_capability` for audio parts. */
export function encode(request: ChatRequest, card: ModelCard, target: Target): Outgoing {
  const facts = findFacts(card);
  const late = hasToolChanges(request) ? placeTools(request) : null;
  const limit = clampOutputLimit(request, card, "max_output_tokens");
  const { fields, dropped } = mergeFields(
    makeReasoning(request, facts),
    makeSampling(request, facts),
    makeTextOptions(request, facts),
  );
  const extras = passRest(request, listCarried(request, card), [], target);
  const body: JsonObject = {
    ...extras.fields,
    model: card.name,
    input: makeInputItems(request.messages, makeInputForm(chooseReasoningReplay(facts), facts, late?.write)),
    store: request.store ?? false,
    ...(request.stream ? { stream: true } : {}),
    ...limit.fields,
    ...planTools(late?.request ?? request, late),
    ...pickFields(request, SAME),
    ...fields,
    ...askTier(request.service_tier, target),
  };
  const include: unknown[] = facts.reasons ? ["reasoning.encrypted_content"] : [];
  if (body.top_logprobs !== undefined) include.push("message.output_text.logprobs");
  if (request.web_search_options) include.push("web_search_call.action.sources");
  if (include.length > 0) body.include = include;
  const left = [...extras.dropped, ...limit.dropped, ...dropped];
  const call = makeCall(target, "/responses", body, left);
  return { ...call, ...countForeign(request, REASONING_FORMAT) };
}

/** Text is the default, so requesting only text changes nothing. */
function listCarried(request: ChatRequest, card: ModelCard): ReadonlySet<string> {
  const { modalities } = request;
  const textOnly = Array.isArray(modalities) && modalities.every((one) => one === "text");
  const carried = new Set(CARRIED);
  if (textOnly) carried.add("modalities");
  if (can(card, "search")) carried.add("web_search_options");
  return carried;
}

function chooseReasoningReplay(facts: ModelFacts): ReasoningReplay {
  if (facts.reasons === false) return "nothing";
  return facts.openAi ? "sealed" : "raw";
}

/** A summary is requested only if the client wants to see thinking: OpenAI limits it to verified organisations. */
function makeReasoning(request: ChatRequest, facts: ModelFacts): EncodedFields {
  const wish = asObject(request.reasoning);
  const asked = request.reasoning_effort;
  // OpenAI, "Web search": not with minimal effort.
  const least = asked === "minimal" && request.web_search_options ? "low" : asked;
  const effort = least === undefined ? undefined : chooseEffort(least, facts);
  const wanted = request.include_reasoning === true || (isObject(request.reasoning) && wish.exclude !== true);
  const summary = wanted && facts.reasons !== false ? (asString(wish.summary) ?? "auto") : undefined;
  const reasoning = { ...(effort === undefined ? {} : { effort }), ...(summary ? { summary } : {}) };
  return {
    fields: nestFields("reasoning", reasoning),
    dropped: effort === asked ? [] : ["reasoning_effort"],
  };
}

function makeSampling(request: ChatRequest, facts: ModelFacts): EncodedFields {
  const isSilenced = refusesSampling(facts, request.reasoning_effort);
  const fields: JsonObject = {};
  const dropped: string[] = [];
  for (const field of ["temperature", "top_p"] as const) {
    if (request[field] === undefined) continue;
    if (takesSampling(facts, field, isSilenced)) fields[field] = request[field];
    else dropped.push(field);
  }
  const scores = pickFields(request, ["logprobs", "top_logprobs"]);
  if (isSilenced) dropped.push(...Object.keys(scores));
  else if (request.logprobs === true) fields.top_logprobs = request.top_logprobs ?? 0;
  return { fields, dropped };
}

function makeTextOptions(request: ChatRequest, facts: ModelFacts): EncodedFields {
  const { verbosity, response_format: format } = request;
  const text: JsonObject = {};
  if (format) text.format = makeFormat(format);
  if (verbosity !== undefined && facts.verbosity) text.verbosity = verbosity;
  return {
    fields: nestFields("text", text),
    dropped: verbosity !== undefined && !facts.verbosity ? ["verbosity"] : [],
  };
}

function makeFormat(format: ResponseFormat): JsonObject {
  if (format.type !== "json_schema") return { type: format.type };
  const { name, description, schema, strict } = format.json_schema;
  return {
    type: "json_schema",
    name,
    ...(description === undefined ? {} : { description }),
    schema: schema ?? {},
    strict: strict ?? false,
  };
}

function planTools(request: ChatRequest, late: LateTools | null): JsonObject {
  const tools = (request.tools ?? []).map(makeTool);
  const { web_search_options: search, tool_choice: asked } = request;
  if (search) tools.push(makeWebSearch(search));
  const chosen = asked && encodeToolChoice(asked);
  const choice = findSearch(request) === "forced" ? SEARCH_CHOICE : (late?.choose(chosen) ?? chosen);
  return {
    ...(tools.length > 0 ? { tools } : {}),
    ...(choice === undefined ? {} : { tool_choice: choice }),
    ...(search?.max_uses === undefined ? {} : { max_tool_calls: search.max_uses }),
  };
}

const SEARCH_CHOICE = { type: "web_search" };

function makeWebSearch(options: SearchOptions): JsonObject {
  const { search_context_size: size, allowed_domains: allowed } = options;
  return {
    type: "web_search",
    ...(size === undefined ? {} : { search_context_size: size }),
    ...(allowed === undefined ? {} : { filters: { allowed_domains: allowed } }),
    ...flattenPlace(options),
  };
}

function encodeToolChoice(choice: ToolChoice): unknown {
  if (typeof choice === "string") return choice;
  if (choice.type !== "allowed_tools") return flattenReference(choice);
  const { mode, tools } = choice.allowed_tools;
  return { type: "allowed_tools", mode, tools: tools.map(flattenReference) };
}

function flattenReference(tool: JsonObject): JsonObject {
  const name = asObject(tool.function ?? tool.custom).name ?? tool.name;
  return { type: tool.type, name };
}
