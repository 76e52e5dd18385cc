// A chat-completion request as a call of Anthropic's Messages API.

import { asNumber, asObject, asString, type JsonObject } from "../../core/json/json.ts";
import { can, type ModelCard } from "../../core/models/card.ts";
import type { Outgoing, Target } from "../../core/models/dialect.ts";
import type { ChatMessage, ChatRequest } from "../../operations/chat/form.ts";
import { foldToolChanges, hasToolChanges } from "../../operations/chat/prompt/tool-changes.ts";
import { keepSearchOptions, limitSearches } from "../../operations/chat/prompt/web-search.ts";
import type { Passing } from "../../operations/codec.ts";
import { type ChangedAsk, joinLists, NONE } from "../../operations/form.ts";
import { type Cacheable, limitMarks, setMarks } from "../_chat/cache/marks.ts";
import { markNewest } from "../_chat/cache/request.ts";
import {
  BEGUN,
  clampOutputLimit,
  type EncodedFields,
  leaveOutRest,
  listStops,
  makeKeyHeaders,
  NOTHING,
  nestFields,
  passRest,
} from "../_chat/outgoing.ts";
import { countForeign } from "../_chat/thinking.ts";
import { readToolName } from "../_chat/tools.ts";
import type { Turn as SharedTurn } from "../_chat/turns.ts";
import { CACHE_MARKS, makeCacheMarks } from "./cache-marks.ts";
import {
  hasCallsWithoutThinking,
  isThinking,
  makeConversation,
  makeSaying,
  type Turn,
} from "./conversation.ts";
import { type PlacedTools, placeTools } from "./late-tools.ts";
import { findTraits, learnTraits, type Traits } from "./models.ts";
import type { Ending } from "./said.ts";
import { mustOmitThinking, planThinking, THINKING_FORMAT, type Thinking } from "./thinking.ts";
import { planOutput, planTools, SEARCH_TOOL } from "./tools.ts";

/** The API version for which this dialect is written. */
const VERSION = "2023-06-01";
/** Lets a request drop thinking after a changed prefix. Otherwise the API answers 400. */
export const BINDING_BETA = "thinking-binding-controls-2026-08-01";

/** `max_tokens` is required. This is used if neither the client nor the card sets a limit. */
const OUTPUT_TOKENS_DEFAULT = 16_384;
/** The lowest top_p that the API accepts with thinking. */
export const THINKING_TOP_P_MIN = 0.95;

/** Fields that are handled below. The step that changes one names it. */
const CARRIED: ReadonlySet<string> = new Set([
  "temperature",
  "top_p",
  "stop",
  "parallel_tool_calls",
  "user",
  "safety_identifier",
  "service_tier",
  "citations",
  ...BEGUN,
]);

export function fit(request: ChatRequest, card: ModelCard, operator: Passing): ChangedAsk<ChatRequest> {
  const marked = request.cache_control === undefined ? request : markNewest(request);
  const rest = leaveOutRest(marked, listCarried(request, card), [], operator);
  if (rest.ask.web_search_options === undefined) return rest;
  const isAllowing = rest.ask.web_search_options?.allowed_domains !== undefined;
  const options = isAllowing ? ALLOWING_OPTIONS : SEARCH_OPTIONS;
  const search = keepSearchOptions(limitSearches(rest.ask), options);
  return { ask: search.ask, dropped: [...rest.dropped, ...search.dropped] };
}

/** Options of the search tool. The API refuses both lists of domains together. */
const ALLOWING_OPTIONS = ["user_location", "max_uses", "allowed_domains"] as const;
const SEARCH_OPTIONS = ["user_location", "max_uses", "blocked_domains"] as const;

function listCarried(request: ChatRequest, card: ModelCard): ReadonlySet<string> {
  return searches(card, request) ? new Set([...CARRIED, "web_search_options"]) : CARRIED;
}

/** `Codec.searches`: two tools can't have the same name. */
export function searches(card: ModelCard, { tools = [] }: ChatRequest): boolean {
  return can(card, "search") && !tools.some((tool) => readToolName(tool) === SEARCH_TOOL);
}

/** `Dialect.encode` for the Messages API. Throws a Fault `unsupported_capability` for audio and unreadable files. */
export function encode(request: ChatRequest, card: ModelCard, target: Target): Outgoing {
  const traits = learnTraits(findTraits(card), target.refuses);
  if (request.tools !== undefined && hasToolChanges(request))
    return encodeChanges(request, card, target, traits);
  const conversation = makeConversation(request, !mustOmitThinking(request, traits), traits, null);
  return encodePrompt(request, card, target, { traits, late: null, conversation });
}

/** Where the model takes no changes of tools, or one has no place, the tools are as if they had been so from the beginning. */
function encodeChanges(request: ChatRequest, card: ModelCard, target: Target, traits: Traits): Outgoing {
  const late = traits.lateTools ? placeTools(request, traits) : null;
  const conversation = makeConversation(request, !mustOmitThinking(request, traits), traits, late);
  if (late !== null && !conversation.isUnplaced)
    return encodePrompt(request, card, target, { traits, late, conversation });
  const { ask, dropped } = foldToolChanges(request);
  const outgoing = encode(ask, card, target);
  return { ...outgoing, dropped: [...new Set([...dropped, ...outgoing.dropped])] };
}

