// Encodes a request for a chat-completions server: it passes unchanged except for the server's quirks.

import { asArray, asObject, isObject, type JsonObject } from "../../core/json/json.ts";
import type { ModelCard } from "../../core/models/card.ts";
import type { Outgoing, Target } from "../../core/models/dialect.ts";
import type { Refusal } from "../../core/models/refusals.ts";
import { findThinkingFormat } from "../../core/models/thinking/readers.ts";
import type { MarkTime } from "../../core/models/words/cache-marks.ts";
import { remember } from "../../core/world/remember.ts";
import type { ChatRequest } from "../../operations/chat/form.ts";
import { joinSaid, sayAtEnd } from "../../operations/chat/prompt/say-at-end.ts";
import { keepSearchOptions } from "../../operations/chat/prompt/web-search.ts";
import type { Passing } from "../../operations/codec.ts";
import { type ChangedAsk, joinLists, NONE } from "../../operations/form.ts";
import { arrangeTurns } from "../_chat/arrange.ts";
import {
  BEGUN,
  CARRIED_ALWAYS,
  CHAT_FIELDS,
  clampOutputLimit,
  type EncodedFields,
  isTierOpen,
  leaveOutFields,
  leaveOutRest,
  makeCall,
  mergeFields,
  NAMES,
  passRest,
  pickFields,
} from "../_chat/outgoing.ts";
import { tightenFormat } from "../_chat/schemas/strict-format.ts";
import { loosenTools } from "../_chat/schemas/strict-tools.ts";
import { flattenUnions } from "../_chat/schemas/tool-schema.ts";
import { countForeign } from "../_chat/thinking.ts";
import { flattenToolResults } from "../_chat/tool-results.ts";
import { makeMessages } from "./messages.ts";
import { planFormat, planThinking, planTools } from "./plan.ts";
import { markMessages, markTools } from "./prompt-marks.ts";
import type { OpenaiQuirks } from "./quirks.ts";

/** Gemini's own endpoint for this API, the only one that signs tool calls. */
const GEMINI_HOST = /^https:\/\/[^/]*\.googleapis\.com\//;

/** OpenAI API reference, `web_search_options`. */
const SEARCH_OPTIONS = ["search_context_size", "user_location"] as const;

/** Leaves out the fields that the model's server refuses. */
export function fitChat(
  quirks: OpenaiQuirks,
  request: ChatRequest,
  card: ModelCard,
  operator: Passing,
): ChangedAsk<ChatRequest> {
  const isThinkingOff = planThinking(request, card, quirks).off;
  const carried = listCarried(request, quirks, { isThinkingOff, hasTools: true });
  const hasSchemas = request.tools !== undefined || request.response_format !== undefined;
  const fitted = hasSchemas ? fitSchemas(quirks, request) : { ask: request, dropped: NONE };
  const left = leaveOutRest(fitted.ask, listHandled(carried, quirks), quirks.extras, operator);
  const hasSearch = left.ask.web_search_options !== undefined;
  const search = hasSearch ? keepSearchOptions(left.ask, SEARCH_OPTIONS) : { ask: left.ask, dropped: NONE };
  const dropped = joinLists(fitted.dropped, left.dropped, search.dropped);
  if (quirks.cacheMark === MARK || request.cache_control === undefined) return { ask: search.ask, dropped };
  return { ask: leaveOutFields(search.ask, [MARK]).ask, dropped };
}

/** Fits the schemas of tools and of the answer to what the server enforces. */
function fitSchemas(quirks: OpenaiQuirks, request: ChatRequest): ChangedAsk<ChatRequest> {
  const loose = loosenTools(request);
  const tools = quirks.toolUnions ? { ask: loose.ask, dropped: NONE } : flattenUnions(loose.ask);
  const format = tightenFormat(tools.ask, quirks.jsonSchema && quirks.strictFormat);
  return { ask: format.ask, dropped: joinLists(loose.dropped, tools.dropped, format.dropped) };
}

