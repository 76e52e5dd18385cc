// Encodes a request for a chat-completions server: it passes unchanged except for the server's quirks.
import type { ModelCard } from "../../core/card.ts";
import type { Outgoing, Target } from "../../core/dialect.ts";
import type { JsonObject } from "../../core/json.ts";
import { withInstruction } from "../../operations/chat/forced-call.ts";
import type { ChatRequest } from "../../operations/chat/form.ts";
import type { Changed } from "../../operations/form.ts";
import {
  CARRIED_ALWAYS,
  clampOutputLimit,
  type EncodedFields,
  leaveOutFields,
  listUncited,
  makeCall,
  mergeFields,
  ROUTING,
} from "../_chat/outgoing.ts";
import { flattenToolResults } from "../_chat/tool-results.ts";
import { makeMessages } from "./messages.ts";
import { planFormat, planThinking, planTools } from "./plan.ts";
import { findQuirks, type OpenaiQuirks } from "./quirks.ts";

const UNSAFE: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
/** Gemini's own endpoint for this API, the only one that signs tool calls. */
const GEMINI_HOST = /^https:\/\/[^/]*\.googleapis\.com\//;

/** Leaves out the fields that a server with these quirks refuses. */
export function fitChat(server: OpenaiQuirks, request: ChatRequest, card: ModelCard): Changed<ChatRequest> {
  const quirks = findQuirks(server, card.name);
  return leaveOutRefused(request, quirks, planThinking(request, card, quirks).off);
}

/** Makes the call of `/chat/completions` (OpenAI API reference) for a server with these quirks. */
export function encodeChat(
  server: OpenaiQuirks,
  given: ChatRequest,
  card: ModelCard,
  target: Target,
): Outgoing {
  const quirks = findQuirks(server, card.name);
  const thinking = planThinking(given, card, quirks);
  const { ask: request, dropped: left } = leaveOutRefused(given, quirks, thinking.off);
  const limit = clampOutputLimit(request, card, quirks.limitField);
  const tools = planTools(request, quirks, !thinking.off);
  const hasTools = tools.fields.tools !== undefined;
  const format = planFormat(request, quirks, !thinking.off, hasTools);
  const plain = makePlainFields(request, quirks, hasTools);

  const needs = { thinks: !thinking.off, keepsExtras: GEMINI_HOST.test(target.baseUrl) };
  let messages = makeMessages(flattenToolResults(request.messages), quirks, needs);
  for (const instruction of [...tools.instructions, ...format.instructions])
    messages = withInstruction(messages, instruction);
  const { fields, dropped } = mergeFields(thinking, tools, format);
  const body: JsonObject = {
    model: card.name,
    messages,
    ...plain.fields,
    ...limit.fields,
    ...(quirks.choicesMax > 1 && request.n !== undefined ? { n: request.n } : {}),
    ...fields,
    ...makeStreamFields(request, quirks),
  };
  addUnset(body, quirks.adds);
  if (request.stream === true && hasTools) addUnset(body, quirks.addsForStreamedTools);
  return makeCall(target, "/chat/completions", body, [
    ...left,
    ...plain.dropped,
    ...limit.dropped,
    ...dropped,
  ]);
}

/** Handles the simple fields: copied, clamped to the model's range, or left out. */
function makePlainFields(request: ChatRequest, quirks: OpenaiQuirks, hasTools: boolean): EncodedFields {
  const fields: JsonObject = {};
  const dropped = [...listUncited(request)];
  for (const [field, value] of Object.entries(request)) {
    if (value === undefined || CARRIED_ALWAYS.has(field) || UNSAFE.has(field)) continue;
    if (field === "parallel_tool_calls" && !hasTools) {
      dropped.push(field);
      continue;
    }
    const taken = clamp(field, value, quirks);
    fields[field] = taken;
    if (taken !== value) dropped.push(field);
  }
  return { fields, dropped };
}

function leaveOutRefused(
  request: ChatRequest,
  quirks: OpenaiQuirks,
  thinkingOff: boolean,
): Changed<ChatRequest> {
  const isLeftOut = (field: string) => !CARRIED_ALWAYS.has(field) && isRefused(field, quirks, thinkingOff);
  const left = leaveOutFields(request, Object.keys(request).filter(isLeftOut));
  if (quirks.cacheMark === "cache_control" || request.cache_control === undefined) return left;
  // A mark changes no answer, so it isn't named.
  return { ...left, ask: leaveOutFields(left.ask, ["cache_control"]).ask };
}

function isRefused(field: string, quirks: OpenaiQuirks, thinkingOff: boolean): boolean {
  if (ROUTING.has(field) || quirks.refuses.includes(field) || quirks.refusesUnknown.includes(field))
    return true;
  return !thinkingOff && quirks.refusesThinking.includes(field);
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

function addUnset(body: JsonObject, fields: JsonObject): void {
  for (const [field, value] of Object.entries(fields)) body[field] ??= value;
}