/** Fields of which something is changed. */
const EFFORT: readonly string[] = ["reasoning_effort"];
const MESSAGES: readonly string[] = ["messages"];
const MARKS: readonly string[] = ["cache_control"];

interface Prompt {
  readonly traits: Traits;
  readonly late: PlacedTools | null;
  readonly conversation: ReturnType<typeof makeConversation>;
}

function encodePrompt(request: ChatRequest, card: ModelCard, target: Target, prompt: Prompt): Outgoing {
  const { traits, late, conversation } = prompt;
  const { limit, outputTokens } = limitOutput(request, card, target);
  const lacksThinking = () => hasCallsWithoutThinking(conversation.turns);
  const thinking = planThinking(request, card, traits, outputTokens, lacksThinking);
  const canForce = traits.forcedUse && !thinking.isOn && can(card, "tools");
  const output = planOutput(request.response_format, traits, canForce);
  const tools = planTools(request, traits, canForce, output.tool, late);
  const sampling = planSampling(request, traits, thinking.isOn);
  const identity = makeIdentity(request);
  const canPrefill = traits.prefill && !thinking.isOn && output.fields.output_config === undefined;
  const ending = endWithUser(conversation.turns, request.messages.at(-1), canPrefill);
  const isBound = traits.bindsThinking && traits.bindingControls && hasThinking(ending.turns);
  const marks = markCache(tools.tools, conversation.system, ending, target);
  const words = joinLists(output.instructions, tools.instructions);
  const end = endPrompt(request, prompt, marks.turns, words, tools.removed);
  const extras = passRest(request, listCarried(request, card), [], target);
  const body: JsonObject = {
    ...extras.fields,
    model: card.name,
    max_tokens: outputTokens,
    ...(marks.system.length > 0 ? { system: marks.system } : {}),
    messages: end.turns,
    ...(marks.tools.length > 0 ? { tools: marks.tools } : {}),
    ...tools.fields,
    ...sampling.fields,
    ...makeThinkingFields(thinking, isBound),
    ...makeOutputConfig(thinking.fields, output.fields),
    ...identity.fields,
    ...(request.stream ? { stream: true } : {}),
  };
  const plans = joinLists(sampling.dropped, output.dropped, tools.dropped, identity.dropped);
  const changed = joinLists(
    thinking.isChanged ? EFFORT : NONE,
    ending.isChanged || conversation.isShortened ? MESSAGES : NONE,
    marks.isChanged ? MARKS : NONE,
  );
  const dropped = joinLists(extras.dropped, limit.dropped, plans, changed);
  const url = `${target.baseUrl}/messages`;
  const changes = joinLists(late?.betas ?? NONE, end.betas);
  const headers = makeHeaders(target, isBound ? [BINDING_BETA, ...changes] : changes);
  // A first question has no answers before it.
  const foreign = request.messages.length < 3 ? {} : countForeign(request, THINKING_FORMAT);
  const facts = { said: end.said, marked: marks.marked, ...foreign };
  return { url, headers, body, dropped: [...new Set(dropped)], ...facts };
}

/** Says the gateway's own words, if it has any. */
function endPrompt(
  request: ChatRequest,
  { traits, late, conversation: { saying } }: Prompt,
  turns: readonly SharedTurn<JsonObject>[],
  words: readonly string[],
  removed: readonly string[],
): Ending {
  if (saying === null && words.length + removed.length === 0) return { turns, betas: NONE };
  return (saying ?? makeSaying(request, traits, late)).end(turns, words, removed);
}

function limitOutput(request: ChatRequest, card: ModelCard, { outputTokensDefault: usual }: Target) {
  const limit = clampOutputLimit(request, card, "max_tokens");
  const most = usual ?? Number.POSITIVE_INFINITY;
  const defaultTokens = Math.min(card.outputTokensMax ?? OUTPUT_TOKENS_DEFAULT, most);
  return { limit, outputTokens: asNumber(limit.fields.max_tokens) ?? defaultTokens };
}

/** The last turns may be the gateway's own words, which are never marked: the next request doesn't have them. */
function markCache(
  tools: readonly JsonObject[],
  system: readonly JsonObject[],
  { turns: all, added }: Pick<ReturnType<typeof endWithUser>, "turns" | "added">,
  { marks }: Target,
) {
  const given: Cacheable<JsonObject> = { tools, system, turns: all };
  if (marks === undefined) return { ...limitMarks(given, CACHE_MARKS), marked: undefined };
  const own = added === 0 ? given : { ...given, turns: given.turns.slice(0, -added) };
  const set = setMarks(own, makeCacheMarks(marks));
  const turns = added === 0 ? set.turns : [...set.turns, ...given.turns.slice(-added)];
  return { ...limitMarks({ ...set, turns }, CACHE_MARKS), marked: set === own ? undefined : marks };
}