/** Makes the call of `/chat/completions` (OpenAI API reference) as the model's server takes it. */
export function encodeChat(
  known: OpenaiQuirks,
  request: ChatRequest,
  card: ModelCard,
  target: Target,
): Outgoing {
  const quirks = target.refuses === undefined ? known : learnQuirks(known, target.refuses);
  const limit = clampOutputLimit(request, card, quirks.limitField);
  const thinking = planThinking(request, card, quirks);
  const tools = planTools(request, quirks, !thinking.off);
  const hasTools = tools.fields.tools !== undefined;
  const format = planFormat(request, quirks, !thinking.off, hasTools);
  const plain = makePlainFields(request, quirks, target, { isThinkingOff: thinking.off, hasTools });

  const needs = { thinks: !thinking.off, keepsExtras: GEMINI_HOST.test(target.baseUrl) };
  const given = flattenToolResults(request.messages);
  const refused = joinRefusals(quirks.refusesTurns, target.refuses);
  const turns = refused && arrangeTurns(given, refused);
  const said = joinSaid(joinLists(tools.instructions, format.instructions));
  const marks = quirks.marksPrompts ? target.marks : undefined;
  const own = turns?.messages ?? given;
  const marked = marks === undefined ? own : markMessages(own, marks);
  const messages = makeMessages(sayAtEnd(marked, said), quirks, needs);
  const { fields, dropped } = mergeFields(thinking, tools, format);
  const body: JsonObject = { model: card.name, messages };
  // Most of these have no fields, and spreading those takes twice as long.
  Object.assign(body, plain.fields, limit.fields);
  if (quirks.choicesMax > 1 && request.n !== undefined) body.n = request.n;
  Object.assign(body, fields, makeStreamFields(request, quirks));
  if (target.sendsTier && isTierOpen(body.service_tier)) body.service_tier = "default";
  addUnset(body, quirks.adds);
  if (request.stream === true && hasTools) addUnset(body, quirks.addsForStreamedTools);
  if (!thinking.off) addForThoughts(body, messages, quirks);
  const all = joinLists(plain.dropped, limit.dropped, dropped, turns?.dropped ?? NONE);
  const call = makeCall(target, "/chat/completions", body, all);
  return countLost(marks === undefined ? call : markCall(call, marks), request, card, quirks);
}

/** Counts the thinking of others that the server has no place for. Lenient ones are sent all of it. */
function countLost(call: Outgoing, request: ChatRequest, card: ModelCard, quirks: OpenaiQuirks): Outgoing {
  const { thoughts, detailsFormat } = quirks;
  if (thoughts === "any" || (thoughts === "reasoning_details" && detailsFormat === null)) return call;
  const { foreignThinking } = countForeign(request, findThinkingFormat(card), thoughts !== null);
  return foreignThinking === undefined ? call : { ...call, foreignThinking };
}

function markCall(call: Outgoing, marked: MarkTime): Outgoing {
  const tools = asArray(call.body.tools).map(asObject);
  const body = tools.length === 0 ? call.body : { ...call.body, tools: markTools(tools, marked) };
  return { ...call, body, marked };
}

/** Returns the quirks with what the server has said of itself. */
function learnQuirks(known: OpenaiQuirks, refuses: ReadonlySet<Refusal>): OpenaiQuirks {
  const isRefused = known.toolsWhileThinking && refuses.has("tools_with_effort");
  return isRefused ? { ...known, toolsWhileThinking: false } : known;
}

function joinRefusals(
  known: ReadonlySet<Refusal>,
  learned: ReadonlySet<Refusal> | undefined,
): ReadonlySet<Refusal> | undefined {
  if (known.size === 0) return learned;
  return learned === undefined ? known : known.union(learned);
}