/** Makes the headers of a call. The operator's own win, but betas of both are joined. */
export function makeHeaders(target: Target, betas: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {
    "anthropic-version": VERSION,
    ...makeKeyHeaders(target, "x-api-key"),
  };
  const own = headers["anthropic-beta"];
  if (own === undefined && betas.length === 0) return headers;
  const given = (own ?? "").split(",").map((beta) => beta.trim());
  const all = [...new Set([...given, ...betas])].filter(Boolean);
  if (all.length > 0) headers["anthropic-beta"] = all.join(",");
  return headers;
}

/** Most requests leave all of it to the model. */
function planSampling(request: ChatRequest, traits: Traits, isThinking: boolean): EncodedFields {
  const isUnasked = (request.temperature ?? request.top_p ?? request.stop) === undefined;
  return isUnasked ? NOTHING : makeSampling(request, traits, isThinking);
}

/** Encodes temperature (0…1 here), top_p and stop, as far as the model and its thinking allow them. */
function makeSampling(request: ChatRequest, traits: Traits, isThinking: boolean): EncodedFields {
  const { temperature, top_p: topP } = request;
  const { stops, dropped: refused } = listStops(request);
  const fields: JsonObject = stops.length > 0 ? { stop_sequences: stops } : {};
  const dropped: string[] = [];
  if (temperature !== undefined) {
    if (traits.temperature && !isThinking) fields.temperature = Math.min(1, temperature);
    if (fields.temperature !== temperature) dropped.push("temperature");
  }
  if (topP !== undefined) {
    const isAlone = fields.temperature === undefined || traits.samplingPair;
    const isHighEnough = !isThinking || topP >= THINKING_TOP_P_MIN;
    if (traits.topP && isAlone && isHighEnough) fields.top_p = topP;
    else dropped.push("top_p");
  }
  return { fields, dropped: [...dropped, ...refused] };
}

/** The last turn if the model refuses a conversation that ends with its own answer. */
export const CONTINUE = "Go on with your last message exactly where it ends, without repeating any of it.";

/**
 * Ensures a user turn at the end, unless the client began the answer and the model can continue it (white space at its
 * end is refused). Other models are asked in words to continue.
 */
function endWithUser(
  turns: readonly Turn[],
  lastMessage: ChatMessage | undefined,
  canPrefill: boolean,
): { turns: readonly Turn[]; isChanged: boolean; added: number } {
  const last = turns.at(-1);
  if (last?.role !== "assistant") return { turns, isChanged: false, added: 0 };
  const isPrefill = lastMessage?.role === "assistant";
  if (isPrefill && canPrefill)
    return { turns: [...turns.slice(0, -1), trimText(last)], isChanged: false, added: 0 };
  const text = isPrefill ? CONTINUE : "Go on.";
  return {
    turns: [...turns, { role: "user", content: [{ type: "text", text }] }],
    isChanged: true,
    added: 1,
  };
}

function trimText(turn: Turn): Turn {
  const end = turn.content.at(-1);
  if (typeof end?.text !== "string") return turn;
  const text = end.text.trimEnd();
  return { ...turn, content: [...turn.content.slice(0, -1), ...(text === "" ? [] : [{ ...end, text }])] };
}

function hasThinking(turns: readonly Turn[]): boolean {
  return turns.some(({ content }) => content.some(isThinking));
}

/**
 * Makes `thinking`, with the request to drop blocks after a changed prefix: clients may shorten or edit the history,
 * and models that bind thinking to it then answer 400. These models think by default.
 */
function makeThinkingFields(thinking: Thinking, isBound: boolean): JsonObject {
  if (!isBound) return thinking.fields.thinking ? { thinking: thinking.fields.thinking } : {};
  const asked = asObject(thinking.fields.thinking ?? { type: "adaptive" });
  return { thinking: { ...asked, block_binding: { prefix_mismatch_behavior: "drop_block" } } };
}

function makeOutputConfig(thinking: JsonObject, output: JsonObject): JsonObject {
  const config = { ...asObject(thinking.output_config), ...asObject(output.output_config) };
  return nestFields("output_config", config);
}

const TIERS: ReadonlyMap<string, string> = new Map([
  ["auto", "auto"],
  ["default", "standard_only"],
]);

/** Encodes the user's id and the service tier. */
function makeIdentity({ user, safety_identifier: safe, service_tier: tier }: ChatRequest): EncodedFields {
  if ((user ?? safe ?? tier) === undefined) return NOTHING;
  const id = asString(safe) ?? user ?? "";
  const dropped: string[] = [];
  if (user !== undefined && id !== user) dropped.push("user");
  const serviceTier = TIERS.get(asString(tier) ?? "");
  if (tier !== undefined && serviceTier === undefined) dropped.push("service_tier");
  const fields = {
    ...(id === "" ? {} : { metadata: { user_id: id } }),
    ...(serviceTier === undefined ? {} : { service_tier: serviceTier }),
  };
  return { fields, dropped };
}