/** Handles the simple fields: copied, clamped to the model's range, or left out. */
function makePlainFields(
  request: ChatRequest,
  quirks: OpenaiQuirks,
  target: Target,
  state: TurnState,
): EncodedFields {
  const carried = listCarried(request, quirks, state);
  const rest = passRest(request, listHandled(carried, quirks), quirks.extras, target);
  const fields: JsonObject = {};
  const dropped: string[] = [];
  for (const field of carried) {
    const value = request[field];
    if (value === undefined) continue;
    fields[field] = clamp(field, value, quirks);
    if (fields[field] !== value) dropped.push(field);
    if (field === "web_search_options") fields[field] = pickFields(asObject(value), SEARCH_OPTIONS);
  }
  Object.assign(fields, rest.fields);
  return { fields, dropped: joinLists(dropped, rest.dropped) };
}

/** Lists the plain fields that are carried. */
function listCarried(request: ChatRequest, quirks: OpenaiQuirks, state: TurnState): readonly string[] {
  const carried: string[] = [];
  for (const field in request) if (isCarried(field, quirks, state)) carried.push(field);
  return carried;
}

const MARK = "cache_control";

/** Returns the fields that aren't among those left out: the carried ones and those of `findHandled`. */
function listHandled(carried: readonly string[], quirks: OpenaiQuirks): ReadonlySet<string> {
  const handled = findHandled(quirks);
  if (carried.length === 0) return handled;
  const all = new Set(carried);
  for (const field of handled) all.add(field);
  return all;
}

/** The fields of messages that the server takes, and the mark of the cache, unless it is sent: leaving it out changes no answer. */
const findHandled = remember(({ cacheMark, names, messageFields }: OpenaiQuirks): ReadonlySet<string> => {
  const taken = messageFields === "any" ? BEGUN : messageFields.map((field) => `messages.${field}`);
  return new Set([...taken, ...(names ? [NAMES] : []), ...(cacheMark === MARK ? [] : [MARK])]);
});

interface TurnState {
  /** True if the model will not think. */
  readonly isThinkingOff: boolean;
  readonly hasTools: boolean;
}

/** True for a plain field of the API that the server accepts. */
function isCarried(field: string, quirks: OpenaiQuirks, { isThinkingOff, hasTools }: TurnState): boolean {
  if (!CHAT_FIELDS.has(field) || CARRIED_ALWAYS.has(field) || quirks.refuses.includes(field)) return false;
  if (field === "parallel_tool_calls" && !hasTools) return false;
  return isThinkingOff || !quirks.refusesThinking.includes(field);
}

function clamp(field: string, value: unknown, quirks: OpenaiQuirks): unknown {
  if (field === "stop" && Array.isArray(value) && value.length > quirks.stopsMax) {
    return value.slice(0, quirks.stopsMax);
  }
  const range = Object.hasOwn(quirks.ranges, field) ? quirks.ranges[field] : undefined;
  if (range === undefined || typeof value !== "number") return value;
  return Math.min(Math.max(value, range[0]), range[1]);
}

/** Usage is always requested, since billing needs it. The surface decides if the client sees it. */
function makeStreamFields(request: ChatRequest, quirks: OpenaiQuirks): JsonObject {
  if (request.stream !== true) return {};
  if (!quirks.streamUsage) return { stream: true };
  return { stream: true, stream_options: { include_usage: true } };
}

function addForThoughts(body: JsonObject, messages: readonly JsonObject[], quirks: OpenaiQuirks): void {
  const { addsForThoughts: adds, thoughts } = quirks;
  if (adds === null || thoughts === null) return;
  if (!messages.some((message) => message[thoughts] !== undefined)) return;
  for (const [field, value] of Object.entries(adds))
    body[field] = isObject(value) ? { ...value, ...asObject(body[field]) } : (body[field] ?? value);
}

function addUnset(body: JsonObject, fields: JsonObject): void {
  for (const [field, value] of Object.entries(fields)) body[field] ??= value;
}
